#include "cli/fleet/postgresql_fleet_data.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "api/open_store.hpp"
#include "cli/ask_all.hpp"
#include "core/base/text.hpp"
#include "postgres/poll/postgres_sessions.hpp"
#include "postgres/session_call.hpp"

namespace tenure::cli {

namespace {

using postgres::Rows;

// Of a result: what was polled stands behind that, and can be long.
constexpr std::size_t result_beginning = 1'000;

// The error says where.
template <class Read>
auto ask(postgres::Server& server, const postgres::Call& call, const Read& read) {
  return server.ask(call).and_then(read).map_error(
      [&](const core::Failure& failure) { return server.name() + ": " + failure.detail; });
}

class PostgresqlFleetData final : public FleetData {
 public:
  PostgresqlFleetData(const std::string& url, std::string fleet, poll::Addresses addresses)
      : fleet_(std::move(fleet)),
        server_(detail::open_server(url, ask_timeout).value()),
        sessions_(detail::open_server(url, ask_timeout).value(), fleet_, addresses) {}

  std::string sessions_place(const std::string& id) const override {
    return (id.empty() ? "a row of fleet " : "the row of fleet ") + core::printable(fleet_) +
           (id.empty() ? "" : " and id " + core::printable(id)) + " in the table tenure.session";
  }

  Asked<Sessions> sessions() override { return sessions_.read(); }

  Asked<std::vector<FleetFacts::Beat>> beats() override {
    return ask(*server_, postgres::beats_call(fleet_), postgres::beats).map([](const auto& found) {
      std::vector<FleetFacts::Beat> beats;
      for (const auto& [instance, beat, left] : found) {
        // An instance that leaves removes its heartbeat here.
        beats.push_back({instance,
                         poll::InstanceText{"ready", beat.started_ms, beat.weight, beat.owned, beat.version},
                         left});
      }
      return beats;
    });
  }

  Asked<std::vector<FleetFacts::Result>> results(const std::vector<std::string>& ids) override {
    std::vector<FleetFacts::Result> all;
    all.reserve(ids.size());
    for (std::size_t from = 0; from < ids.size(); from += postgres::results_per_call) {
      const auto some = std::span(ids).subspan(from, std::min(postgres::results_per_call, ids.size() - from));
      const auto found = ask(*server_, postgres::results_call(fleet_, some, result_beginning),
                             [&](const Rows& rows) { return postgres::results(rows, some.size()); });
      if (!found) return tl::unexpected(found.error());
      for (const auto& it : *found) all.push_back({poll::read_result(it.beginning), it.token});
    }
    return all;
  }

  Asked<FoundText> find(const std::string& id) override {
    return ask(*server_, postgres::session_text_call(fleet_, id, poll::session_text_max + 1),
               postgres::session_text)
        .map([](const std::optional<std::string>& text) {
          return text ? FoundText{FoundText::Kind::text, *text} : FoundText{};
        });
  }

  Asked<bool> put(const std::string& id, const std::string& text, const FoundText& over) override {
    const postgres::Value before =
        over.kind == FoundText::Kind::text ? postgres::Value(over.text) : std::nullopt;
    return ask(*server_, postgres::session_put_call(fleet_, {id, text}, before), postgres::session_put)
        .map([](postgres::Put put) { return put != postgres::Put::changed; });
  }

  Asked<bool> remove(const std::string& id) override {
    return ask(*server_, postgres::session_remove_call(fleet_, id), postgres::session_removed);
  }

  Asked<void> forget(const std::vector<std::string>& ids) override {
    for (const std::string& id : ids) {
      if (const auto removed = remove(id); !removed) return tl::unexpected(removed.error());
    }
    return ask(*server_, postgres::fleet_forget_call(fleet_),
               [](const Rows& /*none*/) -> tl::expected<void, core::Failure> { return {}; });
  }

 private:
  std::string fleet_;
  std::unique_ptr<postgres::Server> server_;
  postgres::PostgresSessions sessions_;  // knows what it has read before
};

}  // namespace

std::unique_ptr<FleetData> postgresql_fleet_data(const std::string& url, std::string fleet,
                                                 poll::Addresses addresses) {
  return std::make_unique<PostgresqlFleetData>(url, std::move(fleet), addresses);
}

}  // namespace tenure::cli
