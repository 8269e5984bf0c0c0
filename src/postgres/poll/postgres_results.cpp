#include "postgres/poll/postgres_results.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

namespace tenure::postgres {

namespace {

using poll::FindSlot;
using poll::FoundSlot;
using poll::NoAnswer;
using poll::Publish;
using poll::Published;
using poll::ResultReply;
using poll::ResultRequest;
using poll::Unstorable;

ResultReply published(Stored stored) {
  switch (stored) {
    case Stored::done:
      return Published::stored;
    case Stored::lease_gone:
      return Published::lease_gone;
    case Stored::locked:
      return NoAnswer{core::locked.detail};
    case Stored::outdated:
      break;
  }
  return Published::outdated;
}

std::int64_t unix_ms(poll::WallTime time) { return time.time_since_epoch().count(); }

// Of what was to be stored, not of the server.
bool is_of_value(const core::Failure& failure) { return failure.code == core::FailureCode::server; }

}  // namespace

PostgresResults::PostgresResults(std::unique_ptr<Server> server, Place place)
    : server_(std::move(server)), place_(std::move(place)) {}

std::vector<ResultReply> PostgresResults::ask(std::span<const ResultRequest> requests) {
  Replies replies(requests.size(), NoAnswer{});
  std::vector<Asked> to_publish;
  std::vector<std::size_t> to_find;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (const auto* find = std::get_if<FindSlot>(&requests[i])) {
      to_find.push_back(i);
      ids.push_back(find->session);
      continue;
    }
    const auto& [session, lease, text, slot, at] = std::get<Publish>(requests[i]);
    to_publish.push_back(
        {i, {session, place_.leases_here ? lease.key : "", lease.token, text, unix_ms(slot), unix_ms(at)}});
  }
  // Of one session in the order in which they were made.
  std::ranges::sort(to_publish, {}, [](const Asked& it) { return std::tie(it.result.session, it.at); });
  for (std::size_t from = 0; from < to_publish.size(); from += results_per_call) {
    publish(std::span(to_publish).subspan(from, std::min(results_per_call, to_publish.size() - from)),
            replies);
  }
  if (!ids.empty()) find_slots(to_find, ids, replies);
  return replies;
}

void PostgresResults::publish(std::span<const Asked> asked, Replies& replies) {
  std::vector<NewResult> results;
  results.reserve(asked.size());
  for (const Asked& it : asked) results.push_back(it.result);
  const auto answers = server_->ask(publish_call(place_.fleet, results)).and_then([&](const Rows& rows) {
    return stored(rows, asked.size());
  });
  if (answers) {
    for (std::size_t i = 0; i < asked.size(); ++i) replies[asked[i].at] = published((*answers)[i]);
    return;
  }
  const core::Failure& why = answers.error();
  // One of them cannot be stored, and the others can.
  if (is_of_value(why) && asked.size() > 1) {
    for (std::size_t i = 0; i < asked.size(); ++i) publish(asked.subspan(i, 1), replies);
    return;
  }
  for (const Asked& it : asked) {
    if (is_of_value(why)) {
      replies[it.at] = Unstorable{why.detail};
    } else {
      replies[it.at] = NoAnswer{why.detail};
    }
  }
}

void PostgresResults::find_slots(const std::vector<std::size_t>& at, const std::vector<std::string>& ids,
                                 Replies& replies) {
  const auto found = server_->ask(results_call(place_.fleet, ids, 0)).and_then([&](const Rows& rows) {
    return results(rows, ids.size());
  });
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!found) {
      replies[at[i]] = NoAnswer{found.error().detail};
      continue;
    }
    const auto& slot = (*found)[i].slot_ms;
    replies[at[i]] = slot ? FoundSlot{poll::WallTime(poll::Milliseconds(*slot))} : FoundSlot{};
  }
}

}  // namespace tenure::postgres
