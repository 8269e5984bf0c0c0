#include "cli/message.hpp"

#include <unistd.h>

#include <string>

namespace tenure::cli {

void say(std::string_view sentence) {
  std::string line = "tenure: ";
  line.append(sentence).append("\n");
  // There is nobody to tell when stderr is closed.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace tenure::cli
