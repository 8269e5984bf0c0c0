#include "faults/world.hpp"
#include "support/paths.hpp"

#include <unistd.h>

#include <stdexcept>

#include "core/base/random.hpp"
#include "runtime/boot_clock.hpp"
#include "support/nodes.hpp"

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

// Some of a poll's time, so that two at one session would be seen.
constexpr auto poll_path = "/slow/100";
constexpr std::chrono::milliseconds poll_every{4'000};

std::string milliseconds(core::Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

core::Duration hold(const std::string& name, core::Random& random) {
  if (name == short_job) return random.between(50ms, 500ms);
  return name == long_job || random.below(2) == 0 ? random.between(5s, 9s) : random.between(1s, 3s);
}

test::RedisServer::Options server_options(const Crowd& crowd, std::size_t node,
                                          const test::ClockShim& clock) {
  test::RedisServer::Options options;
  options.environment = clock.environment();
  // Then who is kept waiting by a script is told so (BUSY).
  options.arguments = {"--busy-reply-threshold", "500"};
  if (node + 1 == crowd.nodes) {
    for (const char* word : {"--appendonly", "yes", "--appendfsync", "everysec"})
      options.arguments.emplace_back(word);
  }
  return options;
}

// Everybody reaches the nodes by addresses of its own.
const std::string node_set = "faults";

}  // namespace

World::World(Options options, Journal& journal)
    : options_(std::move(options)),
      journal_(journal),
      register_(directory_.path()),
      target_(http_target::HttpTarget::open().value()) {
  const Crowd& crowd = options_.crowd;
  Words paths;
  for (std::size_t node = 0; node <= crowd.nodes; ++node) {
    auto& clock = clocks_.emplace_back();
    auto& server = servers_.emplace_back(server_options(crowd, node, clock));
    if (node != crowd.data()) test::init(server, cap, std::to_string(crowd.nodes) + "-" + node_set);
    paths.push_back(server.socket_path());
  }
  add_sessions();
  proxy_ = std::make_unique<test::Proxy>(paths, test::ProxyOptions{.clients = crowd.clients()});
  for (std::size_t client = 0; client < crowd.clients(); ++client) {
    workers_.emplace_back(
        crowd.name(client), [this, client](std::size_t generation) { return words(client, generation); },
        journal);
  }
}

World::~World() {
  for (auto& worker : workers_) worker.finish();
  for (std::size_t node = 0; node < servers_.size(); ++node) {
    journal_.keep("node-" + std::to_string(node + 1), servers_[node].log());
  }
}

void World::look() {
  const core::Time now = runtime::boot_now();
  for (auto& worker : workers_) worker.look(now);
}

void World::add_sessions() {
  for (std::size_t i = 1; i <= crowd().sessions; ++i) {
    node(crowd().data())
        .command({"SET", "session:s-" + std::to_string(i),
                  R"({"address": ")" + target_->url(poll_path) + R"(", "interval_ms": )" +
                      milliseconds(poll_every) + "}"});
  }
}

std::vector<std::string> World::words(std::size_t client, std::size_t generation) const {
  core::Random random(options_.seed * 1'000'003 + client * 100'003 + generation);
  const std::string id = crowd().name(client) + '.' + std::to_string(generation);
  const std::string length = milliseconds(ttl) + "ms";
  Words words{options_.program};
  const std::string& name = crowd().wants(client);
  Words command{"--", test::paths::fenced_writer, register_.socket_path(), id,
                std::to_string(hold(name, random) / write_rest)};
  switch (crowd().role(client)) {
    case Role::lock:
      words.insert(words.end(), {"run", name, "--ttl", length});
      break;
    case Role::candidate:
      words.insert(words.end(), {"elect", name, "--lease", length});
      break;
    case Role::instance:
      words.insert(words.end(), {"poll", "--json", "--log-level", "info", "--ttl", length, "--data",
                                 proxy_->url({client, crowd().data()})});
      command.clear();
  }
  words.insert(words.end(), {"--id", id, "--ttl-max", milliseconds(cap) + "ms", "--node-set", node_set});
  for (std::size_t node = 0; node < crowd().nodes; ++node)
    words.insert(words.end(), {"--redis", proxy_->url({client, node})});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace tenure::faults
