#include "redis/sentinel.hpp"

#include <string>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "redis/conversation.hpp"
#include "redis/failure.hpp"
#include "redis/url_parts.hpp"

namespace tenure::redis {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

constexpr std::size_t shown_max = 100;

Greeting greeting_of(const SentinelGroup& group) { return {group.user, group.password, 0}; }
// Without the database: the role of a server is the same in all of them.
Greeting greeting_of(const Address& address) { return {address.user, address.password, 0}; }

// The last of the answers, or the error that is among them.
tl::expected<const Value*, Failure> last_of(const Greeting& greeting, const std::vector<Value>& answers) {
  if (answers.empty()) return tl::unexpected(core::misfit);
  for (const Value& answer : answers) {
    if (answer.kind == Value::Kind::error) return tl::unexpected(greeting_failure(greeting, answer.text));
  }
  return &answers.back();
}

}  // namespace

std::vector<Command> master_question(const SentinelGroup& group) {
  auto commands = greeting_commands(greeting_of(group));
  commands.push_back({"SENTINEL", "GET-MASTER-ADDR-BY-NAME", group.master});
  return commands;
}

tl::expected<HostPort, Failure> read_master(const SentinelGroup& group, const std::vector<Value>& answers) {
  const auto last = last_of(greeting_of(group), answers);
  if (!last) {
    Failure failure = last.error();
    failure.applied = Applied::no;
    if (failure.code == FailureCode::auth)
      failure.detail += " (sentinel_user and sentinel_password are for it)";
    if (failure.code == FailureCode::unsupported) {
      // It says nothing about the server that others name.
      failure.code = FailureCode::server;
      if (answers.back().text.starts_with("ERR unknown command"))
        failure.detail = "it is no Sentinel: it does not know the command SENTINEL";
    }
    return tl::unexpected(std::move(failure));
  }
  const Value& answer = **last;
  if (answer.kind == Value::Kind::nil) {
    return tl::unexpected(
        Failure{Applied::no, FailureCode::server,
                "it knows no master by the name " + core::printable(group.master, shown_max)});
  }
  const auto port =
      answer.items.size() == 2 ? core::read_number<std::uint16_t>(answer.items[1].text) : std::nullopt;
  HostPort master{.port = port.value_or(0)};
  if (!port || *port == 0 ||
      read_host_and_port(answer.items[0].text.find(':') == std::string::npos
                             ? answer.items[0].text
                             : "[" + answer.items[0].text + "]",
                         master)) {
    return tl::unexpected(
        Failure{Applied::no, FailureCode::protocol, "it names a master that has no address"});
  }
  return master;
}

std::vector<Command> role_question(const Address& address) {
  auto commands = greeting_commands(greeting_of(address));
  commands.push_back({"ROLE"});
  return commands;
}

tl::expected<void, Failure> read_role(const Address& address, const std::vector<Value>& answers) {
  const auto last = last_of(greeting_of(address), answers);
  if (!last) {
    Failure failure = last.error();
    failure.applied = Applied::no;
    return tl::unexpected(std::move(failure));
  }
  const auto& items = (*last)->items;
  if (items.empty()) return tl::unexpected(core::misfit);
  if (items.front().text == "master") return {};
  if (items.front().text != "slave") {
    return tl::unexpected(Failure{
        Applied::no, FailureCode::unsupported,
        "it is no Redis that keeps data: its role is " + core::printable(items.front().text, shown_max)});
  }
  return tl::unexpected(Failure{Applied::no, FailureCode::read_only, "it says that it is a replica"});
}

std::optional<Failure> left_behind(const Value& answer) {
  if (answer.kind != Value::Kind::error) return std::nullopt;
  const FailureCode code = classify(answer.text).code;
  if (code == FailureCode::read_only) {
    return Failure{Applied::perhaps, code,
                   "the server is no master any more; the Sentinels are asked for another"};
  }
  if (answer.text.starts_with("NOREPLICAS")) {
    return Failure{
        Applied::perhaps, code,
        "the server takes no writes because too few replicas follow it; the Sentinels are asked whether "
        "another one is the master"};
  }
  return std::nullopt;
}

}  // namespace tenure::redis
