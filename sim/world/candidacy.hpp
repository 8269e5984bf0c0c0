// The part of one simulated process in one election, over its crashes: it works while it leads, lets the work drain
// when told to, and now and then steps down, or stops and comes back. Some only observe.
#pragma once

#include <optional>
#include <string>

#include "sim/world/life.hpp"

namespace tenure::sim {

class Candidacy {
 public:
  Candidacy(Surroundings& surroundings, core::ElectionPlan plan, core::Random random)
      : shared_(surroundings),
        plan_(std::move(plan)),
        random_(random),
        life_(surroundings.schedule, plan_.timing.ttl) {}

  // The process begins a life with that client; what was before is over.
  void boot(Client& client);
  // Takes part until told to end, with whims and work that overruns.
  void begin();
  // Takes part until told to end, and does nothing unexpected; as a candidate, or to observe.
  void begin_calmly(bool candidate);
  void end();
  void step_down();

  void hear(core::ElectionId election, const core::ElectionNotice& notice);

  const std::string& key() const { return plan_.key; }
  bool leads() const { return term_ && !term_->ending && client().held(term_->lease); }
  core::Token term() const { return term_ ? term_->token : 0; }
  // Who leads, as it was told last.
  const std::optional<core::Holder>& leader() const { return leader_; }

 private:
  struct Term {
    core::LeaseId lease{};
    core::Token token = 0;
    std::string value;
    bool ending = false;
    bool worked_out = false;  // its handlers run, or have run
  };

  void join();
  void have_whim(core::ElectionId election);
  void work(core::LeaseId lease);
  void write();
  void drain(core::Time deadline);
  Term* term_of(core::LeaseId lease) { return term_ && term_->lease == lease ? &*term_ : nullptr; }

  Client& client() const { return life_.client(); }
  Duration ttl() const { return plan_.timing.ttl; }
  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Surroundings& shared_;
  core::ElectionPlan plan_;
  core::Random random_;
  Life life_;
  bool wanted_ = false;
  bool whims_ = false;
  std::optional<core::ElectionId> election_{};
  std::optional<Term> term_{};
  std::optional<core::Holder> leader_{};
};

}  // namespace tenure::sim
