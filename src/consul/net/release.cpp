// A lease is given back by deleting its key, as `consul lock` does: only where it shows the grant, and is as it was when that was seen.
#include "consul/net/desk.hpp"
#include "consul/session_text.hpp"

namespace tenure::consul {

namespace {

using core::KeyAnswer;
using core::KeyAnswers;

constexpr int tries_max = 6;

}  // namespace

Task<tl::expected<bool, core::Failure>> remove(Desk desk, Entry entry) {
  Transaction writes;
  writes.check_same(entry.key, entry.modified, entry.session).remove(entry.key);
  auto answer = co_await desk.talk.write(desk.owner, writes);
  if (!answer) co_return tl::unexpected(std::move(answer.error()));
  co_return answer->done();
}

Task<core::Reply> release(Desk desk, core::ReleaseRequest request) {
  if (request.ticket) desk.shared.wait_no_more(*request.ticket);
  if (const Hold* hold = desk.shared.held(request.key, request.grant)) {
    const auto removed = co_await remove(desk, hold->entry);
    if (!removed) co_return removed.error();
    desk.shared.let_go(request.key, request.grant);
    if (*removed) {
      desk.shared.on_released(request.grant, desk.now);
      co_return KeyAnswers{KeyAnswer::done};
    }
  }
  for (int tries = 0; tries < tries_max; ++tries) {
    Transaction reads;
    reads.get(request.key);
    auto shown = co_await desk.talk.read(desk.owner, reads);
    if (!shown) co_return std::move(shown.error());
    desk.shared.on_released(request.grant, desk.now);
    const Entry* entry = shown->find(request.key);
    if (entry == nullptr) co_return KeyAnswers{KeyAnswer::missing};
    const auto lease = read_lease(entry->value);
    const bool ours = lease && lease->grant == request.grant;
    const bool held = !entry->session.empty();
    if (!ours) co_return KeyAnswers{held ? KeyAnswer::foreign : KeyAnswer::missing};
    const auto removed = co_await remove(desk, *entry);
    if (!removed) co_return removed.error();
    if (*removed) co_return KeyAnswers{held ? KeyAnswer::done : KeyAnswer::missing};
  }
  co_return core::Failure{core::Applied::perhaps, core::FailureCode::busy,
                          "others change the key faster than it can be deleted"};
}

Task<core::Reply> look(Desk desk, core::LookRequest request) {
  core::KeyStates states;
  for (std::size_t from = 0; from < request.keys.size(); from += Transaction::operations_max) {
    Transaction reads;
    const std::size_t to = std::min(from + Transaction::operations_max, request.keys.size());
    for (std::size_t i = from; i < to; ++i) reads.get(request.keys[i]);
    auto shown = co_await desk.talk.read(desk.owner, reads);
    if (!shown) co_return before_all(std::move(shown.error()));
    for (std::size_t i = from; i < to; ++i) {
      const Entry* entry = shown->find(request.keys[i]);
      states.push_back(entry == nullptr ? core::KeyState{} : key_state(*entry));
    }
  }
  co_return states;
}

}  // namespace tenure::consul
