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

tl::expected<std::vector<std::string>, core::Failure> missing_rights(redis::Caller& redis,
                                                                     const UsedKeys& keys) {
  const auto answer = redis.call(redis::rights_call(keys.leases + "tenure-doctor", keys.keyspace));
  if (!answer) {
    if (answer.error().code == core::FailureCode::no_permission) {
      return std::vector<std::string>{"EVAL (what else is missing cannot be seen without it)"};
    }
    return tl::unexpected(answer.error());
  }
  std::vector<std::string> missing;
  for (const auto& item : answer->items) missing.push_back(in_words(item.text, keys));
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
