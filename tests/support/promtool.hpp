// What Prometheus' own tool says of a page of metrics.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/process.hpp"

namespace tenure::test {

// Empty: it has nothing to complain of. Throws where there is no promtool: that is no reason to pass.
inline std::string promtool_complaints(const std::string& page) {
  const std::vector<std::string> command{"promtool", "check", "metrics"};
  try {
    const Process promtool(command, {.input = page});
    const int code = promtool.exit_code(std::chrono::seconds(60));
    const std::string said = promtool.out() + promtool.err();
    return code == 0 ? said : "exit code " + std::to_string(code) + ": " + said;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) +
                             ": ./dev setup installs promtool (on Debian it is in the package prometheus)");
  }
}

}  // namespace tenure::test
