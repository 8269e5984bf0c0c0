#include "cli/endpoint/own_json.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace tenure::cli {

using std::chrono::milliseconds;

void add_left(Json& json, BootClock::time_point deadline) {
  const auto left = std::chrono::floor<milliseconds>(deadline - BootClock::now());
  json.key("left_ms").number(std::max(left, milliseconds(0)).count());
}

void add_lease(Json& json, const std::string& name, const Lease* lease) {
  json.key("name").text(name);
  json.key("lease");
  if (lease == nullptr) {
    json.null();
    return;
  }
  json.open_object();
  json.key("token").number(lease->token());
  json.key("held").boolean(lease->held());
  add_left(json, lease->deadline());
  json.close_object();
}

void add_election(Json& json, const ElectionOptions& options, const Election* election) {
  json.key("election");
  if (election == nullptr) {
    json.null();
    return;
  }
  json.open_object();
  json.key("name").text(election->name());
  json.key("observes").boolean(options.observe);
  json.key("leads").boolean(election->is_leader());
  json.key("term").number_or_null(election->term());
  const auto leader = election->current_leader();
  json.key("leader");
  if (leader) {
    json.open_object().key("id").text(leader->id);
    json.key("term").number(leader->term);
    json.close_object();
  } else {
    json.null();
  }
  json.close_object();
}

http::Response leader_json(const Election* election) {
  const auto leader = election == nullptr ? std::nullopt : election->current_leader();
  Json json;
  json.open_object().key("name").text(leader ? leader->id : "");
  json.key("term").number_or_null(leader ? std::optional(leader->term) : std::nullopt);
  json.close_object();
  return http::Response::json(json.written() + "\n");
}

}  // namespace tenure::cli
