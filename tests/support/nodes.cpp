#include "support/nodes.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <stdexcept>

#include "redis/node_set.hpp"
#include "redis/script_call.hpp"

namespace tenure::test {

void init(RedisServer& server, core::Ttl cap, const std::string& set) {
  redis::Keyspace keyspace;
  keyspace.cap = cap;
  keyspace.set = set;
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto wall_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wall).count();
  // Any epoch will do here: the record is the first of this server.
  const auto made = server.command(redis::init_call({"0123456789abcdef", wall_ms}, keyspace));
  if (made.items.empty() || made.items[0].text != "made") {
    throw std::runtime_error("init: " + made.text + (made.items.size() > 1 ? made.items[1].text : ""));
  }
}

Nodes::Nodes(std::size_t count, core::Ttl cap, const RedisServer::Options& options)
    : Nodes(std::vector<RedisServer::Options>(count, options), cap) {}

Nodes::Nodes(const std::vector<RedisServer::Options>& each, core::Ttl cap) : cap_(cap) {
  for (const auto& options : each) servers_.emplace_back(options);
  for (auto& server : servers_) init(server, cap, set());
}

std::string Nodes::set() const { return redis::node_set(addresses()); }

std::vector<redis::Address> Nodes::addresses(std::string_view user_info) const {
  std::vector<redis::Address> addresses;
  for (const auto& server : servers_) addresses.push_back(redis::parse_url(server.url(user_info)).value());
  return addresses;
}

std::vector<std::string> Nodes::values(const std::string& key) {
  std::vector<std::string> values;
  for (auto& server : servers_) values.push_back(server.command({"GET", key}).text);
  return values;
}

bool Nodes::all_show(const std::string& key, const std::string& value) {
  return std::ranges::all_of(values(key), [&](const std::string& it) { return it == value; });
}

bool Nodes::none_has(const std::string& key) {
  return std::ranges::all_of(
      servers_, [&](RedisServer& server) { return server.command({"EXISTS", key}).integer == 0; });
}

std::size_t Nodes::enrolled(const std::string& key) {
  std::map<std::string, std::size_t> places;
  for (auto& server : servers_) {
    for (const auto& ticket : tickets(server, key)) places[ticket] += 1;
  }
  const auto most = [&](const auto& it) { return it.second > servers_.size() / 2; };
  return static_cast<std::size_t>(std::ranges::count_if(places, most));
}

std::string record_state(RedisServer& server) {
  std::istringstream record(server.command({"GET", redis::Keyspace{}.record()}).text);
  std::string cap;
  std::string set;
  std::string epoch;
  std::string state;
  record >> cap >> set >> epoch >> state;
  return state;
}

std::vector<std::string> tickets(RedisServer& server, const std::string& key) {
  std::vector<std::string> tickets;
  for (const auto& item : server.command({"LRANGE", redis::Keyspace{}.queue(key), "0", "-1"}).items) {
    tickets.push_back(item.text);
  }
  return tickets;
}

std::int64_t calls_of(RedisServer& server, const std::string& command) {
  const std::string stats = server.command({"INFO", "commandstats"}).text;
  const std::string start = "cmdstat_" + command + ":calls=";
  const auto found = stats.find(start);
  return found == std::string::npos ? 0 : std::stoll(stats.substr(found + start.size()));
}

}  // namespace tenure::test
