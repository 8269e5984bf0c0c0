#include "cli/fleet/redis_fleet_data.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "cli/ask_all.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "redis/poll/redis_sessions.hpp"
#include "redis/text/failure_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr std::size_t beats_per_call = 500;

template <class Item>
std::span<const Item> part(const std::vector<Item>& all, std::size_t from, std::size_t size) {
  return std::span(all).subspan(from, std::min(size, all.size() - from));
}

FleetFacts::Result understood(const redis::FoundResult& found) {
  return {poll::read_result(found.beginning), core::read_number<std::uint64_t>(found.token).value_or(0)};
}

class RedisFleetData final : public FleetData {
 public:
  explicit RedisFleetData(RedisFleetPlace place)
      : place_(std::move(place)),
        sessions_({place_.address, place_.tls, place_.keys, place_.find, place_.addresses, ask_timeout}) {}

  std::string sessions_place(const std::string& id) const override {
    return "the key " + core::printable(place_.keys.session(id.empty() ? "ID" : id));
  }

  Asked<Sessions> sessions() override { return sessions_.read(); }

  Asked<std::vector<FleetFacts::Beat>> beats() override {
    return ask<std::vector<FleetFacts::Beat>>([&](redis::Caller& redis) { return read_beats(redis); });
  }

  Asked<std::vector<FleetFacts::Result>> results(const std::vector<std::string>& ids) override {
    return ask<std::vector<FleetFacts::Result>>(
        [&](redis::Caller& redis) { return read_results(redis, ids); });
  }

  Asked<FoundText> find(const std::string& id) override {
    return ask<FoundText>([&](redis::Caller& redis) {
      const auto call = redis::session_texts_call(place_.keys, std::span(&id, 1), poll::session_text_max + 1);
      return redis.call(call)
          .and_then([](const redis::Value& answer) { return redis::session_texts(answer, 1); })
          .map([](std::vector<redis::FoundText>&& texts) { return found(std::move(texts.front())); });
    });
  }

  Asked<bool> put(const std::string& id, const std::string& text, const FoundText& over) override {
    const auto before = over.kind == FoundText::Kind::text ? std::optional(over.text) : std::nullopt;
    return ask<bool>([&](redis::Caller& redis) {
      return redis.call(redis::session_put_call(place_.keys, {id, text}, before))
          .and_then(redis::session_put)
          .map([](redis::Put put) { return put != redis::Put::changed; });
    });
  }

  Asked<bool> remove(const std::string& id) override {
    return ask<bool>([&](redis::Caller& redis) {
      return redis.call(redis::session_remove_call(place_.keys, id)).and_then(redis::session_removed);
    });
  }

  Asked<void> forget(const std::vector<std::string>& ids) override {
    redis::Command command{"DEL", place_.keys.index(), place_.keys.version(), place_.keys.nodes()};
    for (const std::string& id : ids) {
      command.push_back(place_.keys.session(id));
      command.push_back(place_.keys.states() + id);
    }
    return ask<void>(
        [&](redis::Caller& redis) { return redis.call(command).map([](const redis::Value&) {}); });
  }

 private:
  template <class Answer, class Ask>
  Asked<Answer> ask(const Ask& ask) const {
    return redis::Caller::connect(place_.address, ask_timeout, place_.tls)
        .and_then([&](redis::Caller&& redis) -> tl::expected<Answer, Failure> { return ask(redis); })
        .map_error([&](const Failure& failure) { return redis::failure_text(place_.address, failure); });
  }

  static FoundText found(redis::FoundText&& it) {
    switch (it.kind) {
      case redis::FoundText::Kind::text:
        return {FoundText::Kind::text, std::move(it.text)};
      case redis::FoundText::Kind::no_string:
        return {FoundText::Kind::no_session, {}};
      case redis::FoundText::Kind::absent:
        break;
    }
    return {};
  }

  tl::expected<std::vector<FleetFacts::Beat>, Failure> read_beats(redis::Caller& redis) const {
    std::vector<FleetFacts::Beat> beats;
    const auto known = redis.call({"HKEYS", place_.keys.nodes()});
    if (!known) return tl::unexpected(known.error());
    for (std::size_t from = 0; from < known->items.size(); from += beats_per_call) {
      const auto some = part(known->items, from, beats_per_call);
      core::LookRequest request;
      for (const auto& item : some) request.keys.push_back(place_.keys.node(item.text));
      const auto answer = redis.call(redis::script_call(request, place_.keyspace, "", redis::CallBy::body));
      if (!answer) return tl::unexpected(answer.error());
      const auto found = redis::found_keys(*answer, some.size());
      if (!found) return tl::unexpected(found.error());
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto& key = (*found)[i];
        if (key.exists()) beats.push_back({some[i].text, poll::read_instance(key.value), key.left});
      }
    }
    return beats;
  }

  tl::expected<std::vector<FleetFacts::Result>, Failure> read_results(
      redis::Caller& redis, const std::vector<std::string>& ids) const {
    std::vector<FleetFacts::Result> results;
    results.reserve(ids.size());
    for (std::size_t from = 0; from < ids.size(); from += redis::results_per_call) {
      const auto some = part(ids, from, redis::results_per_call);
      const auto answer = redis.call(redis::results_call(place_.keys, some));
      if (!answer) return tl::unexpected(answer.error());
      const auto found = redis::results(*answer, some.size());
      if (!found) return tl::unexpected(found.error());
      for (const auto& it : *found) results.push_back(understood(it));
    }
    return results;
  }

  RedisFleetPlace place_;
  redis::RedisSessions sessions_;  // knows what it has read before
};

}  // namespace

std::unique_ptr<FleetData> redis_fleet_data(RedisFleetPlace place) {
  return std::make_unique<RedisFleetData>(std::move(place));
}

}  // namespace tenure::cli
