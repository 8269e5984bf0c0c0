#include "story.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string_view>

namespace tenure::scenario {

using namespace core;

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == separator && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value).ptr;
  if (end != text.data() + text.size()) throw std::invalid_argument("not a number: " + std::string(text));
  return value;
}

Duration duration(const std::string& text) {
  const auto digits = text.find_first_not_of("0123456789");
  if (digits == std::string::npos || digits == 0) throw std::invalid_argument("not a duration: " + text);
  const auto count = static_cast<Duration::rep>(number(text.substr(0, digits)));
  const std::string unit = text.substr(digits);
  if (unit == "ms") return std::chrono::milliseconds(count);
  if (unit == "s") return std::chrono::seconds(count);
  if (unit == "m") return std::chrono::minutes(count);
  throw std::invalid_argument("not a unit: " + unit);
}

Failure failure(const std::string& word) {
  struct Known {
    std::string_view word;
    Applied applied;
    FailureCode code;
  };
  static constexpr std::array known{
      Known{"refused", Applied::no, FailureCode::unreachable},
      Known{"closed", Applied::perhaps, FailureCode::closed},
      Known{"timeout", Applied::perhaps, FailureCode::timed_out},
      Known{"loading", Applied::no, FailureCode::loading},
      Known{"oom", Applied::no, FailureCode::out_of_memory},
      Known{"server", Applied::perhaps, FailureCode::server},
  };
  const auto* found = std::ranges::find(known, word, &Known::word);
  if (found == known.end()) throw std::invalid_argument("no such failure: " + word);
  return {found->applied, found->code, word};
}

KeyAnswers key_answers(const std::string& words) {
  KeyAnswers answers;
  for (const auto& word : split(words, ',')) {
    if (word == "renewed" || word == "released") {
      answers.push_back(KeyAnswer::done);
    } else if (word == "missing") {
      answers.push_back(KeyAnswer::missing);
    } else if (word == "foreign") {
      answers.push_back(KeyAnswer::foreign);
    } else {
      throw std::invalid_argument("no such answer: " + word);
    }
  }
  return answers;
}

}  // namespace

// "verb word … option=value …"
class Story::Line {
 public:
  explicit Line(const std::string& text) {
    for (const auto& word : split(text, ' ')) {
      const auto sign = word.find('=');
      if (sign != std::string::npos) {
        options_[word.substr(0, sign)] = word.substr(sign + 1);
      } else if (!word.empty() || text.ends_with("\"\"")) {
        words_.push_back(word);
      }
    }
  }

  const std::string& word(std::size_t i) const {
    if (i >= words_.size()) throw std::invalid_argument("a word is missing");
    return words_[i];
  }
  std::optional<std::string> option(const std::string& name) const {
    const auto found = options_.find(name);
    return found != options_.end() ? std::optional(found->second) : std::nullopt;
  }
  std::string needed(const std::string& name) const {
    const auto value = option(name);
    if (!value) throw std::invalid_argument(name + "= is missing");
    return *value;
  }
  std::optional<Duration> time(const std::string& name) const {
    const auto value = option(name);
    return value ? std::optional(duration(*value)) : std::nullopt;
  }

  Reply reply() const {
    const std::string& kind = word(2);
    if (kind == "granted") return Granted{number(needed("token"))};
    if (kind == "closed") return NotOpen{word(3)};
    if (kind == "held") {
      return Held{{needed("owner"), number(needed("token"))},
                  std::chrono::duration_cast<Ttl>(duration(needed("left")))};
    }
    return key_answers(kind);
  }

 private:
  std::vector<std::string> words_;
  std::map<std::string, std::string> options_;
};

Story::Story() : tenant_({.owner = "us", .nodes = 1}, Random(1)) {}

std::vector<std::string> Story::tell(const std::string& text) {
  told_.clear();
  const Line line(text);
  const std::string& verb = line.word(0);
  Actions actions;
  if (verb == "acquire") {
    acquire(line);
  } else if (verb == "reply") {
    tenant_.on_reply(RequestId{number(line.word(1))}, line.reply(), now_, actions);
  } else if (verb == "fail") {
    tenant_.on_reply(RequestId{number(line.word(1))}, failure(line.word(2)), now_, actions);
  } else if (verb == "advance") {
    advance(duration(line.word(1)));
  } else if (verb == "suspend") {
    now_ += duration(line.word(1));
  } else if (verb == "jump") {
    jump(duration(line.word(1)));
  } else if (verb == "cancel") {
    tenant_.cancel(handles_.at(line.word(1)).acquire, now_, actions);
  } else if (verb == "release") {
    Handle& handle = handles_.at(line.word(1));
    handle.given_back = true;
    tenant_.release(handle.lease.value(), now_, actions);
  } else if (verb == "forget") {
    Handle& handle = handles_.at(line.word(1));
    handle.given_back = true;
    tenant_.forget(handle.lease.value(), now_, actions);
  } else if (verb == "held") {
    const Handle& handle = handles_.at(line.word(1));
    const bool held = handle.lease && now_ < handle.deadline && !handle.given_back;
    say(line.word(1) + (held ? " is held" : " is not held"));
  } else if (verb == "wake") {
    const auto wake = tenant_.wake();
    say(wake ? "wake " + time_in_words(*wake) : "wake never");
  } else if (verb == "idle") {
    say(tenant_.idle() ? "idle" : "not idle");
  } else {
    throw std::invalid_argument("no such command: " + verb);
  }
  take(actions);
  return told_;
}

void Story::acquire(const Line& line) {
  const std::string& name = line.word(1);
  if (handles_.contains(name))
    throw std::invalid_argument(name + " is acquired already; give it another name, and key=");
  const auto timing = make_timing({.ttl = duration(line.needed("ttl")),
                                   .grace = line.time("grace"),
                                   .renew = line.time("renew"),
                                   .node_timeout = line.time("node_timeout")});
  if (!timing) throw std::invalid_argument(timing.error());
  Wish wish{.key = line.option("key").value_or(name), .timing = *timing};
  if (line.option("wait") == "forever") {
    wish.wait_max = std::nullopt;
  } else if (const auto wait = line.time("wait")) {
    wish.wait_max = *wait;
  }
  if (const auto retry = line.time("retry")) wish.retry_delay = *retry;
  Actions actions;
  const AcquireId id = tenant_.acquire(std::move(wish), now_, actions);
  handles_[name].acquire = id;
  cast_.acquires[id] = name;
  acquiring_ = name;
  take(actions);
  acquiring_.clear();
}

void Story::advance(Duration duration) {
  const Time until = now_ + duration;
  for (std::size_t calls = 0; tenant_.wake().value_or(Time::max()) <= until; ++calls) {
    if (calls > 10'000) throw std::invalid_argument("the core wakes without end at " + time_in_words(now_));
    now_ = std::max(now_, *tenant_.wake());
    Actions actions;
    tenant_.on_timer(now_, actions);
    take(actions, time_in_words(now_) + " ");
  }
  now_ = until;
}

void Story::jump(Duration duration) {
  now_ += duration;
  Actions actions;
  tenant_.on_timer(now_, actions);
  take(actions, time_in_words(now_) + " ");
}

void Story::take(const Actions& actions, const std::string& when) {
  for (const Action& action : actions) {
    note(action);
    say(when + in_words(action, cast_));
  }
}

// Learns the names, and what the handles are told.
void Story::note(const Action& action) {
  const auto handle = [&](LeaseId lease) -> Handle& { return handles_.at(cast_.leases.at(lease)); };
  if (const auto* sent = std::get_if<Send>(&action)) {
    const auto* request = std::get_if<AcquireRequest>(&sent->request);
    if (request != nullptr && !acquiring_.empty()) cast_.grants.emplace(request->grant.stamp(), acquiring_);
  } else if (const auto* acquired = std::get_if<Acquired>(&action)) {
    const std::string& name = cast_.acquires.at(acquired->acquire);
    cast_.leases[acquired->lease] = name;
    cast_.values[acquired->grant.value(acquired->token)] = name;
    handles_.at(name).lease = acquired->lease;
    handles_.at(name).deadline = acquired->deadline;
  } else if (const auto* renewed = std::get_if<Renewed>(&action)) {
    handle(renewed->lease).deadline = renewed->deadline;
  } else if (const auto* lost = std::get_if<Lost>(&action)) {
    handle(lost->lease).deadline = lost->deadline;
  }
}

}  // namespace tenure::scenario
