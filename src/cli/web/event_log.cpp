#include "cli/web/event_log.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/json.hpp"
#include "core/base/number.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

// What is sent at once: the rest follows when it was taken.
constexpr std::size_t bytes_max = 65'536;

std::string on_the_wire(const std::string& event, const std::string& data,
                        std::optional<std::uint64_t> number = std::nullopt) {
  std::string text = number ? "id: " + std::to_string(*number) + "\n" : "";
  return text.append("event: ").append(event).append("\ndata: ").append(data).append("\n\n");
}

}  // namespace

// Stands behind the last change that it has told.
class EventLog::Reader : public http::EventStream {
 public:
  Reader(EventLog& log, std::string fleet, std::optional<std::uint64_t> behind)
      : log_(log), fleet_(std::move(fleet)) {
    const std::lock_guard lock(log_.mutex_);
    log_.readers_ += 1;
    at_ = behind.value_or(log_.last_);
    // A number that was never given is of another process: what came before it is not known here.
    lost_ = at_ > log_.last_;
  }
  ~Reader() override {
    const std::lock_guard lock(log_.mutex_);
    log_.readers_ -= 1;
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::string next() override {
    const std::lock_guard lock(log_.mutex_);
    std::string text = greeting();
    const std::uint64_t first = log_.last_ - log_.changes_.size();  // all behind it are kept
    if (lost_ || at_ < first) {
      lost_ = false;
      at_ = log_.last_;
      text += on_the_wire("reset", "{}", at_);
    }
    while (at_ < log_.last_ && text.size() < bytes_max) {
      const Change& change = log_.changes_[log_.changes_.size() - (log_.last_ - at_)];
      if (change.fleet.empty() || change.fleet == fleet_) text += change.text;
      at_ += 1;
    }
    if (at_ == log_.last_) text += look();
    return text;
  }

 private:
  // The last look at leases and the last at its fleet, as one: as old as the older, and wrong if either is. Empty if it was
  // told. The mutex is held.
  std::string look() {
    std::optional<Look> both;
    for (const std::string& source : {std::string(), fleet_}) {
      const auto found = log_.looks_.find(source);
      if (found == log_.looks_.end()) continue;
      const Look& one = found->second;
      if (!both) both = one;
      both->at = std::min(both->at, one.at);
      both->next = std::min(both->next, one.next);
      both->number = std::max(both->number, one.number);
      if (both->error.empty()) both->error = one.error;
    }
    if (!both || both->number == told_) return "";
    told_ = both->number;
    Json json;
    json.open_object().key("at_ms").number(both->at).key("next_ms").number(both->next);
    json.key("error").text_or_null(both->error);
    return on_the_wire("look", json.close_object().written());
  }

  // The first thing that it is told. The mutex is held.
  std::string greeting() {
    if (greeted_) return "";
    greeted_ = true;
    Json json;
    json.open_object().key("at_ms").number(runtime::wall_now_ms());
    json.key("id").number(log_.last_).close_object();
    return on_the_wire("hello", json.written());
  }

  EventLog& log_;
  std::string fleet_;
  std::uint64_t at_ = 0;
  std::uint64_t told_ = 0;  // the number of the last look that it was told
  bool lost_ = false;
  bool greeted_ = false;
};

void EventLog::add_change(const std::string& event, const std::string& data, const std::string& fleet) {
  const std::lock_guard lock(mutex_);
  last_ += 1;
  changes_.push_back({fleet, on_the_wire(event, data, last_)});
  if (changes_.size() > kept_) changes_.pop_front();
}

void EventLog::set_look(Look look, const std::string& fleet) {
  const std::lock_guard lock(mutex_);
  look.number = ++last_look_;
  looks_.insert_or_assign(fleet, std::move(look));
}

void EventLog::forget_looks(const std::string& fleet) {
  const std::lock_guard lock(mutex_);
  looks_.erase(fleet);
}

std::unique_ptr<http::EventStream> EventLog::read(const http::Request& request, const std::string& fleet) {
  return std::make_unique<Reader>(*this, fleet, core::read_number<std::uint64_t>(request.last_event_id));
}

std::size_t EventLog::readers() const {
  const std::lock_guard lock(mutex_);
  return readers_;
}

}  // namespace tenure::cli
