#include "postgres/net/postgres_store.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "core/base/names.hpp"
#include "core/lease/node_set.hpp"
#include "core/nodes.hpp"
#include "postgres/net/caller.hpp"
#include "postgres/net/postgres_node.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/engine/at_once.hpp"
#include "runtime/text/not_open_text.hpp"

namespace tenure::postgres {

namespace {

class PostgresStore : public runtime::Store {
 public:
  explicit PostgresStore(Nodes nodes)
      : Store(nodes.names(), nodes.keyspace.terms()), nodes_(std::move(nodes)) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override {
    return postgres::make_nodes(nodes_.addresses, nodes_.keyspace);
  }

  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    return nodes_.keyspace.root() + prefix + name;
  }

  std::string name_in(std::string key) const override {
    const std::string root = nodes_.keyspace.root();
    if (key.starts_with(root)) key.erase(0, root.size());
    return key;
  }

  tl::expected<std::string, std::string> fleet_keys(const std::string& fleet) const override {
    if (auto error = core::name_error("the fleet's name", fleet)) return tl::unexpected(std::move(*error));
    return nodes_.keyspace.root() + fleet + ":";
  }

  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string& url,
                                                           const Tls& tls) const override {
    if (tls != Tls{}) {
      return tl::unexpected(
          std::string("data_tls is set, and a PostgreSQL is told of TLS by its URL (sslmode)"));
    }
    const Address& first = nodes_.addresses.front();
    if (url.empty()) return runtime::DataPlace{{first.url, {}, !nodes_.several()}, nullptr};
    auto address = parse_url(url);
    if (!address) return tl::unexpected(std::move(address.error()));
    const bool with_leases = !nodes_.several() && address->place == first.place;
    return runtime::DataPlace{{url, {}, with_leases}, make_data_node(*address)};
  }

  runtime::NotOpenText not_open_text(const core::Refusal& refusal, runtime::Patience patience,
                                     std::optional<core::Duration> opens_in) const override {
    if (refusal.record.text == unverified) {
      return {names().front() + ": the server was started at this moment; try again"};
    }
    const runtime::RecordWords words{"PostgreSQL",
                                     "the row " + nodes_.keyspace.prefix + " of the table tenure.record",
                                     std::string(went_back)};
    return runtime::not_open_text(refusal, *this, words, patience, opens_in);
  }

  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return failures;
  }

  runtime::Answers<core::KeyState> look(const std::string& key, core::Duration timeout) const override {
    using Looked = tl::expected<core::KeyState, core::Failure>;
    const core::Request request = core::LookRequest{{key}};
    return ask_all<core::KeyState>(timeout, [&](Caller& server, core::Time deadline) -> Looked {
      const auto rows = server.call(call_of(request, nodes_.keyspace, {}), deadline);
      if (!rows) return tl::unexpected(rows.error());
      auto reply = reply_of(request, *rows);
      if (auto* states = std::get_if<core::KeyStates>(&reply)) return std::move(states->front());
      const auto* failure = std::get_if<core::Failure>(&reply);
      return tl::unexpected(failure != nullptr ? *failure : core::misfit);
    });
  }

  runtime::Answers<core::Duration> ping(core::Duration timeout) const override {
    using Pinged = tl::expected<core::Duration, core::Failure>;
    return ask_all<core::Duration>(timeout, [](Caller& server, core::Time deadline) -> Pinged {
      const core::Time before = runtime::boot_now();
      return server.call({"SELECT 1"}, deadline).map([&](const Rows&) {
        return runtime::boot_now() - before;
      });
    });
  }

 private:
  // All nodes at the same time, each over a connection of its own.
  template <class Answer, class Ask>
  runtime::Answers<Answer> ask_all(core::Duration timeout, const Ask& ask) const {
    const core::Time deadline = runtime::boot_now() + timeout;
    runtime::Answers<Answer> answers(nodes_.addresses.size());
    runtime::at_once(answers.size(), [&](std::size_t i) {
      auto server = Caller::connect(nodes_.addresses[i], timeout);
      if (server) {
        answers[i] = ask(*server, deadline);
      } else {
        answers[i] = tl::unexpected(server.error());
      }
    });
    return answers;
  }

  Nodes nodes_;
};

}  // namespace

std::vector<std::string> Nodes::names() const {
  std::vector<std::string> names;
  for (const Address& address : addresses) names.push_back(address.name);
  return names;
}

tl::expected<std::vector<Address>, std::string> parse_addresses(const std::vector<std::string>& urls) {
  if (urls.empty()) return tl::unexpected(std::string("no node is given"));
  if (urls.size() > core::nodes_max) {
    return tl::unexpected(std::to_string(urls.size()) + " nodes are too many; the most is " +
                          std::to_string(core::nodes_max));
  }
  std::vector<Address> addresses;
  for (const std::string& url : urls) {
    auto address = parse_url(url);
    if (!address) return tl::unexpected(std::move(address.error()));
    const auto same = std::ranges::find(addresses, address->place, &Address::place);
    if (same != addresses.end()) {
      return tl::unexpected(address->name + " is given twice; every node must be a PostgreSQL of its own");
    }
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

std::string node_set(const std::vector<Address>& addresses, const std::string& name) {
  std::vector<std::string> places;
  for (const Address& address : addresses) places.push_back(address.place);
  return core::node_set(std::move(places), name);
}

std::shared_ptr<const runtime::Store> store_of(Nodes nodes) {
  return std::make_shared<const PostgresStore>(std::move(nodes));
}

tl::expected<Nodes, std::string> nodes_of(const ClientOptions& options) {
  if (auto error = core::name_error("the prefix", options.prefix)) return tl::unexpected(std::move(*error));
  if (auto error = core::node_set_error(options.node_set)) return tl::unexpected(std::move(*error));
  if (options.tls != Tls{}) {
    return tl::unexpected(
        std::string("TLS is set up, and a PostgreSQL is told of it by its URL (sslmode, sslrootcert)"));
  }
  auto addresses = parse_addresses(options.nodes);
  if (!addresses) return tl::unexpected(std::move(addresses.error()));
  Nodes nodes{std::move(*addresses), {options.prefix, options.ttl_max, {}}};
  nodes.keyspace.set = node_set(nodes.addresses, options.node_set);
  return nodes;
}

tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options) {
  return nodes_of(options).map([](Nodes&& nodes) { return store_of(std::move(nodes)); });
}

}  // namespace tenure::postgres
