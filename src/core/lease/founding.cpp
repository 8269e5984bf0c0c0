#include "core/lease/founding.hpp"

#include <algorithm>

namespace tenure::core {

void Founding::on_admitted(NodeIndex node, const Record& record) {
  const bool ours = record.terms == terms_;
  whose_.at(node) = ours ? Whose::ours : Whose::others;
  founded_ = founded_ || (ours && (record.open || !record.unknown()));
}

bool Founding::done() const {
  // Alone there is nobody to be missed; and of its parts each is opened by itself.
  if (whose_.size() == 1) return true;
  const auto is = [](Whose it) { return [it](Whose each) { return each == it; }; };
  if (founded_) return std::ranges::none_of(whose_, is(Whose::others));
  return std::ranges::all_of(whose_, is(Whose::ours));
}

}  // namespace tenure::core
