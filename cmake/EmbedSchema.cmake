# Writes SQL files, in their order, as one C++ constant: cmake -DOUTPUT=… -DFILES=a.sql;b.sql -P EmbedSchema.cmake
list(SORT FILES)
# A literal has its greatest length; several stand side by side for one.
set(text "#include \"postgres/schema.hpp\"\n\nnamespace tenure::postgres {\n\nconst std::string_view schema_sql =")
foreach(file IN LISTS FILES)
  file(READ ${file} body)
  string(APPEND text "\n    R\"sql(${body})sql\"")
endforeach()
file(WRITE ${OUTPUT} "${text};\n\n}  // namespace tenure::postgres\n")
