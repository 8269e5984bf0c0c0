#include "cli/demo/demo_place.hpp"

#include <unistd.h>

#include <fstream>
#include <utility>

#include "cli/message.hpp"
#include "cli/nodes/init.hpp"
#include "cli/nodes/nodes.hpp"
#include "cli/redis_up/server_process.hpp"
#include "core/base/random.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using std::chrono::seconds;

tl::expected<DemoProcess, std::string> start_redis(const redis::Address& address, const fs::path& folder) {
  if (const auto why = no_server_program()) return tl::unexpected(*why);
  const fs::path log = folder / "redis.log";
  std::optional<DemoProcess> process;
  for (const char* program : {"redis-server", "valkey-server"}) {
    auto started = DemoProcess::start({program, "--port", "0", "--unixsocket", address.path, "--save", "",
                                       "--appendonly", "no", "--dir", folder.string()},
                                      log);
    if (!started) continue;
    process = std::move(*started);
    break;
  }
  for (const core::Time until = runtime::boot_now() + seconds(10); process && runtime::boot_now() < until;
       usleep(5'000)) {
    auto caller = redis::Caller::connect(address, seconds(1));
    if (caller && caller->call({"PING"})) return std::move(*process);
  }
  return tl::unexpected("its Redis does not answer; see " + log.string());
}

// All but the addresses, which are in a file, because they may have passwords.
Words words_of(const NodeArgs& nodes) {
  Words words{"--redis-file", nodes.redis_file, "--prefix", nodes.prefix};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--ttl-max", nodes.ttl_max ? core::to_text(*nodes.ttl_max) : "");
  add("--node-set", nodes.node_set);
  add("--tls-ca", nodes.tls.ca_file);
  add("--tls-cert", nodes.tls.certificate_file);
  add("--tls-key", nodes.tls.key_file);
  add("--tls-name", nodes.tls.server_name);
  return words;
}

// Nothing: they would give leases now.
std::optional<CannotBegin> closed(const NodeInspector& nodes) {
  const Readiness ready = nodes.readiness();
  if (ready.is_ready()) return std::nullopt;
  std::string why = ready.text();
  const ClosedNodes closed = nodes.closed_nodes();
  for (const ClosedNode& it : closed.nodes) {
    if (!it.advice.empty()) return CannotBegin{why + it.advice, ExitCode::not_open};
  }
  why.pop_back();  // the end of its last line
  return CannotBegin{std::move(why), closed.nodes.empty() ? ExitCode::no_quorum : ExitCode::not_open};
}

}  // namespace

DemoPlace::DemoPlace(std::string name, Words words, ChosenFleet fleet)
    : name_(std::move(name)), words_(std::move(words)), fleet_(std::move(fleet)), data_(open_data(fleet_)) {
  words_.insert(words_.end(), {"--fleet", fleet_.name});
}

tl::expected<DemoPlace, CannotBegin> DemoPlace::make_private(const fs::path& folder) {
  redis::Address address;
  address.kind = redis::Address::Kind::unix_socket;
  address.path = (folder / "redis.sock").string();
  auto redis = start_redis(address, folder);
  if (!redis) return tl::unexpected(CannotBegin{redis.error()});
  if (init(Nodes{{address}, {}}, [](const std::string&) {}) != number(ExitCode::done)) {
    return tl::unexpected(CannotBegin{"its Redis cannot be made ready"});
  }
  const std::string url = redis::to_text(address);
  auto fleet = choose_fleet({.nodes = {.redis = {url}, .ttl_max = seconds(60)}});
  if (!fleet) return tl::unexpected(CannotBegin{fleet.error()});
  DemoPlace place("A private Redis", {"--redis", url, "--ttl-max", "60s", "--prefix", "tenure:"},
                  std::move(*fleet));
  place.redis_ = std::move(*redis);
  return place;
}

tl::expected<DemoPlace, CannotBegin> DemoPlace::at(NodeArgs nodes, const fs::path& folder) {
  // What is named may be read only once: a file may be a pipe.
  const auto named = named_nodes(nodes);
  if (!named) return tl::unexpected(CannotBegin{named.error(), ExitCode::usage});
  if (!named->addresses.empty() && named->addresses.front().kind == redis::Address::Kind::cluster) {
    return tl::unexpected(
        CannotBegin{"the demonstration does not run on a Redis Cluster, which cannot keep the sessions of a "
                    "fleet: name a single Redis, or call tenure demo without one, which starts its own",
                    ExitCode::usage});
  }
  if (named->warning) say(*named->warning);
  const std::string file = (folder / "nodes").string();
  std::ofstream out(file);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  for (const redis::Address& address : named->addresses) out << redis::whole_url(address) << '\n';
  for (const std::string& url : named->postgres) out << url << '\n';
  for (const std::string& url : named->http) out << url << '\n';
  out.close();
  nodes.redis.clear();
  nodes.redis_file = file;
  Words words = words_of(nodes);
  auto fleet = choose_fleet(
      {.nodes = std::move(nodes), .fleet = "demo-" + runtime::random_from_kernel().hex16().substr(0, 8)});
  if (!fleet) return tl::unexpected(CannotBegin{fleet.error(), ExitCode::usage});
  if (auto why = closed(*fleet->store.inspector)) return tl::unexpected(std::move(*why));
  std::string name = fleet->store.inspector->names().front();
  if (fleet->store.nodes() > 1) name += " and " + std::to_string(fleet->store.nodes() - 1) + " more";
  name += ", with a fleet of its own (" + fleet->name + ")";
  return DemoPlace(std::move(name), std::move(words), std::move(*fleet));
}

std::optional<std::string> DemoPlace::add(const std::vector<Session>& sessions) {
  for (const Session& session : sessions) {
    ids_.push_back(session.id);
    const auto put = data_->put(session.id, poll::write_session(session), {});
    if (!put) return "no session can be written: " + put.error();
  }
  return std::nullopt;
}

std::optional<std::map<std::string, std::string>> DemoPlace::owners() const {
  const auto looked = fleet_.store.inspector->leases(fleet_.leases(), ids_);
  if (!enough(looked.failures, fleet_.store.nodes())) return std::nullopt;
  std::map<std::string, std::string> owners;
  for (std::size_t i = 0; i < ids_.size(); ++i) {
    owners[ids_[i]] = looked.leases[i].holds() ? looked.leases[i].holder.owner : "";
  }
  return owners;
}

std::optional<std::string> DemoPlace::leave() {
  if (redis_) return std::nullopt;  // goes with all that is in it
  const auto forgotten = data_->forget(ids_);
  if (forgotten) return std::nullopt;
  return "what is left of the fleet " + fleet_.name + " could not be removed: " + forgotten.error();
}

}  // namespace tenure::cli
