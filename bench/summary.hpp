// One row as several passes have found it: what lies in the middle, and how far the passes differ.
// A ratio is taken within each pass, so that what changed between the passes does not touch it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "row.hpp"

namespace tenure::bench {

struct Span {
  double low = 0;
  double middle = 0;
  double high = 0;
};

class Summary {
 public:
  explicit Summary(Row first) : passes_{std::move(first)} {}
  void add(Row next) { passes_.push_back(std::move(next)); }

  const Row& row() const { return passes_.front(); }
  std::size_t passes() const { return passes_.size(); }

  std::optional<Span> figure(std::string_view entry, std::string_view label) const;
  // As fast as so many times the first entry.
  std::optional<Span> speed(std::string_view entry) const { return speed(entry, row().entries.front().name); }
  // As fast as so many times that other one.
  std::optional<Span> speed(std::string_view entry, std::string_view of) const;
  // Between the quartiles of the blocks: the middle of the passes.
  double spread(std::string_view entry, std::string_view label) const;

  struct Judged {
    std::optional<Span> span{};
    bool met = false;        // by the middle of the passes
    std::size_t met_in = 0;  // so many passes
  };
  Judged judge(std::size_t goal) const;

 private:
  std::vector<Row> passes_;
};

// The rows of all passes, those that belong together in one summary.
class Summaries {
 public:
  void add(Row row);
  const std::vector<Summary>& all() const { return all_; }

 private:
  std::vector<Summary> all_;
};

}  // namespace tenure::bench
