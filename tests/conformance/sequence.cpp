#include "sequence.hpp"

#include "core/record.hpp"
#include "core/text.hpp"

namespace tenure::conformance {

namespace {

std::string record_of(core::Ttl cap) { return core::admission(cap) + "0123456789abcdef a-life"; }

}  // namespace

std::string Sequence::begin() {
  twins_.reset();
  if (chance(10)) return "";  // a Redis without a record
  return init();
}

std::string Sequence::step() {
  const auto dice = random_.below(100);
  std::string differs = dice < 34   ? acquire()
                        : dice < 52 ? renew()
                        : dice < 66 ? release()
                        : dice < 80 ? edit()
                        : dice < 83 ? edit_bookkeeping()
                        : dice < 88 ? init()
                        : dice < 90 ? compare({"SCRIPT", "FLUSH"})
                                    : wait();
  return differs.empty() ? twins_.compare_data() : differs;
}

std::string Sequence::acquire() {
  Attempt& chosen = attempt();
  const core::Ttl cap = chance(4) ? core::Ttl(30'000) : names_.cap;
  const std::string before = twins_.text(chosen.key);
  std::string differs = call(redis::acquire_script, {chosen.key, names_.record(), names_.fence()},
                             {core::admission(cap), chosen.grant.stamp(), ttl()});
  const std::string after = twins_.text(chosen.key);
  if (after != before && after.starts_with(chosen.grant.stamp())) chosen.value = after;
  return differs;
}

std::string Sequence::renew() {
  std::vector<std::string> keys;
  std::vector<std::string> values{ttl()};
  for (auto count = 1 + random_.below(8); count > 0; --count) {
    keys.push_back(any_key());
    values.push_back(any_value(keys.back()));
  }
  return call(redis::renew_script, std::move(keys), std::move(values));
}

std::string Sequence::release() {
  std::vector<std::string> keys;
  std::vector<std::string> stamps;
  for (auto count = chance(70) ? 1 : 1 + random_.below(4); count > 0; --count) {
    keys.push_back(any_key());
    stamps.push_back(any_stamp(keys.back()));
  }
  return call(redis::release_script, std::move(keys), std::move(stamps));
}

std::string Sequence::init() {
  const redis::Command command{"EVAL",
                               std::string(redis::init_script.body),
                               "2",
                               names_.record(),
                               names_.fence(),
                               record_of(names_.cap)};
  told_ = shown(command);
  return twins_.compare_init(command, names_);
}

std::string Sequence::edit() {
  const std::string key = any_key();
  const std::string foreign =
      one_of<std::string>({"", "by hand", "a#b", "x#y#z", std::string("\0\r\n\xff", 4)});
  switch (random_.below(14)) {
    case 0:
      return compare({"SET", key, foreign});
    case 1:
      return compare({"SET", key, foreign, "PX", ttl()});
    case 2:
      return compare({"set", key, any_value(key), "xx", "get", "keepttl"});
    case 3:
      return compare({"SET", key, foreign, "NX", "GET", "PX", ttl()});
    case 4:
      return compare({"SET", key, foreign, "XX", "NX"});
    case 5:
    case 6:
      return compare({"DEL", key, any_key()});
    case 7:
    case 8:
      return compare({"LPUSH", key, "a", "b"});
    case 9:
      return compare({"PEXPIRE", key, ttl()});
    case 10:
      return compare({"PTTL", key});
    case 11:
      return compare({"MGET", key, names_.record(), any_key()});
    case 12:
      return compare({"EXISTS", key, key, any_key()});
    default:
      return compare({"INCR", key});
  }
}

// The fence beyond 2^53, at its end, not a number; the record gone, closed, of another type.
std::string Sequence::edit_bookkeeping() {
  const std::string record = names_.record();
  const std::string fence = names_.fence();
  const auto commands = std::vector<redis::Command>{
      {"SET", fence, "9007199254740992"},
      {"SET", fence, "9223372036854775806"},
      {"SET", fence, "not a number"},
      {"DEL", fence},
      {"DEL", record},
      {"DEL", record, fence},
      {"SET", record, "quarantined 60000 0123456789abcdef a-life 1"},
      {"SET", record, record_of(names_.cap) + " 1"},
      {"DEL", record, fence},
      {"LPUSH", one_of<std::string>({record, fence}), "a"},
  };
  return compare(one_of(commands));
}

std::string Sequence::wait() {
  // TTLs end five seconds off these steps: no moment of real time decides what has expired.
  const std::chrono::seconds duration{10 * (1 + static_cast<std::int64_t>(random_.below(4)))};
  told_ = "wait " + core::shown(duration);
  twins_.step(duration);
  return "";
}

std::string Sequence::call(const redis::Script& script, std::vector<std::string> keys,
                           std::vector<std::string> values) {
  redis::Command command{"EVALSHA", std::string(script.sha1), std::to_string(keys.size())};
  command.insert(command.end(), keys.begin(), keys.end());
  command.insert(command.end(), values.begin(), values.end());
  if (chance(2)) command.resize(command.size() - 1);  // an argument too few
  if (auto differs = compare(command); !differs.empty()) return differs;
  // A second time, by its body: what NOSCRIPT is recovered by, and otherwise a repeat of the request.
  if (chance(40)) return "";
  command[0] = "EVAL";
  command[1] = script.body;
  return compare(command);
}

std::string Sequence::compare(const redis::Command& command) {
  told_ = shown(command);
  return twins_.compare(command);
}

Sequence::Attempt& Sequence::attempt() {
  if (!attempts_.empty() && chance(45)) return attempts_[random_.below(attempts_.size())];
  const std::string owner = "web-" + std::to_string(random_.below(3));
  attempts_.push_back({any_key(), core::Grant(owner, random_.hex16()), {}});
  return attempts_.back();
}

std::string Sequence::any_key() {
  return one_of<std::string>(
      {"redlock:a", "redlock:b", "redlock:c", "redlock:{d}", std::string("redlock:\0e ", 11)});
}

// Mostly what is there now, or was granted once.
std::string Sequence::any_value(const std::string& key) {
  if (chance(55)) return twins_.text(key);
  if (!attempts_.empty() && chance(80)) return one_of(attempts_).value;
  return twins_.text(key) + one_of<std::string>({"0", " ", "#"});
}

std::string Sequence::any_stamp(const std::string& key) {
  const std::string value = twins_.text(key);
  if (chance(55)) return value.substr(0, value.rfind('#') + 1);
  if (!attempts_.empty() && chance(80)) return one_of(attempts_).grant.stamp();
  return one_of<std::string>({"", "web-0#", value, value + "1"});
}

std::string Sequence::ttl() {
  if (chance(94)) return one_of<std::string>({"15000", "25000", "35000", "55000", "95000"});
  return one_of<std::string>(
      {"0", "-5", "1.5", "015000", "", "many", "9223372036854775807", "9223372036854775808"});
}

}  // namespace tenure::conformance
