#include "summary.hpp"

#include <algorithm>
#include <utility>

#include "measure.hpp"

namespace tenure::bench {

namespace {

std::optional<Span> span(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Span{quantile(values, 0), quantile(values, 0.5), quantile(values, 1)};
}

}  // namespace

std::optional<Span> Summary::figure(std::string_view entry, std::string_view label) const {
  std::vector<double> values;
  for (const Row& pass : passes_) {
    if (const auto value = pass.find(entry, label)) values.push_back(*value);
  }
  return span(values);
}

std::optional<Span> Summary::speed(std::string_view entry, std::string_view of) const {
  std::vector<double> values;
  for (const Row& pass : passes_) {
    if (const auto value = pass.speed(entry, of)) values.push_back(*value);
  }
  return span(values);
}

double Summary::spread(std::string_view entry, std::string_view label) const {
  std::vector<double> values;
  for (const Row& pass : passes_) {
    if (const Figure* figure = pass.figure(entry, label)) values.push_back(figure->spread);
  }
  return values.empty() ? 0 : quantile(values, 0.5);
}

Summary::Judged Summary::judge(std::size_t goal) const {
  std::vector<double> values;
  Judged judged;
  for (const Row& pass : passes_) {
    const Goal& it = pass.goals.at(goal);
    if (!it.value) continue;
    values.push_back(*it.value);
    judged.met_in += it.met_by(*it.value) ? 1U : 0U;
  }
  judged.span = span(values);
  judged.met = judged.span && row().goals.at(goal).met_by(judged.span->middle);
  return judged;
}

void Summaries::add(Row row) {
  const auto known = std::ranges::find_if(
      all_, [&](const Summary& it) { return it.row().id == row.id && it.row().cores == row.cores; });
  if (known != all_.end()) return known->add(std::move(row));
  // Beside the same work on other cores.
  const auto alike =
      std::ranges::find(all_.rbegin(), all_.rend(), row.id, [](const Summary& it) { return it.row().id; });
  all_.emplace(alike == all_.rend() ? all_.end() : alike.base(), std::move(row));
}

}  // namespace tenure::bench
