// What the public handles share: the client, and what it was opened with.
#pragma once

#include <string>

#include "core/notice.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/engine/client.hpp"
#include "runtime/usage.hpp"
#include "tenure/lease.hpp"
#include "tenure/refusal.hpp"

namespace tenure::detail {

struct Context {
  redis::Nodes nodes;
  std::string id;
  std::string lock_prefix;
  runtime::Client client;
};

// One lease in a user's hands.
struct Held {
  std::shared_ptr<Context> context;
  std::string name;
  runtime::Lease lease;

  static Lease handle(Held held) { return Lease(std::make_unique<Held>(std::move(held))); }
};

Loss loss(core::LossReason reason);
// A refusal of the core, as users see it.
Refusal refusal(const core::Refusal& refusal, const std::string& name, const Context& context);

}  // namespace tenure::detail
