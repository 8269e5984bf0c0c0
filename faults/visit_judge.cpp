#include "faults/visit_judge.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tenure::faults {

namespace {

using core::Time;
using Visit = http_target::HttpTarget::Visit;

struct Session {
  core::Token token = 0;               // the largest so far
  std::string instance{};              // whose it is
  Time ended = core::long_ago;         // of all visits with that token
  Time others_ended = core::long_ago;  // of all with smaller ones
};

class VisitTrial {
 public:
  VisitTrial(const std::vector<Stop>& stops, Time now) : stops_(stops), excused_(stops.size()), now_(now) {}

  void hear(const Visit& visit) {
    verdict_.acts += 1;
    Session& session = sessions_[visit.session];
    const Time ended = visit.ended.value_or(now_);
    if (visit.token < session.token) {
      if (is_excused(visit)) return;
      complain(verdict_.disorders, visit, "came after token " + std::to_string(session.token));
      if (visit.began < session.ended) {
        complain(verdict_.overlaps, visit, "was there together with " + session.instance);
      }
      session.others_ended = std::max(session.others_ended, ended);
      return;
    }
    if (visit.token > session.token) {
      verdict_.grants += 1;
      const Time before = std::max(session.ended, session.others_ended);
      if (session.token != 0 && visit.began >= before) verdict_.slack.add(visit.began - before);
      session = {visit.token, visit.instance, core::long_ago, before};
    } else if (visit.instance != session.instance) {
      complain(verdict_.disorders, visit, "came with a token of " + session.instance);
    }
    if (visit.began < session.others_ended)
      complain(verdict_.overlaps, visit, "came before another had left");
    session.ended = std::max(session.ended, ended);
  }

  Verdict verdict() { return std::move(verdict_); }

 private:
  bool is_excused(const Visit& visit) {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      const Stop& stop = stops_[i];
      if (visit.instance != stop.who || visit.began < stop.until || visit.began > stop.until + going_on_max)
        continue;
      if (excused_[i] == decided_before_max) continue;
      excused_[i] += 1;
      verdict_.excused += 1;
      return true;
    }
    return false;
  }

  void complain(std::size_t& count, const Visit& visit, const std::string& what) {
    count += 1;
    const auto at =
        std::chrono::duration_cast<std::chrono::milliseconds>(visit.began.time_since_epoch()).count();
    verdict_.sentences.push_back(visit.session + ": " + visit.instance + " with token " +
                                 std::to_string(visit.token) + " " + what + ", at " + std::to_string(at) +
                                 " ms since boot");
  }

  const std::vector<Stop>& stops_;
  std::vector<std::size_t> excused_;  // by stop
  Time now_;
  std::map<std::string, Session> sessions_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const std::vector<Visit>& visits, const std::vector<Stop>& stops, core::Time now) {
  VisitTrial trial(stops, now);
  for (const Visit& visit : visits) trial.hear(visit);
  return trial.verdict();
}

}  // namespace tenure::faults
