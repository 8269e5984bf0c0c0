# Writes the files of the page as C++ constants: cmake -DOUTPUT=… -DFILES=a.js;b.css -P EmbedPage.cmake
set(text "#include \"cli/web/assets.hpp\"\n\nnamespace tenure::cli {\n\nnamespace {\n\nconstexpr Asset all[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} body)
  string(APPEND text "  {\"${name}\", R\"page(${body})page\"},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\nstd::span<const Asset> assets() { return all; }\n\n}  // namespace tenure::cli\n")
file(WRITE ${OUTPUT} "${text}")
