#include "faults/world.hpp"
#include "support/paths.hpp"

#include "core/base/random.hpp"
#include "runtime/boot_clock.hpp"

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

}  // namespace

World::World(Options options, Journal& journal)
    : options_(std::move(options)),
      journal_(journal),
      register_(directory_.path()),
      target_(http_target::HttpTarget::open().value()) {
  const Crowd& crowd = options_.crowd;
  Words paths;
  for (std::size_t node = 0; node < crowd.servers(); ++node) {
    nodes_.push_back(make_node(crowd, node));
    paths.push_back(nodes_.back()->socket_path());
  }
  if (crowd.instances > 0) {
    node(crowd.data())
        .add_sessions(sessions(), R"({"address": ")" + target_->url(poll_path) + R"(", "interval_ms": )" +
                                      milliseconds(poll_every) + "}");
  }
  proxy_ = std::make_unique<test::Proxy>(paths, test::ProxyOptions{.clients = crowd.clients()});
  for (std::size_t client = 0; client < crowd.clients(); ++client) {
    workers_.emplace_back(
        crowd.name(client), [this, client](std::size_t generation) { return words(client, generation); },
        journal);
  }
}

World::~World() {
  for (auto& worker : workers_) worker.finish();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    journal_.keep("node-" + std::to_string(node + 1), nodes_[node]->log());
  }
}

void World::look() {
  const core::Time now = runtime::boot_now();
  for (auto& worker : workers_) worker.look(now);
}

std::vector<std::string> World::sessions() const {
  Words ids;
  for (std::size_t i = 1; i <= crowd().sessions; ++i) ids.push_back("s-" + std::to_string(i));
  return ids;
}

std::string World::url(std::size_t client, std::size_t node) const {
  return nodes_.at(node)->url(proxy_->address({client, node}).port);
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
      words.insert(words.end(), {"poll", "--json", "--log-level", "info", "--ttl", length});
      if (!crowd().alone()) words.insert(words.end(), {"--data", url(client, crowd().data())});
      command.clear();
  }
  words.insert(words.end(), {"--id", id, "--ttl-max", milliseconds(cap) + "ms", "--node-set", node_set});
  for (std::size_t node = 0; node < crowd().nodes; ++node)
    words.insert(words.end(), {"--store", url(client, node)});
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace tenure::faults
