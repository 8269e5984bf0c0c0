#include "sim/judge/sharing.hpp"

#include <algorithm>
#include <utility>

namespace tenure::sim {

void Sharing::on_taken(const std::string& session, core::Token token, TrueTime now) {
  Course& course = courses_[session];
  taken_ += 1;
  if (token <= course.taken) {
    judge_.violated("S8", now,
                    session + " was taken by token " + std::to_string(token) + " after token " +
                        std::to_string(course.taken));
  }
  course.taken = std::max(course.taken, token);
  if (course.free_since) longest_gap_ = std::max(longest_gap_, now - *course.free_since);
  course.free_since.reset();
}

void Sharing::on_work(const std::string& session, core::Token token, TrueTime now) {
  Course& course = courses_[session];
  if (token < course.worked) {
    judge_.violated("S8", now,
                    session + ": work by token " + std::to_string(token) + " after that by token " +
                        std::to_string(course.worked));
  }
  course.worked = std::max(course.worked, token);
}

void Sharing::on_ended(const std::string& session, TrueTime now) { courses_[session].free_since = now; }

}  // namespace tenure::sim
