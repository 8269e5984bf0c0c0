#include "cli/fleet/fleet_output.hpp"
#include "cli/json.hpp"
#include "cli/lock/lock_output.hpp"
#include "cli/secrets.hpp"

namespace tenure::cli {

namespace {

std::optional<std::int64_t> known(core::Ttl left) {
  return left < core::Ttl::zero() ? std::nullopt : std::optional<std::int64_t>(left.count());
}

void add_instance(Json& json, const InstanceView& instance) {
  json.open_object();
  json.key("id").text(instance.id);
  json.key("status").text(instance.status);
  json.key("started_ms").number_or_null(instance.started_ms);
  json.key("weight").number(instance.weight);
  json.key("owned").number(instance.owned);
  json.key("says_owned").number(instance.says_owned);
  json.key("share").decimal(instance.share);
  json.key("left_ms").number_or_null(known(instance.left));
  json.close_object();
}

void add_lease(Json& json, const LeaseView& lease) {
  json.key("state").text(word_for(lease.state));
  // What is left over of a lease that holds nothing is of no interest here.
  add_holder(json, lease.holder, lease.taken() ? lease.left : core::Ttl(-2));
}

void add_result(Json& json, const FleetFacts::Result& result) {
  json.key("result");
  if (!result.text) {
    json.null();
    return;
  }
  json.open_object();
  json.key("ok").boolean(result.text->ok);
  json.key("error").text(without_secrets(result.text->error));
  json.key("at_ms").number_or_null(result.text->at_ms);
  json.key("took_ms").number_or_null(result.text->took_ms);
  json.key("token").number(result.token);
  json.close_object();
}

void add_sessions(Json& json, const FleetView& view) {
  json.key("sessions").open_array();
  for (const auto& it : view.sessions) {
    json.open_object();
    add_session_fields(json, it);
    json.close_object();
  }
  json.close_array();
  json.key("bad").open_array();
  for (const auto& [id, why] : view.bad) {
    json.open_object().key("id").text(id).key("why").text(why).close_object();
  }
  json.close_array();
}

void add_balance(Json& json, const std::optional<Balance>& balance) {
  json.key("balance");
  if (!balance) {
    json.null();
    return;
  }
  json.open_object().key("within_one").boolean(balance->within_one);
  json.key("most").decimal(balance->most).key("fewest").decimal(balance->fewest).close_object();
}

void add_closed(Json& json, const FleetView& view) {
  json.key("open").boolean(view.open);
  json.key("not_open").open_array();
  for (const auto& it : view.closed) {
    json.open_object().key("node").text(it.node).key("code").text(it.code);
    json.key("what").text(it.what).key("why").text(it.why).key("advice").text(it.advice);
    json.key("left_ms").number_or_null(it.left ? known(*it.left) : std::nullopt);
    json.key("left_max_ms").number_or_null(it.left_max ? known(*it.left_max) : std::nullopt);
    json.close_object();
  }
  json.close_array();
}

// All but the sessions themselves.
void add_summary(Json& json, const FleetView& view, const std::string& fleet) {
  json.key("fleet").text(fleet).key("at_ms").number(view.now_ms);
  json.key("instances").open_array();
  for (const auto& instance : view.instances) add_instance(json, instance);
  json.close_array();
  add_balance(json, view.balance);
  add_closed(json, view);
  json.key("counts").open_object();
  json.key("sessions").number(view.sessions.size());
  json.key("paused").number(view.paused);
  json.key("owned").number(view.owned);
  json.key("unlisted").number(view.unlisted);
  json.key("nobody").number(view.nobody);
  json.key("failing").number(view.failing);
  json.key("bad").number(view.bad.size());
  json.close_object();
}

}  // namespace

void add_session_fields(Json& json, const SessionView& it) {
  json.key("id").text(it.session.id);
  json.key("address").text(without_secrets(it.session.address));
  json.key("interval_ms").number(it.session.interval.count());
  json.key("paused").boolean(it.session.paused);
  add_lease(json, it.lease);
  add_result(json, it.result);
}

std::string sessions_json(const FleetView& view) {
  Json json;
  json.open_object();
  add_sessions(json, view);
  json.close_object();
  return json.written() + "\n";
}

std::string status_json(const FleetView& view, const std::string& fleet) {
  Json json;
  json.open_object();
  add_summary(json, view, fleet);
  add_sessions(json, view);
  json.close_object();
  return json.written() + "\n";
}

std::string fleet_json(const FleetView& view, const std::string& fleet) {
  Json json;
  json.open_object();
  add_summary(json, view, fleet);
  json.close_object();
  return json.written() + "\n";
}

}  // namespace tenure::cli
