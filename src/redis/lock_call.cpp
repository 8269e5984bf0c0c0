#include "redis/lock_call.hpp"

namespace tenure::redis {

namespace {

core::Failure misfit(const std::string& what) {
  return {core::Applied::perhaps, core::FailureCode::protocol, "a script's answer does not fit: " + what};
}

Command call(const Script& script, const std::vector<std::string>& keys,
             const std::vector<std::string>& arguments) {
  Command command{"EVAL", std::string(script.body), std::to_string(keys.size())};
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace

Command look_call(const std::vector<std::string>& leases, const Keyspace& keyspace) {
  std::vector<std::string> keys;
  for (const auto& lease : leases) {
    keys.push_back(lease);
    keys.push_back(keyspace.queue(lease));
  }
  return call(look_script, keys, {});
}

tl::expected<std::vector<Sight>, core::Failure> sights(const Value& value, std::size_t leases) {
  if (value.kind != Value::Kind::array || value.items.size() != leases) {
    return tl::unexpected(misfit("look gives an answer for each name"));
  }
  std::vector<Sight> all;
  for (const auto& [kind, integer, text, items] : value.items) {
    if (kind != Value::Kind::array || items.size() != 3 || items[0].kind != Value::Kind::string ||
        items[1].kind != Value::Kind::integer || items[2].kind != Value::Kind::integer) {
      return tl::unexpected(misfit("look gives value, time left and waiters"));
    }
    all.push_back({items[0].text, core::Ttl(items[1].integer), items[2].integer});
  }
  return all;
}

std::string grant_in(const std::string& value) {
  const auto holder = core::read_holder(value);
  // What is no value of ours is all owner.
  return holder.owner == value ? value : value.substr(0, value.rfind('#') + 1);
}

Command break_call(const Breaking& breaking) {
  return call(break_script, {breaking.lease},
              {breaking.victim, breaking.mark.stamp(), std::to_string(breaking.token),
               std::to_string(breaking.block.count())});
}

tl::expected<Broken, core::Failure> broken(const Value& value) {
  if (value.kind == Value::Kind::integer) {
    switch (value.integer) {
      case 1:
        return Broken::broken;
      case 2:
        return Broken::blocked;
      case 0:
        return Broken::absent;
      case -1:
        return Broken::changed;
      default:
        break;
    }
  }
  return tl::unexpected(misfit("break gives 2, 1, 0 or -1"));
}

Command free_call(const std::string& lease, const std::string& victim, const Keyspace& keyspace) {
  return call(release_script, {lease, keyspace.queue(lease)},
              {keyspace.channels(), std::to_string(kept_for_waiter.count()), victim, ""});
}

}  // namespace tenure::redis
