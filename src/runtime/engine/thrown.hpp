// What a callback of the user throws on a thread of ours ends here: it may cost neither the process nor a lease.
#pragma once

#include <exception>
#include <optional>
#include <string>

namespace tenure::runtime {

// Calls it. What it has thrown, for a sentence that begins with "… has thrown"; nothing: it has returned.
template <class Callback, class... Arguments>
std::optional<std::string> thrown_by(const Callback& callback, const Arguments&... arguments) {
  try {
    callback(arguments...);
    return std::nullopt;
  } catch (const std::exception& error) {
    return std::string(": ") + error.what();
  } catch (...) {
    return " something that is no std::exception";
  }
}

}  // namespace tenure::runtime
