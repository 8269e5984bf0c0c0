// Tries the files of a corpus once, with any compiler: an input that once crashed stays a test.
// Usage: fuzz_TARGET FILE-OR-FOLDER…
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/target.hpp"

namespace {

std::vector<std::filesystem::path> files_in(const std::filesystem::path& given) {
  if (!std::filesystem::is_directory(given)) return {given};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(given)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t tried = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& path : files_in(argv[i])) {
      // Said before, so that the last line names the file on which it crashed.
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      std::ifstream file(path, std::ios::binary);
      if (!file) {
        std::fprintf(stderr, "cannot be read: %s\n", path.c_str());
        return 1;
      }
      const std::string input{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
      tenure::fuzz::try_input(input);
      tried += 1;
    }
  }
  // A folder that lost its files must not pass as a test.
  if (tried == 0) std::fprintf(stderr, "there is no input to try\n");
  return tried == 0 ? 1 : 0;
}
