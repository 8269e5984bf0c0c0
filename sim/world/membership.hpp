// The part of one simulated process in the fleet, over its crashes: it shares the sessions that there are, works on those
// that it has, lets the work end when told to, and now and then takes or gives back one by hand, or leaves and comes back.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "sim/world/life.hpp"
#include "sim/world/roster.hpp"

namespace tenure::sim {

class Membership {
 public:
  Membership(Surroundings& surroundings, std::uint32_t weight, core::Random random)
      : shared_(surroundings),
        weight_(weight),
        random_(random),
        life_(surroundings.schedule, surroundings.plan.timing.ttl) {}

  // The process begins a life with that client; what was before is over.
  void boot(Client& client);
  // Takes part until told to end, with whims and work that overruns.
  void begin();
  // Takes part until told to end, and does nothing unexpected.
  void begin_calmly();
  // Leaves in good order.
  void end();
  // When it dies it does not come back.
  void stay_away() { wanted_ = false; }

  void hear(const core::FleetNotice& notice);

  // What it is called in its present life.
  const std::string& id() const { return client().owner(); }
  std::uint32_t weight() const { return weight_; }
  // Is it meant to take part?
  bool wanted() const { return wanted_; }
  bool has(const std::string& session) const;
  std::size_t owned() const;

 private:
  struct Work {
    core::LeaseId lease{};
    core::Token token = 0;
    std::string value;
    bool ending = false;
    bool done = false;  // no more is done on it
  };

  void join();
  void read_sessions();
  void have_whim(std::uint64_t part);
  void on_taken(const core::SessionTaken& taken);
  void work(const std::string& session, core::LeaseId lease);
  void write(const std::string& session, const Work& work);
  void drain(const std::string& session, core::LeaseId lease, core::Time deadline);
  Work* work_of(const std::string& session, core::LeaseId lease);

  Client& client() const { return life_.client(); }
  Duration ttl() const { return shared_.plan.timing.ttl; }
  // From one piece of work to the next: with many sessions there are enough of them all the same.
  Duration pace() const;
  Duration up_to(Duration longest) { return random_.between(Duration::zero(), longest); }
  bool chance(unsigned percent) { return random_.below(100) < percent; }

  Surroundings& shared_;
  std::uint32_t weight_;
  core::Random random_;
  Life life_;
  std::uint64_t parts_ = 0;  // how often it has joined
  bool wanted_ = false;
  bool whims_ = false;
  bool in_ = false;
  std::map<std::string, Work> works_;  // by session
};

}  // namespace tenure::sim
