#include <chrono>
#include <string>
#include <utility>

#include "cli/http_store/http_store.hpp"
#include "cli/http_store/outside.hpp"
#include "cli/lock/lock_plan.hpp"
#include "cli/message.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "cli/nodes/init_nodes.hpp"
#include "consul/net/caller.hpp"
#include "consul/net/place.hpp"
#include "consul/net/view.hpp"
#include "core/base/text.hpp"
#include "kubernetes/url.hpp"

namespace tenure::cli {

namespace {

constexpr core::Duration patience = std::chrono::seconds(5);

tl::expected<ClientOptions, std::string> options_of(const NodeArgs& args) {
  auto named = named_nodes(args);
  if (!named) return tl::unexpected(std::move(named.error()));
  return http_store_options(args, std::move(*named));
}

class InitConsul : public InitNodes {
 public:
  explicit InitConsul(consul::Place place)
      : InitNodes({place.address.name()}, place.terms, "Consul"), place_(std::move(place)) {}

  tl::expected<core::FoundRecord, core::Failure> see(std::size_t /*node*/) override {
    return consul::record_of(place_, patience);
  }
  tl::expected<Made, core::Failure> make(std::size_t /*node*/) override {
    const auto made = consul::Caller(place_, patience).init();
    if (!made) return tl::unexpected(made.error());
    auto record = consul::record_of(place_, patience);
    if (!record) return tl::unexpected(std::move(record.error()));
    return Made{*made, std::move(*record)};
  }
  std::string wait_text(std::size_t /*node*/) override { return ""; }

 private:
  consul::Place place_;
};

}  // namespace

int http_store_init(const InitArgs& args) {
  const auto options = options_of(args.nodes);
  if (!options) return fail(ExitCode::usage, options.error());
  if (args.print_sql) return fail(ExitCode::usage, "--print-sql is for PostgreSQL");
  if (kubernetes::is_url(options->nodes.front())) {
    return fail(
        ExitCode::usage,
        "Kubernetes needs no tenure init: Leases are objects that it has already; what may be done with "
        "them is said by deploy/kubernetes/leases-role.yaml, and tenure doctor tells what is missing");
  }
  auto place = consul::place_of(*options);
  if (!place) return fail(ExitCode::usage, place.error());
  InitConsul consul(std::move(*place));
  return init_all(consul);
}

int http_store_reconfigure(const ReconfigureArgs& args) {
  const auto options = options_of(args.nodes);
  if (!options) return fail(ExitCode::usage, options.error());
  return fail(
      ExitCode::usage,
      "a Kubernetes or a Consul is one node for Tenure, so that there is no set of nodes to change; its "
      "servers come and go by its own means");
}

int http_store_lock_break(const LockBreakArgs& args) {
  const auto store = lock_store(args.target, args.name);
  if (!store) return fail(ExitCode::usage, store.error());
  const auto options = options_of(args.target.nodes);
  if (!options) return fail(ExitCode::usage, options.error());
  const auto outside = outside_of(*options);
  if (!outside) return fail(ExitCode::usage, outside.error());
  const std::string key = store->store->lock_key(args.target.lock_prefix, args.name).value();
  return fail(ExitCode::usage, "tenure does not break leases in " + (*outside)->kind() +
                                   ", which cannot be told to keep a name until its holder has noticed: " +
                                   (*outside)->how_to_break(key) +
                                   " ends it, and whoever had it may go on until its next renewal fails");
}

}  // namespace tenure::cli
