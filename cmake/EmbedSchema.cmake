# Writes SQL files as C++ constants: what makes the tables, what makes the functions, and each step from one version to the next.
# cmake -DOUTPUT=… "-DTABLES=a.sql" "-DFUNCTIONS=b.sql;c.sql" "-DSTEPS=2.sql;3.sql" -P EmbedSchema.cmake
function(literal result files)
  # A literal has its greatest length; several stand side by side for one.
  set(text "")
  foreach(file IN LISTS files)
    file(READ ${file} body)
    string(APPEND text "\n    R\"sql(${body})sql\"")
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

list(SORT FUNCTIONS)
list(SORT STEPS COMPARE NATURAL)
literal(tables "${TABLES}")
literal(functions "${FUNCTIONS}")
set(steps "")
foreach(file IN LISTS STEPS)
  literal(step "${file}")
  string(APPEND steps "${step},")
endforeach()
file(WRITE ${OUTPUT} "#include \"postgres/schema_parts.hpp\"\n\nnamespace tenure::postgres {\n\n"
     "const std::string_view tables_sql =${tables};\n\n"
     "const std::string_view functions_sql =${functions};\n\n"
     "const std::vector<std::string_view> upgrade_steps{${steps}\n};\n\n}  // namespace tenure::postgres\n")
