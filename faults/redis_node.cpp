#include "faults/redis_node.hpp"

#include <stdexcept>

#include "redis/grant_text.hpp"
#include "support/nodes.hpp"
#include "support/wait.hpp"

namespace tenure::faults {

namespace {

using Words = std::vector<std::string>;

test::RedisServer::Options options_of(const Crowd& crowd, std::size_t node, const test::ClockShim& clock) {
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

}  // namespace

RedisNode::RedisNode(const Crowd& crowd, std::size_t node) : server_(options_of(crowd, node, clock_)) {
  if (node != crowd.data()) test::init(server_, cap, crowd.node_set_text());
}

void RedisNode::begin(const Fault& fault) {
  switch (fault.kind) {
    case Kind::step_back:
      return clock_.step(-clock_step);
    case Kind::step_forward:
      return;  // at its end
    case Kind::fill:
      server_.command({"CONFIG", "SET", "maxmemory", "1"});
      return;
    case Kind::forget_scripts:
      server_.command({"SCRIPT", "FLUSH", "SYNC"});
      return;
    case Kind::block:
      return block();
    default:
      throw std::logic_error("this does not happen to Redis");
  }
}

void RedisNode::end(const Fault& fault) {
  switch (fault.kind) {
    case Kind::step_forward:
      return clock_.step(clock_step);
    case Kind::fill:
      server_.command({"CONFIG", "SET", "maxmemory", "0"});
      return;
    case Kind::block:
      return unblock();
    default:
      return;  // it had no length
  }
}

void RedisNode::block() {
  blocking_ = std::make_unique<test::RedisConnection>(socket_path());
  blocking_->send({"EVAL", "while true do end", "0"});
}

void RedisNode::unblock() {
  const auto ended = [&] { return server_.command({"SCRIPT", "KILL"}).text == "OK"; };
  if (!test::wait_until(ended)) throw std::runtime_error("a script that blocks a node cannot be killed");
  blocking_.reset();
}

std::vector<Shown> RedisNode::shown(const std::vector<std::string>& names) {
  constexpr auto script = R"(
    local all = {}
    for i, key in ipairs(KEYS) do
      all[2 * i - 1] = redis.call('GET', key) or ''
      all[2 * i] = redis.call('PTTL', key)
    end
    return all)";
  Words words{"EVAL", script, std::to_string(names.size())};
  words.insert(words.end(), names.begin(), names.end());
  const auto values = server_.command(words).items;
  if (values.size() != 2 * names.size()) throw std::runtime_error("a node does not show its leases");
  std::vector<Shown> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& value = values[2 * i].text;
    const auto holder = redis::read_holder(value);
    const bool held = !holder.waits && holder.token != 0;
    all.push_back(held ? Shown{value, holder.owner, std::chrono::milliseconds(values[2 * i + 1].integer)}
                       : Shown{});
  }
  return all;
}

bool RedisNode::remove(const std::string& name, const Shown& lease) {
  constexpr auto script = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1])";
  return server_.command({"EVAL", script, "1", name, lease.grant}).integer == 1;
}

void RedisNode::add_sessions(const std::vector<std::string>& ids, const std::string& text) {
  for (const auto& id : ids) server_.command({"SET", "session:" + id, text});
}

Node::Results RedisNode::results(const std::vector<std::string>& ids) const {
  return [ids, path = socket_path(), redis = std::shared_ptr<test::RedisConnection>()]() mutable {
    try {
      if (!redis) redis = std::make_shared<test::RedisConnection>(path);
      for (const auto& id : ids) redis->send({"HGET", "state:" + id, "token"});
      std::vector<core::Token> tokens;
      for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::string text = redis->receive().text;
        tokens.push_back(text.empty() ? 0 : std::stoull(text));
      }
      return tokens;
    } catch (...) {
      redis.reset();  // a late reply must not answer the next question
      throw;
    }
  };
}

}  // namespace tenure::faults
