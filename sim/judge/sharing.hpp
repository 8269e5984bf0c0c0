// Judges who works on which session, across all processes and in true time: one owner's work after the other's, each
// with a larger token than the one before. And counts how often sessions changed hands.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sim/judge/judge.hpp"

namespace tenure::sim {

class Sharing {
 public:
  explicit Sharing(Judge& judge) : judge_(judge) {}

  void on_taken(const std::string& session, core::Token token, TrueTime now);
  // Its owner does something that only the owner may do.
  void on_work(const std::string& session, core::Token token, TrueTime now);
  // Its owner has given it back, or lost it.
  void on_ended(const std::string& session, TrueTime now);

  // An instance asks who has what: for lists, or by a look at leases.
  void on_question() { questions_ += 1; }
  std::uint64_t questions() const { return questions_; }

  // How often sessions were taken.
  std::uint64_t taken() const { return taken_; }
  // The longest time without an owner of those that were handed over, since this was called last.
  Duration longest_gap() { return std::exchange(longest_gap_, Duration::zero()); }

 private:
  struct Course {
    core::Token taken = 0;   // last
    core::Token worked = 0;  // of which there was work last
    std::optional<TrueTime> free_since{};
  };

  Judge& judge_;
  std::map<std::string, Course> courses_;  // by session
  std::uint64_t taken_ = 0;
  std::uint64_t questions_ = 0;
  Duration longest_gap_{};
};

}  // namespace tenure::sim
