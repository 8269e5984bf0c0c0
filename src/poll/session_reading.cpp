#include "poll/session_reading.hpp"

#include <algorithm>

#include "redis/net/scan.hpp"

namespace tenure::poll {

namespace {

using redis::FoundText;

ReadSession understood(const std::string& id, const FoundText& found, Addresses addresses) {
  switch (found.kind) {
    case FoundText::Kind::absent:
      break;
    case FoundText::Kind::no_string:
      return {ReadSession::Kind::bad, {.id = id}, "its key is not a string"};
    case FoundText::Kind::text: {
      auto session = read_session(id, found.text, addresses);
      if (!session) return {ReadSession::Kind::bad, {.id = id}, std::move(session.error())};
      return {ReadSession::Kind::good, std::move(*session), {}};
    }
  }
  return {};
}

}  // namespace

tl::expected<std::vector<ReadSession>, core::Failure> read_sessions(redis::Caller& redis,
                                                                    const redis::SessionKeys& keys,
                                                                    std::span<const std::string> ids,
                                                                    Addresses addresses) {
  std::vector<ReadSession> sessions;
  sessions.reserve(ids.size());
  for (std::size_t from = 0; from < ids.size(); from += redis::texts_per_call) {
    const auto some = ids.subspan(from, std::min(redis::texts_per_call, ids.size() - from));
    // One byte more than is allowed shows that a text is longer.
    const auto answer = redis.call(redis::session_texts_call(keys, some, session_text_max + 1));
    if (!answer) return tl::unexpected(answer.error());
    const auto texts = redis::session_texts(*answer, some.size());
    if (!texts) return tl::unexpected(texts.error());
    for (std::size_t i = 0; i < some.size(); ++i) {
      sessions.push_back(understood(some[i], (*texts)[i], addresses));
    }
  }
  return sessions;
}

tl::expected<std::vector<std::string>, core::Failure> scan_sessions(redis::Caller& redis,
                                                                    const redis::SessionKeys& keys) {
  std::vector<std::string> ids;
  const std::string prefix = keys.sessions();
  const auto take = [&](const std::vector<std::string>& page) -> tl::expected<void, core::Failure> {
    for (const auto& key : page) ids.push_back(key.substr(prefix.size()));
    return {};
  };
  if (auto scanned = redis::scan_keys(redis, prefix, take); !scanned) {
    return tl::unexpected(scanned.error());
  }
  // A scan may give a key twice.
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  return ids;
}

}  // namespace tenure::poll
