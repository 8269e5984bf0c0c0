#include "cli/args/http_args.hpp"

namespace tenure::cli {

std::optional<std::string> http_error(const HttpArgs& args) {
  if (!args.address) {
    if (!args.token_file.empty()) return "--http-token-file goes with --http, which says where to listen";
    if (args.open) return "--http-open goes with --http, which says where to listen";
    return std::nullopt;
  }
  if (args.open && !args.token_file.empty()) {
    return "--http-open and --http-token-file contradict each other: the one lets everybody look, the other "
           "does not";
  }
  if (args.address->is_loopback() || args.open || !args.token_file.empty()) return std::nullopt;
  return "--http " + args.address->text() +
         " can be reached from other machines: give --http-token-file FILE, so that only who has the token "
         "may look, or "
         "--http-open to let everybody look";
}

}  // namespace tenure::cli
