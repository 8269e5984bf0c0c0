#include "cli/fleet/poll_state.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/endpoint/own_json.hpp"
#include "cli/endpoint/page_of.hpp"
#include "cli/natural_order.hpp"

namespace tenure::cli {

void add_polling(Json& json, const Polling* polling) {
  json.key("fleet");
  if (polling == nullptr) {
    json.null();
    return;
  }
  json.open_object();
  json.key("name").text(polling->fleet.name());
  json.key("owned").number(polling->fleet.owned_sessions().size());
  json.key("instances").open_array();
  for (const auto& instance : polling->fleet.live_instances()) {
    json.open_object().key("id").text(instance.id);
    json.key("weight").number(instance.weight);
    json.key("owned").number(instance.owned);
    json.close_object();
  }
  json.close_array();
  const auto counts = polling->poller.counts();
  json.key("polls").open_object();
  json.key("started").number(counts.started);
  json.key("succeeded").number(counts.succeeded);
  json.key("failed").number(counts.failed);
  json.key("aborted").number(counts.aborted);
  json.key("refused").number(counts.refused);
  json.key("in_flight").number(counts.in_flight);
  json.close_object().close_object();
}

http::Response owned_json(const http::Request& request, const Polling* polling) {
  const auto page = page_of(request);
  if (!page) return page.error();
  std::vector<std::string> owned;
  if (polling != nullptr) owned = polling->fleet.owned_sessions();
  std::ranges::sort(owned, NaturalLess{});
  Json json;
  json.open_object();
  add_page(json, "sessions", *page, owned.size(), [&](std::size_t at) {
    const auto lease = polling->fleet.lease_info(owned[at]);
    if (!lease) return;  // it has just gone
    json.open_object().key("id").text(owned[at]);
    json.key("token").number(lease->token);
    add_left(json, lease->deadline);
    json.close_object();
  });
  json.close_object();
  return http::Response::json(json.written() + "\n");
}

}  // namespace tenure::cli
