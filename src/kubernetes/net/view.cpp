#include "kubernetes/net/view.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "kubernetes/lease_task.hpp"
#include "kubernetes/net/asked_once.hpp"
#include "kubernetes/object_name.hpp"
#include "poll/json_text.hpp"

namespace tenure::kubernetes {

namespace {

namespace json = poll::json;
using core::Applied;
using core::Failure;
using core::FailureCode;
using States = std::map<std::string, core::KeyState>;

constexpr auto page = "500";
// What Tenure does with Leases: see deploy/kubernetes.
constexpr std::array verbs{"get", "list", "watch", "create", "update"};

tl::unexpected<Failure> misfit(std::string why) {
  return tl::unexpected(Failure{Applied::no, FailureCode::protocol, std::move(why)});
}

// What stands under these names, one in the other; null: nothing does.
const json::value* inside(const json::value& value, std::initializer_list<const char*> names) {
  const json::value* here = &value;
  for (const char* name : names) {
    const auto* object = here->if_object();
    here = object != nullptr ? object->if_contains(name) : nullptr;
    if (here == nullptr) return nullptr;
  }
  return here;
}

std::string text_in(const json::value& value, std::initializer_list<const char*> names) {
  const auto* found = inside(value, names);
  const auto* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(*text) : std::string();
}

tl::expected<json::value, Failure> asked(const Place& place, const ApiCall& call, core::Duration timeout,
                                         std::optional<std::chrono::seconds>& date) {
  const auto answer = ask_once(place, call, timeout);
  if (!answer) return tl::unexpected(answer.error());
  if (!answer->fine()) return tl::unexpected(failure_of(call, *answer));
  date = answer->date;
  auto read = poll::read_json(answer->body);
  if (!read) return misfit("the API server's answer is no JSON: " + read.error());
  return std::move(*read);
}

tl::expected<void, Failure> add_items(const json::value& list,
                                      const std::optional<std::chrono::seconds>& date, States& states) {
  const auto* items = inside(list, {"items"});
  if (items == nullptr || !items->is_array()) return misfit("the API server's answer is no list");
  for (const json::value& item : items->get_array()) {
    const auto lease = read_lease(json::serialize(item));
    if (!lease) return misfit(lease.error());
    auto state = seen_once(*lease, date);
    if (state.exists()) states[name_of_object(text_in(item, {"metadata", "name"}))] = std::move(state);
  }
  return {};
}

tl::expected<bool, Failure> may(const Place& place, const char* verb, core::Duration timeout) {
  const json::value review{{"apiVersion", "authorization.k8s.io/v1"},
                           {"kind", "SelfSubjectAccessReview"},
                           {"spec",
                            {{"resourceAttributes",
                              {{"namespace", place.name_space},
                               {"verb", verb},
                               {"group", "coordination.k8s.io"},
                               {"resource", "leases"}}}}}};
  std::optional<std::chrono::seconds> date;
  const auto read = asked(
      place, {"POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json::serialize(review)},
      timeout, date);
  if (!read) return tl::unexpected(read.error());
  const auto* allowed = inside(*read, {"status", "allowed"});
  return allowed != nullptr && allowed->is_bool() && allowed->get_bool();
}

}  // namespace

core::KeyState seen_once(const Lease& lease, const std::optional<std::chrono::seconds>& date) {
  core::KeyState state = key_state({lease, core::Time{}}, core::Time{});
  if (!state.exists() || !lease.renewed || !date) return state;
  const auto left = std::chrono::ceil<core::Ttl>(*lease.renewed + lease.length - *date);
  state.left = std::clamp<core::Ttl>(left, core::Ttl::zero(), lease.length);
  return state;
}

tl::expected<States, Failure> held_leases(const Place& place, core::Duration timeout) {
  States states;
  std::string more;
  do {
    std::string target = leases_target(place.name_space) + "?limit=" + page;
    if (!more.empty()) target += "&continue=" + http_client::url_escaped(more);
    std::optional<std::chrono::seconds> date;
    const auto list = asked(place, {"GET", target}, timeout, date);
    if (!list) return tl::unexpected(list.error());
    if (auto added = add_items(*list, date, states); !added) return tl::unexpected(std::move(added.error()));
    more = text_in(*list, {"metadata", "continue"});
  } while (!more.empty());
  return states;
}

tl::expected<ServerFacts, Failure> look_at(const Place& place, core::Duration timeout) {
  std::optional<std::chrono::seconds> date;
  const auto version = asked(place, {"GET", "/version"}, timeout, date);
  if (!version) return tl::unexpected(version.error());
  ServerFacts facts{.version = text_in(*version, {"gitVersion"})};
  for (const char* verb : verbs) {
    const auto allowed = may(place, verb, timeout);
    if (!allowed) return tl::unexpected(allowed.error());
    if (!*allowed) facts.missing_verbs.emplace_back(verb);
  }
  return facts;
}

}  // namespace tenure::kubernetes
