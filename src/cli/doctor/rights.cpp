#include "cli/doctor/rights.hpp"

#include <map>

#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// "<command> <on what>", as the script says it.
std::string in_words(const std::string& refused, const UsedKeys& keys) {
  const auto space = refused.find(' ');
  const std::string command = core::printable(refused.substr(0, space), 40);
  const std::string what = space == std::string::npos ? "-" : refused.substr(space + 1);
  const std::map<std::string, std::string> where{
      {"lease", " on " + keys.leases + "*"},
      {"record", " on " + keys.keyspace.record()},
      {"fence", " on " + keys.keyspace.fence()},
      {"queue", " on " + keys.keyspace.queue("") + "*"},
      {"channel", " on the channels " + keys.keyspace.channels() + "*"},
  };
  const auto found = where.find(what);
  return found == where.end() ? command : command + found->second;
}

}  // namespace

tl::expected<Missing, core::Failure> ask_missing(redis::Caller& redis, const UsedKeys& keys) {
  const auto answer = redis.call(redis::rights_call(keys.leases + "tenure-doctor", keys.keyspace));
  if (!answer) {
    const std::string eval = "EVAL (what else is missing cannot be seen without it)";
    if (answer.error().code == core::FailureCode::no_permission) return Missing{.rights = {eval}};
    if (answer.error().code == core::FailureCode::unsupported) return Missing{.commands = {eval}};
    return tl::unexpected(answer.error());
  }
  Missing missing;
  for (const auto& item : answer->items) {
    constexpr std::string_view unknown = " unknown";
    if (item.text.ends_with(unknown)) {
      missing.commands.push_back(core::printable(item.text.substr(0, item.text.size() - unknown.size()), 40));
    } else {
      missing.rights.push_back(in_words(item.text, keys));
    }
  }
  return missing;
}

std::string rights_needed(const UsedKeys& keys) {
  const std::string own = keys.keyspace.prefix;
  const std::string leases = keys.leases.starts_with(own) ? "" : "~" + keys.leases + "* ";
  return leases + "~" + own + "* &" + keys.keyspace.channels() +
         "* +eval +evalsha +get +mget +set +incr +pexpire +pttl +del +lpos +rpush +lrem +lindex +llen +lpop "
         "+publish +subscribe +info +time +ping";
}

}  // namespace tenure::cli
