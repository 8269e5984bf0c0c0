#include "redis/poll/session_index.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/number.hpp"
#include "redis/net/scan.hpp"

namespace tenure::redis {

namespace {

using core::Failure;

constexpr std::size_t changes_max = 10'000;

// id, version, id, version, …
tl::expected<void, Failure> add_versions(const std::vector<Value>& items,
                                         std::map<std::string, double>& versions) {
  if (items.size() % 2 != 0) return tl::unexpected(core::misfit);
  for (std::size_t i = 0; i < items.size(); i += 2) {
    const std::string& digits = items[i + 1].text;
    double version = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
    if (error != std::errc{} || end != digits.data() + digits.size()) return tl::unexpected(core::misfit);
    versions[items[i].text] = version;
  }
  return {};
}

}  // namespace

SessionIndex::SessionIndex(SessionKeys keys, poll::Addresses addresses)
    : keys_(std::move(keys)), addresses_(addresses) {}

tl::expected<void, Failure> SessionIndex::update(Caller& redis) {
  // Read first: what changes from here on has a later version, and is read the next time.
  const auto version = redis.call({"GET", keys_.version()});
  if (!version) return tl::unexpected(version.error());
  const std::string& now = version->text;
  if (!version_.empty() && now == version_) return {};

  auto changed = changes(redis, now);
  if (!changed) return tl::unexpected(changed.error());
  if (!*changed) {
    auto all = everything(redis, keys_.index());
    if (!all) return tl::unexpected(all.error());
    std::erase_if(known_, [&](const auto& it) { return !all->contains(it.first); });
    *changed = std::move(*all);
  }
  if (auto fetched = fetch(redis, **changed); !fetched) return fetched;
  version_ = now;
  return {};
}

tl::expected<std::optional<SessionIndex::Versions>, Failure> SessionIndex::changes(
    Caller& redis, const std::string& now) const {
  // A version that went backwards is that of restored data.
  const auto version_before = core::read_number<std::uint64_t>(version_);
  const auto version_now = core::read_number<std::uint64_t>(now);
  if (!version_before || !version_now || *version_now < *version_before) return std::nullopt;
  const auto page = redis.call({"ZRANGE", keys_.index(), "(" + version_, "+inf", "BYSCORE", "LIMIT", "0",
                                std::to_string(changes_max), "WITHSCORES"});
  if (!page) return tl::unexpected(page.error());
  Versions changed;
  if (auto added = add_versions(page->items, changed); !added) return tl::unexpected(added.error());
  if (changed.size() >= changes_max) return std::nullopt;

  // Those that are new and those that are known, together: if there are fewer, some were removed.
  const auto count = redis.call({"ZCARD", keys_.index()});
  if (!count) return tl::unexpected(count.error());
  const auto added =
      std::ranges::count_if(changed, [&](const auto& it) { return !known_.contains(it.first); });
  if (count->integer != std::ssize(known_) + added) return std::nullopt;
  return changed;
}

// By ZSCAN, page by page: what is there all the time is found, whatever else changes meanwhile.
tl::expected<SessionIndex::Versions, Failure> SessionIndex::everything(Caller& redis,
                                                                       const std::string& index) {
  Versions all;
  const auto take = [&](const std::vector<Value>& items) { return add_versions(items, all); };
  if (auto scanned = scan(redis, {{"ZSCAN", index}, {"COUNT", "1000"}}, take); !scanned) {
    return tl::unexpected(scanned.error());
  }
  return all;
}

tl::expected<void, Failure> SessionIndex::fetch(Caller& redis, const Versions& versions) {
  std::vector<std::string> ids;
  for (const auto& [id, version] : versions) {
    const auto known = known_.find(id);
    if (known == known_.end() || known->second.version != version) ids.push_back(id);
  }
  auto sessions = read_sessions(redis, keys_, ids, addresses_);
  if (!sessions) return tl::unexpected(sessions.error());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    known_[ids[i]] = {versions.at(ids[i]), std::move((*sessions)[i])};
  }
  return {};
}

}  // namespace tenure::redis
