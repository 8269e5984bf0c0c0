#include "postgres/session_call.hpp"

#include <algorithm>
#include <utility>

#include "core/base/number.hpp"
#include "postgres/array_text.hpp"

namespace tenure::postgres {

namespace {

auto misfit(const std::string& what) {
  return tl::unexpected(core::Failure{core::Applied::perhaps, core::FailureCode::protocol,
                                      "what the function gives does not fit: " + what});
}

template <class Number>
std::optional<Number> number_in(const Value& value) {
  return value ? core::read_number<Number>(*value) : std::nullopt;
}

bool all_have(const Rows& rows, std::size_t columns) {
  return std::ranges::all_of(rows, [&](const Row& row) { return row.size() == columns; });
}

// The only value of the only row.
Value single(const Rows& rows) {
  return rows.size() == 1 && rows.front().size() == 1 ? rows.front().front() : std::nullopt;
}

}  // namespace

Call sessions_call(const std::string& fleet, std::int64_t since, std::size_t length_max) {
  return {"SELECT * FROM tenure.sessions($1,$2,$3)",
          {fleet, std::to_string(since), std::to_string(length_max)}};
}

tl::expected<SessionsRead, core::Failure> sessions_read(const Rows& rows) {
  if (rows.empty() || !all_have(rows, 4)) return misfit("sessions gives a version and sessions");
  const auto version = number_in<std::int64_t>(rows.front()[2]);
  if (rows.front()[0] || !version) return misfit("sessions gives its version first");
  SessionsRead read{*version, rows.front()[3] == "t", rows.front()[1].value_or("")};
  read.texts.reserve(rows.size() - 1);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (!row[0] || !row[1]) return misfit("every session has an id and a text");
    read.texts.push_back({*row[0], *row[1]});
  }
  return read;
}

Call session_text_call(const std::string& fleet, const std::string& id, std::size_t length_max) {
  return {"SELECT * FROM tenure.session_text($1,$2,$3)", {fleet, id, std::to_string(length_max)}};
}

tl::expected<std::optional<std::string>, core::Failure> session_text(const Rows& rows) {
  if (rows.empty()) return std::nullopt;
  auto text = single(rows);
  if (!text) return misfit("session_text gives one text");
  return text;
}

Call session_put_call(const std::string& fleet, const SessionText& session, const Value& before) {
  return {"SELECT tenure.put_session($1,$2,$3,$4)", {fleet, session.id, session.text, before}};
}

tl::expected<Put, core::Failure> session_put(const Rows& rows) {
  const Value answer = single(rows);
  if (answer == "1") return Put::written;
  if (answer == "0") return Put::same;
  if (answer == "-1") return Put::changed;
  return misfit("put_session gives 1, 0 or -1");
}

Call session_remove_call(const std::string& fleet, const std::string& id) {
  return {"SELECT tenure.remove_session($1,$2)", {fleet, id}};
}

tl::expected<bool, core::Failure> session_removed(const Rows& rows) {
  const Value answer = single(rows);
  if (!answer) return misfit("remove_session gives a boolean");
  return answer == "t";
}

// Every operator here has its whole name, because the search_path is that of whoever asks.
Call fleet_forget_call(const std::string& fleet) {
  return {
      "WITH beats AS (DELETE FROM tenure.beat WHERE fleet OPERATOR(pg_catalog.=) $1), "
      "results AS (DELETE FROM tenure.state WHERE fleet OPERATOR(pg_catalog.=) $1), "
      "leases AS (DELETE FROM tenure.lease WHERE pg_catalog.starts_with(name, pg_catalog.concat($1, "
      "':lease:')) "
      "AND ends OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()) "
      "DELETE FROM tenure.fleet WHERE fleet OPERATOR(pg_catalog.=) $1",
      {fleet}};
}

Call beats_call(const std::string& fleet) {
  return {
      "SELECT id, tenure.left_ms(ends, pg_catalog.clock_timestamp()), started, weight, owned, version "
      "FROM tenure.beat WHERE fleet OPERATOR(pg_catalog.=) $1 "
      "AND ends OPERATOR(pg_catalog.>) pg_catalog.clock_timestamp() ORDER BY id",
      {fleet}};
}

tl::expected<std::vector<FoundBeat>, core::Failure> beats(const Rows& rows) {
  if (!all_have(rows, 6)) return misfit("a heartbeat has six columns");
  std::vector<FoundBeat> found;
  for (const Row& row : rows) {
    const auto left = number_in<std::int64_t>(row[1]);
    const auto started = number_in<std::int64_t>(row[2]);
    const auto weight = number_in<std::uint32_t>(row[3]);
    const auto owned = number_in<std::uint64_t>(row[4]);
    const auto version = number_in<std::uint64_t>(row[5]);
    if (!row[0] || !left || !started || !weight || !owned || !version)
      return misfit("a heartbeat has numbers");
    found.push_back(
        {*row[0],
         {.boot = {}, .started_ms = *started, .weight = *weight, .owned = *owned, .version = *version},
         core::Ttl(*left)});
  }
  return found;
}

Call publish_call(const std::string& fleet, std::span<const NewResult> results) {
  std::vector<std::string_view> ids;
  std::vector<std::string_view> leases;
  std::vector<std::int64_t> tokens;
  std::vector<std::string_view> texts;
  std::vector<std::int64_t> slots;
  std::vector<std::int64_t> ats;
  for (const NewResult& it : results) {
    ids.push_back(it.session);
    leases.push_back(it.lease);
    tokens.push_back(static_cast<std::int64_t>(it.token));
    texts.push_back(it.text);
    slots.push_back(it.slot_ms);
    ats.push_back(it.at_ms);
  }
  return {"SELECT tenure.publish($1,$2,$3,$4,$5,$6,$7)",
          {fleet, array_text(ids), array_text(leases), array_text(tokens), array_text(texts),
           array_text(slots), array_text(ats)}};
}

tl::expected<std::vector<Stored>, core::Failure> stored(const Rows& rows, std::size_t results) {
  const Value answer = single(rows);
  const auto numbers = answer ? read_numbers(*answer) : std::nullopt;
  if (!numbers || numbers->size() != results) return misfit("publish gives a number for each result");
  std::vector<Stored> all;
  all.reserve(results);
  for (const std::int64_t it : *numbers) {
    all.push_back(it == 1    ? Stored::done
                  : it == 0  ? Stored::lease_gone
                  : it == -2 ? Stored::locked
                             : Stored::outdated);
  }
  return all;
}

Call results_call(const std::string& fleet, std::span<const std::string> ids, std::size_t length_max) {
  const std::vector<std::string_view> names(ids.begin(), ids.end());
  return {"SELECT * FROM tenure.results($1,$2,$3)", {fleet, array_text(names), std::to_string(length_max)}};
}

tl::expected<std::vector<FoundResult>, core::Failure> results(const Rows& rows, std::size_t ids) {
  if (rows.size() != ids || !all_have(rows, 3)) return misfit("results gives a row for each session");
  std::vector<FoundResult> found;
  found.reserve(ids);
  for (const Row& row : rows) {
    found.push_back(
        {number_in<core::Token>(row[0]).value_or(0), row[1].value_or(""), number_in<std::int64_t>(row[2])});
  }
  return found;
}

}  // namespace tenure::postgres
