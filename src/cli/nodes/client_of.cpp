#include "cli/nodes/client_of.hpp"

#include <utility>

#include "api/context.hpp"
#include "cli/descriptors.hpp"
#include "cli/log.hpp"
#include "cli/message.hpp"

namespace tenure::cli {

ClientOptions client_of(const ChosenStore& store, const std::string& id) {
  ClientOptions options;
  options.id = id;
  options.ttl_max = store.cap();
  options.prefix = store.prefix;
  options.log_level = client_log_level();
  options.on_log = [](const LogLine& line) { log(line); };
  return options;
}

tl::expected<Client, Refusal> open_client(const ChosenStore& store, ClientOptions options) {
  return detail::Context::open(std::move(options), store.store);
}

int fail_at_start(const Refusal& refusal) {
  if (refusal.code != Refusal::Code::system) return fail(ExitCode::usage, refusal, refusal.message);
  return fail(ExitCode::own_error, refusal, lack_of_descriptors(1).value_or(refusal.message));
}

}  // namespace tenure::cli
