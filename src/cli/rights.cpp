#include "cli/rights.hpp"

#include <map>

#include "core/text.hpp"

namespace tenure::cli {

namespace {

// "<command> <on what>", as the script says it.
std::string in_words(const std::string& refused, const Ground& ground) {
  const auto space = refused.find(' ');
  const std::string command = core::printable(refused.substr(0, space), 40);
  const std::string what = space == std::string::npos ? "-" : refused.substr(space + 1);
  const std::map<std::string, std::string> where{
      {"lease", " on " + ground.leases + "*"},
      {"record", " on " + ground.keyspace.record()},
      {"fence", " on " + ground.keyspace.fence()},
      {"queue", " on " + ground.keyspace.queue("") + "*"},
      {"channel", " on the channels " + ground.keyspace.channels() + "*"},
  };
  const auto found = where.find(what);
  return found == where.end() ? command : command + found->second;
}

}  // namespace

tl::expected<std::vector<std::string>, core::Failure> missing_rights(runtime::Caller& redis,
                                                                     const Ground& ground) {
  const auto answer = redis.call(redis::rights_call(ground.leases + "tenure-doctor", ground.keyspace));
  if (!answer) {
    if (answer.error().code == core::FailureCode::no_permission) {
      return std::vector<std::string>{"EVAL (what else is missing cannot be seen without it)"};
    }
    return tl::unexpected(answer.error());
  }
  std::vector<std::string> missing;
  for (const auto& item : answer->items) missing.push_back(in_words(item.text, ground));
  return missing;
}

std::string rights_needed(const Ground& ground) {
  const std::string own = ground.keyspace.prefix;
  const std::string leases = ground.leases.starts_with(own) ? "" : "~" + ground.leases + "* ";
  return leases + "~" + own + "* &" + ground.keyspace.channels() +
         "* +eval +evalsha +get +mget +set +incr +pexpire +pttl +del +lpos +rpush +lrem +lindex +llen +lpop "
         "+publish +subscribe +info +time +ping";
}

}  // namespace tenure::cli
