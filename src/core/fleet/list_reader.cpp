#include "core/fleet/list_reader.hpp"

#include <iterator>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::core {

namespace {

// Half a megabyte, which a node sends in less than a millisecond.
constexpr std::uint64_t sessions_max = 65'536;

}  // namespace

void ListReader::start(std::vector<Wanted> wanted, Time now, Outbox& out) {
  must(!under_way(), "one reading after the other");
  wanted_.assign(std::make_move_iterator(wanted.begin()), std::make_move_iterator(wanted.end()));
  ask(now, out);
}

void ListReader::stop(Outbox& out) {
  wanted_.clear();
  if (asked_) out.forget(asked_->request);
  asked_.reset();
}

void ListReader::ask(Time now, Outbox& out) {
  asked_.reset();
  if (wanted_.empty()) return;
  ListsRequest lists{fleet_};
  std::vector<MemberIndex> members;
  std::uint64_t sessions = 0;
  // One list that is too long by itself is asked for alone.
  while (!wanted_.empty() && (members.empty() || sessions + wanted_.front().owned <= sessions_max)) {
    sessions += wanted_.front().owned;
    members.push_back(wanted_.front().member);
    lists.ids.push_back(std::move(wanted_.front().id));
    wanted_.pop_front();
  }
  const RequestId request = out.send(node_, std::move(lists), node_timeout_);
  asked_ = Asked{request, std::move(members), now + node_timeout_};
}

void ListReader::on_reply(RequestId request, const Reply& reply, Time now, Outbox& out,
                          std::vector<Read>& read) {
  if (!asked_ || asked_->request != request) return;
  if (const auto* lists = std::get_if<Lists>(&reply);
      lists != nullptr && lists->size() == asked_->members.size()) {
    for (std::size_t i = 0; i < lists->size(); ++i) read.push_back({asked_->members[i], (*lists)[i]});
  } else if (const auto* failure = std::get_if<Failure>(&reply);
             failure != nullptr && failure->code == FailureCode::no_permission) {
    for (const MemberIndex member : asked_->members) read.push_back({member, std::nullopt});
  }
  ask(now, out);
}

void ListReader::on_timer(Time now, Outbox& out) {
  if (!asked_ || now < asked_->gives_up) return;
  out.drop(node_, asked_->request);
  // A node that is silent now would be so for the rest as well.
  wanted_.clear();
  asked_.reset();
}

std::optional<Time> ListReader::wake() const {
  return asked_ ? std::optional(asked_->gives_up) : std::nullopt;
}

}  // namespace tenure::core
