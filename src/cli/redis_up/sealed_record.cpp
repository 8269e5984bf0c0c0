#include "cli/redis_up/sealed_record.hpp"

#include <array>
#include <utility>

#include "cli/doctor/server_info.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

namespace {

using redis::Command;
using redis::Value;

// Longer than a server is waited for to end.
const std::string pause_ms = std::to_string(std::chrono::milliseconds(write_pause).count());

// One word of the record for another. Nothing unless it is there once.
std::optional<std::string> replaced(std::string record, const std::string& word, const std::string& by) {
  const std::string in_blanks = " " + word + " ";
  const auto at = record.find(in_blanks);
  if (at == std::string::npos || record.find(word, at + in_blanks.size() - 1) != std::string::npos)
    return std::nullopt;
  return record.replace(at + 1, word.size(), by);
}

// Nothing while it has a master or replicas: those may have been given leases that it does not know of.
std::optional<std::string> life_of(redis::Caller& redis) {
  const auto info = ask_info(redis, {"server", "replication"});
  if (!info || info->field("role") != "master" || info->field("connected_slaves") != "0") return std::nullopt;
  return info->life();
}

// What stands there, to be replaced by replace() only if it is still the same then.
std::optional<std::string> watch(redis::Caller& redis, const std::string& key) {
  const std::array commands{Command{"WATCH", key}, Command{"GET", key}};
  auto answers = redis.call_all(commands);
  if (!answers || answers->at(0).kind == Value::Kind::error || answers->at(1).kind != Value::Kind::string) {
    return std::nullopt;
  }
  return std::move(answers->at(1).text);
}

bool replace(redis::Caller& redis, const std::string& key, const std::string& record,
             std::optional<Command> as_well = std::nullopt) {
  std::vector<Command> commands{{"MULTI"}, {"SET", key, record}};
  if (as_well) commands.push_back(std::move(*as_well));
  commands.push_back({"EXEC"});
  const auto answers = redis.call_all(commands);
  if (!answers) return false;
  const Value& done = answers->back();
  if (done.kind != Value::Kind::array || done.items.empty()) return false;
  for (const Value& item : done.items) {
    if (item.kind == Value::Kind::error) return false;
  }
  return true;
}

}  // namespace

std::optional<SealedRecord> seal_record(redis::Caller& redis, const redis::Keyspace& keyspace) {
  const auto record = watch(redis, keyspace.record());
  const auto life = life_of(redis);
  if (!record || !life) return std::nullopt;
  core::Random random = runtime::random_from_kernel();
  const std::string seal = "sealed-" + random.hex16() + random.hex16();
  const auto text = replaced(*record, *life, seal);
  if (!text) return std::nullopt;
  // Together: nothing can be written between the seal and the pause.
  if (!replace(redis, keyspace.record(), *text, Command{"CLIENT", "PAUSE", pause_ms, "WRITE"}))
    return std::nullopt;
  return SealedRecord{*text, seal, *record};
}

void take_seal_back(redis::Caller& redis, const redis::Keyspace& keyspace, const SealedRecord& sealed) {
  if (!redis.call({"CLIENT", "UNPAUSE"})) return;
  if (watch(redis, keyspace.record()) == sealed.text) replace(redis, keyspace.record(), sealed.before);
}

bool break_seal(redis::Caller& redis, const redis::Keyspace& keyspace, const SealedRecord& sealed) {
  if (watch(redis, keyspace.record()) != sealed.text) return false;
  const auto life = life_of(redis);
  const auto text = life ? replaced(sealed.text, sealed.seal, *life) : std::nullopt;
  return text && replace(redis, keyspace.record(), *text);
}

}  // namespace tenure::cli
