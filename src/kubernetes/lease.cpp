#include "kubernetes/lease.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/check.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "poll/json_text.hpp"

namespace tenure::kubernetes {

namespace json = poll::json;
using std::chrono::seconds;

namespace {

constexpr auto token_note = "tenure/token";
constexpr auto nonce_note = "tenure/nonce";
// The renewTime that Tenure wrote with the grant: somebody who writes another one is another holder, whatever it calls itself.
constexpr auto renewed_note = "tenure/renewed";
// Of a Lease that does not say.
constexpr seconds usual_length{15};

const json::object* object_in(const json::object& parent, const char* name) {
  const auto* found = parent.if_contains(name);
  return found != nullptr ? found->if_object() : nullptr;
}

std::string text_in(const json::object* parent, const char* name) {
  if (parent == nullptr) return {};
  const auto* found = parent->if_contains(name);
  const auto* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(*text) : std::string();
}

std::optional<std::int64_t> number_in(const json::object* parent, const char* name) {
  if (parent == nullptr) return std::nullopt;
  const auto* found = parent->if_contains(name);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return found->get_int64();
}

std::optional<std::uint64_t> read_nonce(const std::string& digits) {
  std::uint64_t nonce = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), nonce, 16);
  if (error != std::errc{} || core::hex16(nonce) != digits) return std::nullopt;
  return nonce;
}

tl::expected<Lease, std::string> lease_of(const json::value& value) {
  const auto* object = value.if_object();
  const auto* metadata = object != nullptr ? object_in(*object, "metadata") : nullptr;
  if (metadata == nullptr)
    return tl::unexpected(std::string("the API server shows a Lease without metadata"));
  const auto* spec = object_in(*object, "spec");
  Lease lease;
  lease.version = text_in(metadata, "resourceVersion");
  lease.uid = text_in(metadata, "uid");
  // Without both an update would make anew what was deleted.
  if (lease.version.empty() || lease.uid.empty())
    return tl::unexpected(std::string("the API server shows a Lease without a resourceVersion and a uid"));
  lease.holder = text_in(spec, "holderIdentity");
  lease.length = seconds(std::clamp<std::int64_t>(
      number_in(spec, "leaseDurationSeconds").value_or(usual_length.count()), 0, 1'000'000'000));
  lease.acquired = read_micro_time(text_in(spec, "acquireTime"));
  lease.renewed = read_micro_time(text_in(spec, "renewTime"));
  lease.transitions = number_in(spec, "leaseTransitions").value_or(0);
  const auto* notes = object_in(*metadata, "annotations");
  lease.token = core::read_number<core::Token>(text_in(notes, token_note)).value_or(0);
  const auto nonce = read_nonce(text_in(notes, nonce_note));
  const bool written_by_tenure = text_in(notes, renewed_note) == text_in(spec, "renewTime");
  if (!lease.free() && nonce && lease.token != 0 && written_by_tenure)
    lease.grant.emplace(lease.holder, *nonce);
  lease.json = json::serialize(value);
  return lease;
}

// What is there already, or a new one.
json::object& member(json::object& parent, const char* name) {
  json::value& found = parent[name];
  return found.is_object() ? found.get_object() : found.emplace_object();
}

// Renewals are seen by their time, so that each has another one, also where the clock has been set back.
Micros later_than(const std::optional<Micros>& before, Micros now) {
  return before ? std::max(*before + Micros(1), now) : now;
}

// In a list they are left out.
void say_what_it_is(json::object& object) {
  object["apiVersion"] = "coordination.k8s.io/v1";
  object["kind"] = "Lease";
}

void show(json::object& object, const Shown& shown, Micros renewed) {
  json::object& notes = member(member(object, "metadata"), "annotations");
  const std::string time = micro_time(renewed);
  notes[token_note] = std::to_string(shown.token);
  notes[nonce_note] = core::hex16(shown.grant.nonce());
  notes[renewed_note] = time;
  json::object& spec = member(object, "spec");
  spec["holderIdentity"] = shown.grant.owner();
  spec["leaseDurationSeconds"] = length_of(shown.ttl).count();
  spec["renewTime"] = time;
}

json::object object_of(const Lease& lease) {
  auto read = poll::read_json(lease.json);
  core::must(read && read->is_object(), "what was written from an object is one");
  json::object object = std::move(read->get_object());
  say_what_it_is(object);
  return object;
}

}  // namespace

tl::expected<Lease, std::string> read_lease(std::string_view text) {
  const auto read = poll::read_json(text);
  if (!read) return tl::unexpected("the API server's answer is no JSON: " + read.error());
  return lease_of(*read);
}

tl::expected<LeaseList, std::string> read_list(std::string_view text) {
  const auto read = poll::read_json(text);
  if (!read) return tl::unexpected("the API server's answer is no JSON: " + read.error());
  const auto* object = read->if_object();
  const auto* metadata = object != nullptr ? object_in(*object, "metadata") : nullptr;
  LeaseList list{text_in(metadata, "resourceVersion")};
  if (list.version.empty())
    return tl::unexpected(std::string("the API server's answer is no list with a resourceVersion"));
  const auto* items = object->if_contains("items");
  if (items == nullptr || !items->is_array() || items->get_array().empty()) return list;
  auto first = lease_of(items->get_array().front());
  if (!first) return tl::unexpected(std::move(first.error()));
  list.first = std::move(*first);
  return list;
}

seconds length_of(core::Duration ttl) { return std::max(std::chrono::ceil<seconds>(ttl), seconds(1)); }

std::string new_lease(const std::string& object, const Shown& shown) {
  json::object lease;
  say_what_it_is(lease);
  member(lease, "metadata")["name"] = object;
  show(lease, shown, shown.now);
  json::object& spec = member(lease, "spec");
  spec["acquireTime"] = micro_time(shown.now);
  spec["leaseTransitions"] = 0;
  return json::serialize(lease);
}

std::string taken_lease(const Lease& before, const Shown& shown) {
  json::object lease = object_of(before);
  const Micros now = later_than(before.renewed, shown.now);
  show(lease, shown, now);
  json::object& spec = member(lease, "spec");
  spec["acquireTime"] = micro_time(now);
  spec["leaseTransitions"] = before.transitions + (before.holder == shown.grant.owner() ? 0 : 1);
  return json::serialize(lease);
}

std::string renewed_lease(const Lease& before, const Shown& shown) {
  json::object lease = object_of(before);
  show(lease, shown, later_than(before.renewed, shown.now));
  return json::serialize(lease);
}

std::string released_lease(const Lease& before, Micros now) {
  json::object lease = object_of(before);
  json::object& notes = member(member(lease, "metadata"), "annotations");
  notes.erase(nonce_note);
  notes.erase(renewed_note);
  const std::string time = micro_time(later_than(before.renewed, now));
  json::object& spec = member(lease, "spec");
  spec["holderIdentity"] = "";
  spec["leaseDurationSeconds"] = 1;
  spec["renewTime"] = time;
  spec["acquireTime"] = time;
  return json::serialize(lease);
}

}  // namespace tenure::kubernetes
