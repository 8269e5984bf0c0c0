#include "faults/judge.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace tenure::faults {

namespace {

using core::Time;

// From the first to the last act of a grant that count.
struct Span {
  const Term* term = nullptr;
  Time from{};
  Time until{};
};

core::Time first_of(const Term& term) { return std::ranges::min(term.acts, {}, &Act::began).began; }

bool is_excused(const Term& term, const Act& act, Time passed_on, const std::vector<Stop>& stops) {
  return std::ranges::any_of(stops, [&](const Stop& stop) {
    return stop.pids.contains(term.pid) && act.began >= stop.until &&
           act.began <= stop.until + going_on_max && passed_on >= stop.from &&
           passed_on <= stop.until + passed_on_max;
  });
}

std::string to_text(const Term& term) { return term.who + " with token " + std::to_string(term.token); }

std::string to_text(Time time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return std::to_string(ms) + " ms since boot";
}

class Trial {
 public:
  Trial(std::vector<const Term*> terms, const std::vector<Stop>& stops)
      : terms_(std::move(terms)), stops_(stops) {}

  Verdict verdict() {
    hear();
    std::ranges::sort(spans_, {}, &Span::from);
    const Span* longest = nullptr;  // who acted last so far
    const Span* largest = nullptr;  // whose token is the largest so far
    for (const Span& span : spans_) {
      if (longest != nullptr) {
        if (span.from <= longest->until) {
          complain(verdict_.overlaps, to_text(*longest->term) + " still acted at " + to_text(longest->until) +
                                          ", when " + to_text(*span.term) + " had begun at " +
                                          to_text(span.from));
        } else {
          verdict_.slack.add(span.from - longest->until);
        }
      }
      if (largest != nullptr && span.term->token <= largest->term->token) {
        complain(verdict_.disorders, to_text(*span.term) + " began at " + to_text(span.from) + ", after " +
                                         to_text(*largest->term));
      }
      if (longest == nullptr || span.until > longest->until) longest = &span;
      if (largest == nullptr || span.term->token > largest->term->token) largest = &span;
    }
    return std::move(verdict_);
  }

 private:
  // Leaves out what is excused; of some grants nothing remains.
  void hear() {
    std::ranges::sort(terms_, std::ranges::greater{}, &Term::token);
    Time passed_on = Time::max();  // the first act of any with a larger token
    for (auto it = terms_.begin(); it != terms_.end();) {
      const auto same =
          std::find_if(it, terms_.end(), [&](const Term* t) { return t->token != (*it)->token; });
      for (auto term = it; term != same; ++term) hear(**term, passed_on);
      for (; it != same; ++it) passed_on = std::min(passed_on, first_of(**it));
    }
  }

  void hear(const Term& term, Time passed_on) {
    verdict_.grants += 1;
    std::optional<Span> span;
    for (const Act& act : term.acts) {
      verdict_.acts += 1;
      if (!act.accepted) verdict_.refused += 1;
      if (act.began >= passed_on && is_excused(term, act, passed_on, stops_)) {
        verdict_.excused += 1;
        continue;
      }
      if (!span) span = Span{&term, act.began, act.began};
      span->from = std::min(span->from, act.began);
      span->until = std::max(span->until, act.began);
    }
    if (span) spans_.push_back(*span);
  }

  void complain(std::size_t& count, std::string sentence) {
    count += 1;
    verdict_.sentences.push_back(terms_.front()->name + ": " + std::move(sentence));
  }

  std::vector<const Term*> terms_;
  const std::vector<Stop>& stops_;
  std::vector<Span> spans_;
  Verdict verdict_;
};

}  // namespace

std::map<std::string, Verdict> judge(const std::vector<Term>& terms, const std::vector<Stop>& stops) {
  std::map<std::string, std::vector<const Term*>> by_name;
  for (const Term& term : terms) by_name[term.name].push_back(&term);
  std::map<std::string, Verdict> verdicts;
  for (auto& [name, its_terms] : by_name) verdicts[name] = Trial(std::move(its_terms), stops).verdict();
  return verdicts;
}

}  // namespace tenure::faults
