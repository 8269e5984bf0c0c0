#include "sequence.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/text.hpp"
#include "core/lease/grant.hpp"
#include "redis/grant_text.hpp"

namespace tenure::conformance {

namespace {

using Kind = redis::Value::Kind;

const std::string channels = "tenure:wake:";
const std::string state = "job:state";
// Half a grid step off the waits: no moment of real time decides whether a quarantine is over.
constexpr std::chrono::milliseconds cap_used{62'500};

std::string queue_of(const std::string& lease) { return "tenure:queue:" + lease; }

std::string admission_of(const std::string& cap, const std::string& set, const std::string& epoch) {
  return cap + " " + set + " " + epoch + " ";
}

// "<owner>#<nonce>#" and what follows it.
std::string stamp_in(const std::string& value) { return value.substr(0, value.rfind('#') + 1); }
std::string token_in(const std::string& value) { return value.substr(value.rfind('#') + 1); }

// The words of a record, or of what stands there instead.
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all(1);
  for (const char letter : text) {
    if (letter == ' ') {
      all.emplace_back();
    } else {
      all.back() += letter;
    }
  }
  return all;
}

std::string state_in(const std::string& record) {
  const auto all = words(record);
  return all.size() >= 9 ? all[3] : "no record";
}

// One word for a kind of answer.
std::string outcome(const redis::Value& answer) {
  switch (answer.kind) {
    case Kind::error:
      return answer.text.starts_with("NOSCRIPT") ? "not loaded" : "error";
    case Kind::integer:
      return answer.integer > 1 ? "token" : std::to_string(answer.integer);
    case Kind::string:
      return answer.text == "restored" ? answer.text : state_in(answer.text);
    default:
      return "nothing";
  }
}

}  // namespace

Sequence::Sequence(Twins& twins, std::uint64_t seed, Tally& tally)
    : twins_(twins), random_(seed), tally_(tally) {
  names_.cap = cap_used;
}

std::string Sequence::begin() {
  twins_.reset();
  for (const char* owner : {"web-0", "web-1", "web-2", "web-3"}) {
    if (chance(50)) twins_.listen(channels + owner);
  }
  if (chance(10)) return "";  // a Redis without a record
  return chance(80) ? init() : admit();
}

std::string Sequence::step() {
  const auto dice = random_.below(100);
  std::string differs = dice < 30   ? acquire()
                        : dice < 36 ? confirm()
                        : dice < 44 ? renew()
                        : dice < 58 ? release()
                        : dice < 65 ? reassert()
                        : dice < 70 ? admit()
                        : dice < 74 ? open()
                        : dice < 75 ? init()
                        : dice < 76 ? reconfigure()
                        : dice < 78 ? publish_result()
                        : dice < 80 ? look()
                        : dice < 82 ? break_lease()
                        : dice < 85 ? edit()
                        : dice < 90 ? edit_list()
                        : dice < 92 ? edit_bookkeeping()
                        : dice < 94 ? turn_listener()
                        : dice < 95 ? compare({"SCRIPT", "FLUSH"})
                                    : wait();
  return differs.empty() ? twins_.compare_data() : differs;
}

std::string Sequence::acquire() {
  Attempt& chosen = attempt();
  const std::string before = twins_.text(chosen.key);
  std::vector<std::string> keys{chosen.key, names_.record(), names_.fence()};
  std::vector<std::string> values{admission() + "open ", chosen.stamp, ttl()};
  const bool waits = chance(65);
  if (waits) {
    keys.push_back(queue_of(chosen.key));
    values.insert(values.end(), {chosen.ticket, ttl(), channels, turn()});
  }
  const std::string proposed = chance(40) ? proposal() : "";
  if (!proposed.empty()) values.push_back(proposed);
  values.push_back(seen(2));
  std::string differs = call(redis::acquire_script, std::move(keys), std::move(values));
  const std::string after = twins_.text(chosen.key);
  if (!proposed.empty() && after != before && after.starts_with(chosen.stamp)) {
    const bool minted = after == chosen.stamp + proposed;
    tally_[minted ? "acquire: minted a proposal" : "acquire: minted another than proposed"] += 1;
  }
  if (after != before && after.starts_with(chosen.stamp)) {
    chosen.value = after;
    if (before.starts_with(chosen.ticket + "0")) tally_["acquire: what was kept for it"] += 1;
  }
  return differs;
}

std::string Sequence::confirm() {
  const std::string key = any_key();
  return call(redis::confirm_script, {key, names_.fence()}, {any_stamp(key), any_token(key)});
}

std::string Sequence::renew() {
  std::vector<std::string> keys{names_.record()};
  std::vector<std::string> values{cap() + " " + set() + " ", ttl()};
  for (auto count = 1 + random_.below(8); count > 0; --count) {
    keys.push_back(any_key());
    values.push_back(any_value(keys.back()));
  }
  return call(redis::renew_script, std::move(keys), std::move(values));
}

std::string Sequence::release() {
  std::vector<std::string> leases, queues, stamps, tickets, before;
  for (auto count = chance(70) ? 1 : 1 + random_.below(4); count > 0; --count) {
    const std::string key = any_key();
    if (std::ranges::find(leases, key) != leases.end()) continue;
    leases.push_back(key);
    queues.push_back(queue_of(key));
    stamps.push_back(any_stamp(key));
    tickets.push_back(chance(60) ? "" : any_ticket(key));
    before.push_back(twins_.text(key));
  }
  std::vector<std::string> keys = leases;
  keys.insert(keys.end(), queues.begin(), queues.end());
  std::vector<std::string> values{channels, chance(15) ? "0" : turn()};
  values.insert(values.end(), stamps.begin(), stamps.end());
  if (chance(50)) values.insert(values.end(), tickets.begin(), tickets.end());
  std::string differs = call(redis::release_script, std::move(keys), std::move(values));
  for (std::size_t i = 0; i < leases.size(); ++i) {
    const std::string after = twins_.text(leases[i]);
    if (after == before[i] || !redis::read_holder(after).waits) continue;
    const bool same = stamp_in(after) == stamp_in(before[i]);
    tally_[same ? "release: one of those told left" : "release: kept for a waiter"] += 1;
    if (!same && token_in(after).size() == 4) tally_["release: others told when to look"] += 1;
  }
  return differs;
}

std::string Sequence::reassert() {
  std::vector<std::string> keys{names_.record(), names_.fence()};
  std::vector<std::string> values{admission(), ttl(), one_of<std::string>({"0", "1"})};
  for (auto count = 1 + random_.below(6); count > 0; --count) {
    const std::string key = any_key();
    keys.push_back(key);
    if (!attempts_.empty() && chance(50)) {
      const Attempt& held = one_of(attempts_);
      values.insert(values.end(), {held.stamp, held.value.empty() ? any_token(key) : token_in(held.value)});
    } else {
      values.insert(values.end(), {any_stamp(key), any_token(key)});
    }
  }
  values.push_back(seen(2));
  return call(redis::reassert_script, std::move(keys), std::move(values));
}

std::string Sequence::admit() {
  const std::string before = twins_.text(names_.record());
  std::string differs =
      call(redis::admit_script, {names_.record(), names_.fence()}, {cap(), set(), epoch(), wall(), seen(0)});
  const auto was = words(before);
  const auto is = words(twins_.text(names_.record()));
  if (was.size() >= 9 && is.size() >= 9 && was[2] == is[2] && was[3] != is[3]) {
    tally_["admit: opened"] += 1;
  } else if (before != twins_.text(names_.record())) {
    tally_["admit: " + is.at(8)] += 1;
  }
  return differs;
}

std::string Sequence::open() {
  return call(redis::open_script, {names_.record(), names_.fence()},
              {admission(), chance(80) ? std::string(Twins::own_made) : "1790000000000"});
}

std::string Sequence::init() {
  return call(redis::init_script, {names_.record(), names_.fence()}, {cap(), set(), epoch(), wall()});
}

std::string Sequence::reconfigure() {
  const std::string seen =
      chance(70) ? std::string(Twins::own_record) : one_of<std::string>({"", "another one"});
  return call(redis::reconfigure_script, {names_.record()},
              {seen, cap(), chance(30) ? "none" : set(), epoch(), wall(),
               one_of<std::string>({"60000", "120000"}), one_of<std::string>({"1>1", "1>3-a"})});
}

std::string Sequence::publish_result() {
  const std::string key = any_key();
  std::vector<std::string> keys{state};
  if (chance(70)) keys.push_back(key);
  const std::string value = any_value(key);
  const std::string channel =
      one_of<std::string>({"", "results", channels + any_owner(), channels + any_owner()});
  const std::string result = one_of<std::string>({"", "42", std::string("\0\r\n\xff", 4)});
  std::vector<std::string> values{stamp_in(value), chance(60) ? token_in(value) : any_token(key), result,
                                  channel};
  if (chance(50)) values.insert(values.end(), {std::to_string(random_.below(1'000'000)), wall()});
  return call(redis::publish_result_script, std::move(keys), std::move(values));
}

std::string Sequence::look() {
  std::vector<std::string> keys;
  for (auto count = 1 + random_.below(4); count > 0; --count) {
    keys.push_back(any_key());
    keys.push_back(queue_of(keys.back()));
  }
  return call(redis::look_script, std::move(keys), {});
}

std::string Sequence::break_lease() {
  const std::string key = any_key();
  const std::string victim = chance(80) ? any_stamp(key) : any_value(key);
  const std::string token = chance(80) ? token_in(twins_.text(key)) : any_token(key);
  const std::string mark = chance(80) ? stamp("broken by " + any_owner()) : any_stamp(key);
  return call(redis::break_script, {key}, {victim, mark, token, chance(50) ? "0" : ttl()});
}

std::string Sequence::edit() {
  const std::string key = any_key();
  const std::string foreign =
      one_of<std::string>({"", "by hand", "a#b", "x#y#z", std::string("\0\r\n\xff", 4)});
  return compare(one_of<redis::Command>({
      {"SET", key, foreign},
      {"SET", key, foreign, "PX", ttl()},
      {"set", key, any_value(key), "xx", "get", "keepttl"},
      {"SET", key, foreign, "NX", "GET", "PX", ttl()},
      {"SET", key, foreign, "XX", "NX"},
      {"DEL", key, any_key()},
      {"DEL", key, any_key()},
      {"LPUSH", key, "a", "b"},
      {"HSET", key, "field", foreign},
      {"PEXPIRE", key, ttl()},
      {"PTTL", key},
      {"MGET", key, names_.record(), any_key(), queue_of(key), state},
      {"EXISTS", key, key, any_key()},
      {"INCR", key},
      {"PUBLISH", channels + any_owner(), foreign},
  }));
}

// Queues with strangers, dead owners and no owner in them, of another type, gone; now and then a lease.
std::string Sequence::edit_list() {
  const std::string lease = any_key();
  const std::string key = chance(85) ? queue_of(lease) : lease;
  const std::string element =
      chance(60) ? any_ticket(lease) : one_of<std::string>({"", "nobody", "##", "#x#", "a#b#c#"});
  const std::string number = one_of<std::string>({"0", "1", "-1", "2", "-2", "100", "-100", "x", "1.0"});
  return compare(one_of<redis::Command>({
      {"RPUSH", key, element},
      {"RPUSH", key, element, any_ticket(lease), element},
      {"LPUSH", key, element, stamp(any_owner())},
      {"LPOP", key},
      {"LREM", key, number, element},
      {"LPOS", key, element},
      {"LINDEX", key, number},
      {"LLEN", key},
      {"LRANGE", key, number, "-1"},
      {"LRANGE", key, "-3", number},
      {"PEXPIRE", key, ttl()},
      {"DEL", key},
      {"SET", key, element},
      {"HSET", key, element, "1", "x", "2"},
      {"HGET", key, "x"},
      {"TYPE", key},
  }));
}

// The fence beyond 2^53, at its end, not a number, far too small, gone; the record gone, closed, of another life, cap or type, so
// old that its quarantine is over; a result from elsewhere.
std::string Sequence::edit_bookkeeping() {
  const std::string record = names_.record();
  const std::string fence = names_.fence();
  const std::string begin = admission_of(std::to_string(cap_used.count()), names_.set, epoch());
  const std::string old = std::to_string(cap_used.count()) + " " + epoch();
  const std::string here = " " + twins_.life();
  return compare(one_of<redis::Command>({
      {"SET", fence, "9007199254740992"},
      {"SET", fence, "9223372036854775806"},
      {"SET", fence, "not a number"},
      {"SET", fence, "41"},
      {"DEL", fence},
      {"DEL", fence},
      {"DEL", record},
      {"DEL", record, fence},
      {"SET", record, "open 60000 0123456789abcdef a-life 1"},
      {"SET", record, ""},
      {"SET", record, begin + "open" + here + " 1 1 60000 new"},
      {"SET", record, begin + "open" + here + " 1 1 60000 new v1"},
      {"SET", record, begin + "open another-life 1 1 60000 new v2 more"},
      {"SET", record, old + " open" + here + " 1 1 new"},  // from before there were sets
      {"SET", record, begin + "quarantined another-life 1 1 120000 restarted"},
      {"SET", record, begin + "quarantined" + here + " 1 " + wall() + " 60000 restarted"},
      {"SET", record, begin + "quarantined" + here + " 1 " + wall() + " 120000 restarted"},
      {"SET", record, begin + "quarantined" + here + " 1 1 60000 unknown", "PX", ttl()},
      {"SET", record, admission_of("30000", names_.set, epoch()) + "open" + here + " 1 1 30000 new"},
      {"LPUSH", one_of<std::string>({record, fence, state}), "a"},
      {"HSET", state, "token", one_of<std::string>({"x", "", "7", "9007199254740993"}), "by", "hand"},
      {"HSET", state, "token", "9007199254740993", "by", "hand"},
      {"DEL", state},
  }));
}

std::string Sequence::turn_listener() {
  const std::string channel = chance(80) ? channels + any_owner() : "results";
  told_ = (twins_.listens(channel) ? "nobody listens to " : "somebody listens to ") + channel;
  if (twins_.listens(channel)) {
    twins_.stop_listening(channel);
  } else {
    twins_.listen(channel);
  }
  return "";
}

std::string Sequence::wait() {
  // TTLs end five seconds off these steps: no moment of real time decides what has expired.
  const auto tens = chance(15) ? 13 : 1 + static_cast<std::int64_t>(random_.below(4));
  const std::chrono::seconds duration{10 * tens};
  told_ = "wait " + core::to_text(duration);
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
  if (twins_.answer().kind == Kind::error ? chance(10) : chance(70)) return "";
  command[0] = "EVAL";
  command[1] = script.body;
  return compare(command);
}

std::string Sequence::compare(const redis::Command& command) {
  told_ = to_text(command);
  const bool lost = twins_.text(names_.fence()).size() < 16;
  std::string differs = twins_.compare(command);
  if (const redis::Script* script = script_called(command)) {
    count(*script, twins_.answer());
    // Tokens have sixteen digits until the year 2286.
    if (lost && twins_.text(names_.fence()).size() == 16)
      tally_[std::string(script->name) + ": raised a lost counter"] += 1;
  }
  return differs;
}

void Sequence::count(const redis::Script& script, const redis::Value& answer) {
  const std::string name = std::string(script.name) + ": ";
  if (&script == &redis::break_script && answer.kind == Kind::integer) {
    tally_[name + std::to_string(answer.integer)] += 1;
  } else if (&script == &redis::look_script && answer.kind == Kind::array) {
    count_looks(answer);
  } else if (answer.kind != Kind::array) {
    tally_[name + outcome(answer)] += 1;
  } else if (&script == &redis::acquire_script) {
    tally_[name + (answer.items.at(2).integer < 0 ? "held" : "queued")] += 1;
  } else if (&script == &redis::init_script || &script == &redis::reconfigure_script) {
    tally_[name + answer.items.at(0).text] += 1;
  } else {
    for (const redis::Value& item : answer.items) tally_[name + outcome(item)] += 1;
  }
}

// As the core reads them: what a real Redis says must fit.
void Sequence::count_looks(const redis::Value& answer) {
  const core::LookRequest request{std::vector<std::string>(answer.items.size())};
  const core::Reply reply = redis::script_reply(request, answer);
  for (const core::KeyState& seen : std::get<core::KeyStates>(reply)) {
    const std::string kind = !seen.exists()                  ? "nothing there"
                             : seen.holder == core::Holder{} ? "not a lease"
                             : !seen.left                    ? "without expiry"
                             : seen.holder->waits            ? "kept for a waiter"
                                                             : "there";
    tally_["look: " + kind] += 1;
    if (seen.waiters > 0) tally_["look: waited for"] += 1;
  }
}

Sequence::Attempt& Sequence::attempt() {
  // Whoever a name is kept for comes for it; who waits tries again, by a new stamp or as a retry of the last.
  const auto kept = std::find_if(attempts_.begin(), attempts_.end(), [this](const Attempt& waiter) {
    return twins_.text(waiter.key).starts_with(waiter.ticket + "0");
  });
  Attempt* again = nullptr;
  if (kept != attempts_.end() && chance(50)) {
    again = &*kept;
  } else if (!attempts_.empty() && chance(45)) {
    again = &attempts_[random_.below(attempts_.size())];
  }
  if (again != nullptr) {
    if (chance(40)) again->stamp = stamp(again->owner);
    return *again;
  }
  const std::string owner = any_owner();
  const std::string first = stamp(owner);
  attempts_.push_back({any_key(), owner, first, chance(95) ? stamp(owner) : first});
  return attempts_.back();
}

std::string Sequence::any_key() {
  if (chance(45)) return "redlock:a";  // a crowd at one name
  return one_of<std::string>(
      {"redlock:b", "redlock:c", "redlock:{d}", std::string("redlock:\0e ", 11), "redlock:a"});
}

// Mostly what is there now, or was granted once.
std::string Sequence::any_value(const std::string& key) {
  if (chance(55)) return twins_.text(key);
  if (!attempts_.empty() && chance(80)) return one_of(attempts_).value;
  return twins_.text(key) + one_of<std::string>({"0", " ", "#"});
}

std::string Sequence::any_stamp(const std::string& key) {
  const std::string value = twins_.text(key);
  if (chance(70)) return stamp_in(value);
  if (!attempts_.empty() && chance(80)) return one_of(attempts_).stamp;
  return one_of<std::string>({"", "web-0#", value, value + "1"});
}

// Mostly of somebody who waits for that key.
std::string Sequence::any_ticket(const std::string& key) {
  std::vector<std::string> tickets;
  for (const Attempt& waiter : attempts_) {
    if (waiter.key == key) tickets.push_back(waiter.ticket);
  }
  if (!tickets.empty() && chance(80)) return one_of(tickets);
  return attempts_.empty() ? stamp(any_owner()) : one_of(attempts_).ticket;
}

// About where the fence is, or what the lease shows; seldom far off.
std::string Sequence::any_token(const std::string& key) {
  if (chance(40)) return token_in(twins_.text(key));
  const std::string fence = twins_.text(names_.fence());
  const bool number = fence.size() == 16 && fence.find_first_not_of("0123456789") == std::string::npos;
  if (number && chance(70)) return std::to_string(std::stoll(fence) - 2 + static_cast<int>(random_.below(5)));
  return one_of<std::string>({"1", "7", "100", "9007199254740993", "x", "", "0x10"});
}

// A little above the fence, not above it, or far ahead of all clocks: no moment of real time decides.
std::string Sequence::proposal() {
  const std::string fence = twins_.text(names_.fence());
  const bool number = fence.size() == 16 && fence.find_first_not_of("0123456789") == std::string::npos;
  if (!number) return one_of<std::string>({"7", "1700000000000000", "x"});
  const std::int64_t offset = chance(60)   ? 10
                              : chance(50) ? -static_cast<int>(random_.below(3))
                                           : 36'000'000'000;
  return std::to_string(std::stoll(fence) + offset);
}

// Mostly nothing, or about where the fence is.
std::string Sequence::seen(int above_max) {
  const std::string fence = twins_.text(names_.fence());
  const bool number = fence.size() == 16 && fence.find_first_not_of("0123456789") == std::string::npos;
  if (!number || chance(60)) return "0";
  // From long after a quarantine began, also where the clock of the model has been stepped far ahead of the real one.
  if (chance(10)) return std::to_string(std::stoll(fence) + 36'000'000'000);
  return std::to_string(std::stoll(fence) + std::min(static_cast<int>(random_.below(6)) - 3, above_max));
}

std::string Sequence::ttl() {
  if (chance(95)) return one_of<std::string>({"15000", "25000", "35000", "55000", "95000"});
  return one_of<std::string>(
      {"0", "-5", "1.5", "015000", "", "many", "9223372036854775807", "9223372036854775808"});
}

// The first seven turns begin three seconds or more after one of the waits may end: no moment of real time decides.
std::string Sequence::turn() { return chance(97) ? "9000" : one_of<std::string>({"many", "", "0"}); }

std::string Sequence::admission() {
  const auto record = words(twins_.text(names_.record()));
  const std::string now = record.size() > 2 && chance(94) ? record[2] : epoch();
  return admission_of(cap(), set(), now);
}

std::string Sequence::cap() { return chance(4) ? "30000" : std::to_string(names_.cap.count()); }

std::string Sequence::set() { return chance(4) ? "3-a" : names_.set; }

std::string Sequence::wall() { return std::to_string(1'790'000'000'000 + 50'000 * random_.below(8)); }

std::string Sequence::hex(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

}  // namespace tenure::conformance
