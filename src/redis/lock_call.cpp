#include "redis/lock_call.hpp"

#include <tuple>

#include "redis/grant_text.hpp"

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

std::string grant_in(const std::string& value) {
  const auto holder = read_holder(value);
  // What is no value of ours is all owner.
  return holder.owner == value ? value : value.substr(0, value.rfind('#') + 1);
}

Command break_call(const Breaking& breaking) {
  return call(break_script, {breaking.lease},
              {breaking.victim, stamp(breaking.mark), std::to_string(breaking.token),
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

Command find_leases_call(std::span<const std::string> keys) {
  return call(find_leases_script, {}, {keys.begin(), keys.end()});
}

tl::expected<FoundLeases, core::Failure> found_leases(const Value& value, std::size_t keys) {
  using Kind = Value::Kind;
  const auto& items = value.items;
  if (value.kind != Kind::array || items.size() % 3 != 1 || items[0].kind != Kind::integer ||
      items[0].integer < 0) {
    return tl::unexpected(misfit("find_leases gives a number, and three things for each lease"));
  }
  FoundLeases found{.hidden = static_cast<std::size_t>(items[0].integer)};
  for (std::size_t i = 1; i < items.size(); i += 3) {
    const auto& [place, text, left] = std::tie(items[i], items[i + 1], items[i + 2]);
    const bool fits = place.kind == Kind::integer && place.integer >= 1 &&
                      static_cast<std::uint64_t>(place.integer) <= keys && text.kind == Kind::string &&
                      left.kind == Kind::integer;
    if (!fits) return tl::unexpected(misfit("find_leases gives a place, a value and a time for each lease"));
    found.leases.push_back(
        {static_cast<std::size_t>(place.integer) - 1, {text.text, core::Ttl(left.integer)}});
  }
  return found;
}

Command free_call(const std::string& lease, const std::string& victim, const Keyspace& keyspace) {
  return call(release_script, {lease, keyspace.queue(lease)},
              {keyspace.channels(), std::to_string(turn_of_waiter.count()), victim});
}

}  // namespace tenure::redis
