#include "consul/net/view.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "consul/failure.hpp"
#include "consul/lease_text.hpp"
#include "consul/record_text.hpp"
#include "consul/transaction.hpp"
#include "poll/json_text.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::consul {

namespace {

namespace json = poll::json;
using core::Applied;
using core::Failure;
using core::FailureCode;
using http_client::HttpAnswer;
using http_client::HttpRequest;

tl::expected<HttpAnswer, Failure> ask_once(const Place& place, HttpRequest request, core::Duration timeout) {
  if (!place.header.empty()) request.headers.push_back(place.header);
  request.timeout = timeout;
  const core::Time deadline = runtime::boot_now() + timeout;
  http_client::HttpCalls calls(place.server);
  calls.start(http_client::HttpCallId{1}, std::move(request));
  std::vector<http_client::HttpNews> news;
  while (news.empty()) {
    const runtime::Awaited awaited = calls.awaited();
    if (awaited.fd >= 0 && !runtime::wait_for(awaited.fd, awaited.events, deadline))
      return tl::unexpected(core::silence);
    calls.on_ready(news);
  }
  return std::move(news.front().answer);
}

tl::expected<std::vector<Entry>, Failure> entries_under(const Place& place, std::string_view prefix,
                                                        core::Duration timeout) {
  // Read at one moment, and from the leader.
  auto answer = ask_once(
      place, {.method = "PUT", .target = "/v1/txn?consistent", .body = Transaction().get(prefix).text()},
      timeout);
  if (!answer) return tl::unexpected(std::move(answer.error()));
  if (answer->status != 200) return tl::unexpected(classify(answer->status, answer->body));
  auto read = read_answer(answer->body);
  if (!read) return tl::unexpected(std::move(read.error()));
  return std::move(read->entries);
}

tl::expected<json::value, Failure> asked(const Place& place, const char* target, core::Duration timeout) {
  const auto answer = ask_once(place, {.method = "GET", .target = target}, timeout);
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 200) return tl::unexpected(classify(answer->status, answer->body));
  auto read = poll::read_json(answer->body);
  if (read) return std::move(*read);
  return tl::unexpected(
      Failure{Applied::no, FailureCode::protocol, "what it answers is no JSON: " + read.error()});
}

// Of the agent's own description; null: there is no such thing.
const json::value* described(const json::value& agent, const char* part, const char* name) {
  const auto* object = agent.if_object();
  const auto* found = object != nullptr ? object->if_contains(part) : nullptr;
  const auto* inner = found != nullptr ? found->if_object() : nullptr;
  return inner != nullptr ? inner->if_contains(name) : nullptr;
}

}  // namespace

tl::expected<std::map<std::string, core::KeyState>, Failure> held_leases(const Place& place,
                                                                         core::Duration timeout) {
  const auto entries = entries_under(place, place.keys.root + "/", timeout);
  if (!entries) return tl::unexpected(entries.error());
  std::map<std::string, core::KeyState> states;
  for (const Entry& entry : *entries) {
    if (!entry.key.ends_with("/.lock")) continue;
    auto state = key_state(entry);
    if (state.exists()) states[place.keys.name_in(entry.key)] = std::move(state);
  }
  return states;
}

tl::expected<core::FoundRecord, Failure> record_of(const Place& place, core::Duration timeout) {
  const auto entries = entries_under(place, place.keys.record(), timeout);
  if (!entries) return tl::unexpected(entries.error());
  for (const Entry& entry : *entries) {
    if (entry.key != place.keys.record()) continue;
    auto read = read_record(entry.value);
    return core::FoundRecord{read ? std::optional(std::move(read->record)) : std::nullopt, entry.value};
  }
  return core::FoundRecord{};
}

tl::expected<AgentFacts, Failure> look_at(const Place& place, core::Duration timeout) {
  const auto peers = asked(place, "/v1/status/peers", timeout);
  if (!peers) return tl::unexpected(peers.error());
  AgentFacts facts;
  if (peers->is_array()) facts.servers = peers->get_array().size();
  const auto agent = asked(place, "/v1/agent/self", timeout);
  // Leases need no right to that.
  if (!agent && agent.error().code == FailureCode::no_permission) return facts;
  if (!agent) return tl::unexpected(agent.error());
  if (const auto* version = described(*agent, "Config", "Version");
      version != nullptr && version->is_string())
    facts.version = std::string(version->get_string());
  const auto* dev = described(*agent, "DebugConfig", "DevMode");
  facts.keeps_nothing = dev != nullptr && dev->is_bool() && dev->get_bool();
  return facts;
}

}  // namespace tenure::consul
