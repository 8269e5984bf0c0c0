// What all nodes answered to the same question: one answer for each, in the order of core::NodeIndex.
#pragma once

#include <tl/expected.hpp>
#include <vector>

#include "core/notice.hpp"

namespace tenure::runtime {

template <class Answer>
using Answers = std::vector<tl::expected<Answer, core::Failure>>;

template <class Answer>
std::vector<core::NodeFailure> failures_in(const Answers<Answer>& answers) {
  std::vector<core::NodeFailure> failures;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) failures.push_back({static_cast<core::NodeIndex>(i), answers[i].error()});
  }
  return failures;
}

}  // namespace tenure::runtime
