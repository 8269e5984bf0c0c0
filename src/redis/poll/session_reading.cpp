#include "redis/poll/session_reading.hpp"

#include <algorithm>

#include "redis/net/scan.hpp"

namespace tenure::redis {

namespace {

ReadSession understood(const std::string& id, const FoundText& found, poll::Addresses addresses) {
  switch (found.kind) {
    case FoundText::Kind::absent:
      break;
    case FoundText::Kind::no_string:
      return {ReadSession::Kind::bad, {.id = id}, "its key is not a string"};
    case FoundText::Kind::text: {
      auto session = poll::read_session(id, found.text, addresses);
      if (!session) return {ReadSession::Kind::bad, {.id = id}, std::move(session.error())};
      return {ReadSession::Kind::good, std::move(*session), {}};
    }
  }
  return {};
}

}  // namespace

tl::expected<std::vector<ReadSession>, core::Failure> read_sessions(Caller& redis, const SessionKeys& keys,
                                                                    std::span<const std::string> ids,
                                                                    poll::Addresses addresses) {
  std::vector<ReadSession> sessions;
  sessions.reserve(ids.size());
  for (std::size_t from = 0; from < ids.size(); from += texts_per_call) {
    const auto some = ids.subspan(from, std::min(texts_per_call, ids.size() - from));
    // One byte more than is allowed shows that a text is longer.
    const auto answer = redis.call(session_texts_call(keys, some, poll::session_text_max + 1));
    if (!answer) return tl::unexpected(answer.error());
    const auto texts = session_texts(*answer, some.size());
    if (!texts) return tl::unexpected(texts.error());
    for (std::size_t i = 0; i < some.size(); ++i) {
      sessions.push_back(understood(some[i], (*texts)[i], addresses));
    }
  }
  return sessions;
}

tl::expected<std::vector<std::string>, core::Failure> scan_sessions(Caller& redis, const SessionKeys& keys) {
  std::vector<std::string> ids;
  const std::string prefix = keys.sessions();
  const auto take = [&](const std::vector<std::string>& page) -> tl::expected<void, core::Failure> {
    for (const auto& key : page) ids.push_back(key.substr(prefix.size()));
    return {};
  };
  if (auto scanned = scan_keys(redis, prefix, take); !scanned) {
    return tl::unexpected(scanned.error());
  }
  // A scan may give a key twice.
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

}  // namespace tenure::redis
