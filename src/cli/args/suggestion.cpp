#include "cli/args/suggestion.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace tenure::cli {

namespace {

constexpr std::size_t edits_max = 2;
// Nobody types a longer word by mistake, and comparing it takes its time.
constexpr std::size_t length_max = 40;

std::size_t letters_in(std::string_view word) {
  return word.size() - std::min(word.find_first_not_of('-'), word.size());
}

}  // namespace

// Damerau and Levenshtein, the simple kind: nothing is edited twice.
std::size_t edits_between(std::string_view one, std::string_view other) {
  using Line = std::vector<std::size_t>;
  Line before_last;
  Line last(other.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= one.size(); ++i) {
    Line line(other.size() + 1);
    line[0] = i;
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const std::size_t changed = last[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
      line[j] = std::min({changed, last[j] + 1, line[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (swapped) line[j] = std::min(line[j], before_last[j - 2] + 1);
    }
    before_last = std::move(last);
    last = std::move(line);
  }
  return last.back();
}

std::optional<std::string> nearest(std::string_view typed, std::span<const std::string> known) {
  const std::size_t letters = letters_in(typed);
  if (letters < 2 || letters > length_max) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t fewest = 0;
  for (const auto& word : known) {
    const std::size_t edits = edits_between(typed, word);
    // As many edits as letters turn any word into any other.
    const bool is_near = edits <= edits_max && edits < std::min(letters, letters_in(word));
    if (!is_near && !word.starts_with(typed)) continue;
    if (best != nullptr && edits >= fewest) continue;
    best = &word;
    fewest = edits;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known) {
  const auto word = nearest(typed, known);
  return word ? "; did you mean " + *word + "?" : "";
}

}  // namespace tenure::cli
