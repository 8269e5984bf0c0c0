#include "core/fleet/holder_scan.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::core {

namespace {

// Each holds a node up for a millisecond; others get their turn in between.
constexpr std::size_t reads_max = 4;

}  // namespace

void HolderScan::start(std::vector<std::string> keys, Time now, Outbox& out) {
  must(!under_way(), "one scan after the other");
  keys_ = std::move(keys);
  asked_ = 0;
  while (names_.size() < reads_max && asked_ < keys_.size()) read(now, out);
}

void HolderScan::stop(Outbox& out) {
  reads_.end_all(out);
  names_.clear();
}

void HolderScan::read(Time now, Outbox& out) {
  const std::size_t size = std::min(batch_max_.leases, keys_.size() - asked_);
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(asked_);
  const auto end = begin + static_cast<std::ptrdiff_t>(size);
  std::vector<std::string> keys(std::make_move_iterator(begin), std::make_move_iterator(end));
  names_[reads_.ask(std::move(keys), node_timeout_, now, out)] = {asked_, size};
  asked_ += size;
}

void HolderScan::on_reply(RequestId request, const Reply& reply, Time now, Outbox& out,
                          std::vector<Found>& found) {
  const auto read = reads_.on_reply(request, reply);
  if (read && decided(*read)) end(*read, now, out, found);
}

// Can a silent node change anything any more?
bool HolderScan::decided(MajorityReads::Id id) const {
  const MajorityRead& read = reads_.at(id);
  if (read.complete()) return true;
  for (std::size_t i = 0; i < names_.at(id).size; ++i) {
    if (!read.seen_by_majority(i) || !read.view(i).decided) return false;
  }
  return true;
}

void HolderScan::end(MajorityReads::Id id, Time now, Outbox& out, std::vector<Found>& found) {
  const Names names = names_.extract(id).mapped();
  const MajorityRead& read = reads_.at(id);
  for (std::size_t i = 0; i < names.size; ++i) {
    found.push_back({names.first + i, read.seen_by_majority(i) ? std::optional(read.view(i)) : std::nullopt});
  }
  reads_.end(id, out);
  if (asked_ < keys_.size()) this->read(now, out);
}

void HolderScan::on_timer(Time now, Outbox& out, std::vector<Found>& found) {
  for (const MajorityReads::Id id : reads_.on_timer(now, out)) end(id, now, out, found);
}

std::optional<Time> HolderScan::wake() const { return reads_.wake(); }

}  // namespace tenure::core
