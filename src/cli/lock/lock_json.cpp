#include <span>

#include "cli/contains_text.hpp"
#include "cli/lock/lock_output.hpp"
#include "redis/grant_text.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

void add_holder(Json& json, const core::Holder& holder, core::Ttl left) {
  const bool there = left != core::Ttl(-2);
  json.key("owner");
  if (there) {
    json.text(holder.owner);
  } else {
    json.null();
  }
  const bool has_token = there && holder.token != 0;
  json.key("token").number_or_null(has_token ? std::optional(holder.token) : std::nullopt);
  json.key("left_ms").number_or_null(left < core::Ttl::zero() ? std::nullopt : std::optional(left.count()));
}

namespace {

void add_lock(Json& json, const LockView& lock) {
  json.key("name").text(lock.name);
  json.key("kind").text_or_null(lock.kind ? word_for(*lock.kind) : "");
  json.key("fleet");
  if (lock.kind == LeaseKind::session) {
    json.text(lock.fleet);
  } else {
    json.null();
  }
  json.key("state").text(word_for(lock.state));
  add_holder(json, lock.holder, lock.left);
  json.key("owner_began").number_or_null(runtime::began(lock.holder.owner));
  json.key("waiting").number(lock.waiters);
  json.key("shown_on").number(lock.shown_on);
  json.key("nodes").number(lock.nodes_all);
}

void add_with_views(Json& json, const LockView& lock, const std::vector<std::string>& names) {
  add_lock(json, lock);
  json.key("views").open_array();
  for (std::size_t i = 0; i < lock.nodes.size(); ++i) {
    const auto& key = lock.nodes[i];
    json.open_object();
    json.key("node").text(names[i]);
    json.key("answers").boolean(key.has_value());
    const auto shown = key.value_or(redis::FoundKey{});
    add_holder(json, redis::read_holder(shown.value), shown.left);
    json.key("waiting").number(shown.waiters);
    json.close_object();
  }
  json.close_array();
}

void add_fleets(Json& json, const std::vector<FleetCount>& fleets) {
  json.key("fleets").open_array();
  for (const auto& [fleet, sessions, instances] : fleets) {
    json.open_object().key("fleet").text(fleet);
    json.key("sessions").number(sessions);
    json.key("instances").number(instances).close_object();
  }
  json.close_array();
}

}  // namespace

std::string locks_json(const AllLeases& leases) {
  Json json;
  json.open_object().key("locks").open_array();
  for (const auto& lock : leases.looked.locks) {
    json.open_object();
    add_lock(json, lock);
    json.close_object();
  }
  json.close_array();
  add_fleets(json, leases.fleets);
  json.close_object();
  return json.written() + "\n";
}

std::string leases_page_json(const LeasesPage& page, const std::vector<LockView>& leases) {
  std::vector<const LockView*> shown;
  for (const auto& lease : leases) {
    const bool found = contains_text(lease.name, page.search) ||
                       (lease.taken() && contains_text(lease.holder.owner, page.search));
    if (lease.kind == page.kind && found) shown.push_back(&lease);
  }
  Json json;
  json.open_object().key("at_ms").number(page.at_ms);
  add_page(json, page.key, page.page, shown.size(), [&](std::size_t at) {
    json.open_object();
    add_lock(json, *shown[at]);
    json.close_object();
  });
  json.close_object();
  return json.written() + "\n";
}

std::string fleets_json(const std::vector<FleetCount>& fleets) {
  Json json;
  json.open_object();
  add_fleets(json, fleets);
  json.close_object();
  return json.written() + "\n";
}

std::string lock_json(const std::vector<LockView>& locks, const std::vector<std::string>& names) {
  Json json;
  json.open_object();
  add_with_views(json, locks.front(), names);
  json.key("also").open_array();
  for (const auto& lock : std::span(locks).subspan(1)) {
    json.open_object();
    add_with_views(json, lock, names);
    json.close_object();
  }
  json.close_array().close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
