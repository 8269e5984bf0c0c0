#include "row.hpp"

namespace tenure::bench {

const Figure* Row::figure(std::string_view entry, std::string_view label) const {
  for (const Entry& it : entries) {
    if (it.name != entry) continue;
    for (const Figure& figure : it.figures) {
      if (figure.label == label) return &figure;
    }
  }
  return nullptr;
}

std::optional<double> Row::find(std::string_view entry, std::string_view label) const {
  const Figure* found = figure(entry, label);
  return found != nullptr ? std::optional(found->value) : std::nullopt;
}

std::optional<double> Row::speed(std::string_view entry, std::string_view of) const {
  const auto its = find(entry, compared);
  const auto others = find(of, compared);
  return its && others ? std::optional(*others / *its) : std::nullopt;
}

}  // namespace tenure::bench
