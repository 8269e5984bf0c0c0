#include "support/cluster_records.hpp"

#include <chrono>
#include <stdexcept>
#include <vector>

#include "redis/cluster/slot.hpp"
#include "redis/script_call.hpp"

namespace tenure::test {

namespace {

// One call for each slot would take seconds. All slots of a server are of one life, so that one record does for all of them.
constexpr auto copy_script = R"(#!lua flags=allow-cross-slot-keys
for i = 3, #ARGV, 2 do
  redis.call('SET', ARGV[i], ARGV[1])
  redis.call('SET', ARGV[i + 1], ARGV[2])
end
return #ARGV)";

}  // namespace

void init(RedisCluster& cluster, core::Ttl cap, const std::string& set) {
  redis::Keyspace keyspace;
  keyspace.cap = cap;
  keyspace.set = set;
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    RedisServer& server = cluster.server(i);
    std::vector<redis::Slot> served;
    for (const redis::Value& range : server.command({"CLUSTER", "SLOTS"}).items) {
      if (range.items.at(2).items.at(2).text != cluster.id(i)) continue;
      for (auto slot = range.items[0].integer; slot <= range.items[1].integer; ++slot)
        served.push_back(static_cast<redis::Slot>(slot));
    }
    if (served.empty()) continue;
    const redis::Keyspace first = keyspace.of_slot(served.front());
    const auto made = server.command(redis::init_call({"0123456789abcdef", wall_ms}, first));
    if (made.items.empty() || made.items[0].text != "made") throw std::runtime_error("init: " + made.text);
    std::vector<std::string> copy{"EVAL", copy_script, "0", server.command({"GET", first.record()}).text,
                                  server.command({"GET", first.fence()}).text};
    for (const redis::Slot slot : served) {
      copy.push_back(keyspace.of_slot(slot).record());
      copy.push_back(keyspace.of_slot(slot).fence());
    }
    const auto copied = server.command(copy);
    if (copied.kind != redis::Value::Kind::integer) throw std::runtime_error("init: " + copied.text);
  }
}

}  // namespace tenure::test
