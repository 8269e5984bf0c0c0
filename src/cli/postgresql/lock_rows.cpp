#include "cli/postgresql/lock_rows.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "cli/postgresql/ask_postgresql.hpp"
#include "redis/grant_text.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

// So many names are looked at by one statement, which takes some milliseconds.
constexpr std::size_t page_length = 1'000;

constexpr auto names_statement =
    "SELECT n.name FROM (SELECT name FROM tenure.lease WHERE ends > clock_timestamp() UNION "
    "SELECT name FROM tenure.waiter WHERE ends > clock_timestamp()) n "
    "WHERE starts_with(n.name, $1) AND n.name > $2 ORDER BY n.name LIMIT 1000";

// A name that is kept for a waiter has a token that begins with a zero, as on Redis.
std::string text_of(const core::KeyState& state) {
  if (!state.holder || !state.grant) return "";
  return state.holder->waits ? redis::stamp(*state.grant) + "0"
                             : redis::value(*state.grant, state.holder->token);
}

// Takes what is there of these names.
tl::expected<void, Failure> look_at(postgres::Caller& server, std::vector<std::string> keys,
                                    const postgres::Keyspace& keyspace, ByKey& found) {
  const core::Request request = core::LookRequest{std::move(keys)};
  const auto rows = server.call(postgres::call_of(request, keyspace, {}));
  if (!rows) return tl::unexpected(rows.error());
  const core::Reply reply = postgres::reply_of(request, *rows);
  const auto* states = std::get_if<core::KeyStates>(&reply);
  if (states == nullptr) {
    const auto* failure = std::get_if<Failure>(&reply);
    return tl::unexpected(failure == nullptr ? core::misfit : *failure);
  }
  const auto& names = std::get<core::LookRequest>(request).keys;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const core::KeyState& state = (*states)[i];
    redis::FoundKey key{.waiters = state.waiters};
    if (state.exists()) {
      key.value = text_of(state);
      key.left = state.left.value_or(core::Ttl(-1));
    }
    if (key.exists() || key.waiters > 0) found[names[i]] = std::move(key);
  }
  return {};
}

tl::expected<ByKey, Failure> look_at_each(postgres::Caller& server, const std::vector<std::string>& keys,
                                          const postgres::Keyspace& keyspace) {
  ByKey found;
  for (std::size_t from = 0; from < keys.size(); from += page_length) {
    const auto some = std::span(keys).subspan(from, std::min(page_length, keys.size() - from));
    if (auto looked = look_at(server, {some.begin(), some.end()}, keyspace, found); !looked) {
      return tl::unexpected(looked.error());
    }
  }
  return found;
}

tl::expected<ByKey, Failure> find_all(postgres::Caller& server, const std::string& key_prefix,
                                      const postgres::Keyspace& keyspace) {
  ByKey found;
  std::string last;
  while (true) {
    const auto rows = server.call({names_statement, {postgres::Value(key_prefix), postgres::Value(last)}});
    if (!rows) return tl::unexpected(rows.error());
    std::vector<std::string> names;
    for (const postgres::Row& row : *rows) names.push_back(row.at(0).value_or(""));
    if (names.empty()) return found;
    last = names.back();
    const bool end = names.size() < page_length;
    if (auto looked = look_at(server, std::move(names), keyspace, found); !looked) {
      return tl::unexpected(looked.error());
    }
    if (end) return found;
  }
}

}  // namespace

KeysShown rows_under(const PostgresqlNodes& nodes, const std::string& key_prefix) {
  return ask_postgresql<ByKey>(nodes, [&](postgres::Caller& server, std::size_t) {
    return find_all(server, key_prefix, nodes.keyspace);
  });
}

KeysShown rows_of(const PostgresqlNodes& nodes, const std::vector<std::string>& keys) {
  return ask_postgresql<ByKey>(nodes, [&](postgres::Caller& server, std::size_t) {
    return look_at_each(server, keys, nodes.keyspace);
  });
}

}  // namespace tenure::cli
