#include "postgres/contender.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "core/base/overload.hpp"
#include "postgres/call.hpp"
#include "postgres/net/postgres_node.hpp"
#include "postgres/schema.hpp"
#include "runtime/wall_clock.hpp"
#include "support/wait.hpp"

namespace tenure::test {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 10s;

postgres::Keyspace usual_keyspace(core::Ttl cap = usual_terms.cap) {
  return {.cap = cap, .set = usual_terms.set};
}

const char* word_for(core::FailureCode code) {
  switch (code) {
    using enum core::FailureCode;
    case unreachable:
      return "unreachable";
    case timed_out:
      return "timed out";
    case closed:
      return "closed";
    case tls:
      return "tls";
    case auth:
      return "auth";
    case no_permission:
      return "no permission";
    case starting:
      return "starting";
    case read_only:
      return "read only";
    case not_durable:
      return "not durable";
    case full:
      return "full";
    case busy:
      return "busy";
    case unsupported:
      return "unsupported";
    case not_set_up:
      return "not set up";
    case clock:
      return "clock";
    case protocol:
      return "protocol";
    case server:
      return "server";
  }
  return "?";
}

const char* word_for(core::KeyAnswer answer) {
  switch (answer) {
    case core::KeyAnswer::done:
      return "done";
    case core::KeyAnswer::missing:
      return "missing";
    case core::KeyAnswer::foreign:
      return "foreign";
    case core::KeyAnswer::locked:
      return "locked";
  }
  return "?";
}

std::string words_for(const core::KeyAnswers& answers) {
  std::string words;
  for (const core::KeyAnswer it : answers) words += (words.empty() ? "" : " ") + std::string(word_for(it));
  return words;
}

std::string words_for(const core::NotOpen& closed) {
  if (!closed.record.read) return closed.record.text;
  return (closed.record.read->open ? "open: " : "quarantined: ") + closed.record.read->why;
}

core::Token token_in(const core::Reply& reply) {
  const auto* granted = std::get_if<core::Granted>(&reply);
  return granted != nullptr ? granted->token : 0;
}

}  // namespace

void set_up(const std::string& url, core::Ttl cap) {
  postgres_query(url, postgres::schema_sql());
  const postgres::Address address = postgres::parse_url(url).value();
  auto caller = postgres::Caller::connect(address, patience).value();
  const auto made = caller.call(postgres::init_call({"e0", runtime::wall_now_ms()}, usual_keyspace(cap)));
  if (!made || made->front().front() != "t") throw std::runtime_error("there is a record already");
}

std::string record_in(const PostgresServer& server) {
  return server.query(
      "SELECT concat_ws(' ', CASE WHEN open THEN 'open' ELSE 'quarantined' END, why,"
      " CASE WHEN forgets THEN 'may-forget' ELSE 'durable' END) FROM tenure.record");
}

std::shared_ptr<runtime::Node> node_at(const std::string& url) {
  const std::vector<postgres::Address> addresses{postgres::parse_url(url).value()};
  return postgres::make_nodes(addresses, usual_keyspace()).front();
}

std::string said(const core::Reply& reply) {
  return std::visit(
      core::Overload{
          [](const core::Granted&) -> std::string { return "granted"; },
          [](const core::Held& held) {
            return (held.holder.waits ? "kept for " : "held by ") + held.holder.owner;
          },
          [](const core::NotOpen& closed) { return words_for(closed); },
          [](const core::Opened&) -> std::string { return "opened"; },
          [](const core::NodeClock&) -> std::string { return "time"; },
          [](const core::KeyAnswers& answers) { return words_for(answers); },
          [](const core::KeyStates& states) { return std::to_string(states.size()) + " states"; },
          [](const core::LiveMembers& live) { return std::to_string(live.members.size()) + " live"; },
          [](const core::Lists& lists) { return std::to_string(lists.size()) + " lists"; },
          [](const core::IdTaken&) -> std::string { return "id taken"; },
          [](const core::Failure& failure) -> std::string { return word_for(failure.code); },
      },
      reply);
}

Contender::Contender(const std::string& url, std::string owner) : Contender(node_at(url), std::move(owner)) {}

Contender::Contender(std::shared_ptr<runtime::Node> node, std::string owner)
    : Asking(std::move(node)), owner_(std::move(owner)), last_nonce_(std::hash<std::string>()(owner_)) {}

core::AcquireRequest Contender::request_of(const std::string& name, core::Ttl ttl) {
  return {name, core::Grant(owner_, ++last_nonce_), ttl};
}

std::string Contender::note(const std::string& name, const core::Grant& grant, const core::Reply& reply) {
  if (const core::Token token = token_in(reply); token != 0) holdings_[name] = {name, grant, token};
  if (const auto* failure = std::get_if<core::Failure>(&reply)) failure_ = *failure;
  return said(reply);
}

std::string Contender::acquire(const std::string& name, core::Ttl ttl) {
  const core::AcquireRequest request = request_of(name, ttl);
  return note(name, request.grant, ask(request));
}

std::string Contender::again(const std::string& name) {
  const core::Grant grant = holding(name).grant;
  return note(name, grant, ask(core::AcquireRequest{name, grant, long_enough}));
}

std::string Contender::wait(const std::string& name) {
  core::AcquireRequest request = request_of(name, long_enough);
  const auto [ticket, is_new] = tickets_.try_emplace(name, request.grant.with(~request.grant.nonce()));
  request.ticket = ticket->second;
  const core::Reply reply = ask(request);
  if (token_in(reply) != 0) tickets_.erase(name);
  return note(name, request.grant, reply);
}

std::string Contender::renew(const std::string& name) {
  return said_to(core::RenewRequest{long_enough, {holding(name)}});
}

std::string Contender::release(const std::string& name) {
  return said_to(core::ReleaseRequest{name, holding(name).grant});
}

std::string Contender::reassert(const std::string& name) {
  return said_to(core::ReassertRequest{long_enough, false, {holding(name)}});
}

std::string Contender::open() {
  if (!admitted()) return "not admitted";
  return said_to(core::OpenRequest{admitted()->epoch, admitted()->made_ms});
}

std::string Contender::said_to(const core::Request& request) {
  const core::Reply reply = ask(request);
  if (const auto* failure = std::get_if<core::Failure>(&reply)) failure_ = *failure;
  return said(reply);
}

core::RequestId Contender::begin_to_acquire(const std::string& name) {
  const core::AcquireRequest request = request_of(name, long_enough);
  const core::RequestId id = begin(request);
  begun_[id] = {name, request.grant, 0};
  return id;
}

std::string Contender::said_at_last(core::RequestId id) {
  const core::Holding begun = begun_[id];
  return note(begun.key, begun.grant, end(id));
}

Application::Application(const std::string& url)
    : address_(postgres::parse_url(url).value()), caller_([this] {
        auto connected = postgres::Caller::connect(address_, patience);
        if (!connected) throw std::runtime_error(connected.error().detail);
        return std::move(*connected);
      }()) {}

std::string Application::query(const std::string& sql) {
  const auto rows = caller_.call({said_.emplace_back(sql).c_str()});
  if (!rows) throw std::runtime_error(sql + ": " + rows.error().detail);
  return rows->empty() || rows->front().empty() ? "" : rows->front().front().value_or("");
}

std::string Application::error(const std::string& sql) {
  const auto rows = caller_.call({said_.emplace_back(sql).c_str()});
  return rows ? "" : rows.error().detail;
}

bool waits_for_a_lock(const PostgresServer& server, const std::string& part) {
  return wait_until([&] {
    return server.query(
               "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%" +
               part + "%'") != "0";
  });
}

}  // namespace tenure::test
