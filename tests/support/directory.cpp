#include "support/directory.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tenure::test {

Directory::Directory(std::string_view name) {
  // Under /tmp whatever TMPDIR says: the path of a Unix socket may have only 107 bytes.
  std::string path = "/tmp/tenure-" + std::string(name) + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
  path_ = path;
}

Directory::~Directory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tenure::test
