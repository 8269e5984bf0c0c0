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
              {keyspace.channels(), std::to_string(turn_of_waiter.count()), victim, ""});
}

}  // namespace tenure::redis
