// What the public handles share: the client, and what it was opened with.
#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/notice.hpp"
#include "runtime/engine/client.hpp"
#include "runtime/store/store.hpp"
#include "runtime/usage.hpp"
#include "tenure/client.hpp"
#include "tenure/lease.hpp"
#include "tenure/refusal.hpp"

namespace tenure::detail {

struct Context {
  std::shared_ptr<const runtime::Store> store;
  std::string id;
  std::string prefix;
  std::string lock_prefix;
  bool diagnose = false;
  runtime::Client client;

  // Of a store that is open already: what it read from files is not read again. The options have been checked.
  static tl::expected<Client, Refusal> open(ClientOptions options,
                                            const std::shared_ptr<const runtime::Store>& store);
};

// One lease in a user's hands.
struct Held {
  std::shared_ptr<Context> context;
  std::string name;
  core::Timing timing;
  runtime::Lease lease;

  static Lease handle(Held held) { return Lease(std::make_unique<Held>(std::move(held))); }
};

Loss loss(core::LossReason reason);
// How a lease of that name was extended or given back, as users see it.
tl::expected<BootClock::time_point, Refusal> extended(const runtime::Calls::Extension& end,
                                                      const std::string& name);
tl::expected<Released, Refusal> released(const core::Released& end, const std::string& name,
                                         core::Duration ttl, const Context& context);
// To whoever does not wait until this has been stopped: the wait was given up, or could not begin.
Refusal still_stopping(const std::string& what, const std::stop_token& give_up);
// With what the ports of failed nodes speak, where ClientOptions::diagnose asks for it.
core::Refusal diagnosed(core::Refusal refusal, const Context& context);
// A refusal of the core, as users see it; diagnosed.
Refusal refusal(core::Refusal refusal, const std::string& name, const Context& context);
// The same for one who waits: the message says for what. Not diagnosed, which would take time.
Refusal waiting(const core::Refusal& why, const std::string& name, const Context& context);
// And for a candidate, who goes on trying: diagnosed, and with a message as of one who waits, unless that is in vain.
Refusal hindered(core::Refusal why, const std::string& name, const Context& context);

}  // namespace tenure::detail
