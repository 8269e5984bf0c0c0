#include "redis/net/speech.hpp"

#include <poll.h>

#include <array>
#include <string_view>
#include <utility>

#include "redis/net/endpoint_of.hpp"
#include "redis/url_parts.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/dial.hpp"
#include "runtime/net/tls_text.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::redis {

namespace {

using namespace std::string_view_literals;

// A record of TLS with a greeting that is too short: the answer is an alert, which is a record, too.
constexpr auto tls_question = "\x16\x03\x01\x00\x04\x01\x00\x00\x00"sv;
constexpr auto plain_question = "PING\r\n"sv;

std::optional<runtime::Stream> connect(const Address& address, core::Time deadline) {
  const runtime::Tls none;
  runtime::Lookup lookup;
  runtime::Dial dial(endpoint_of(address), none, lookup, 0);
  while (true) {
    auto connected = dial.step();
    if (!connected) return std::nullopt;
    if (*connected) return std::move(*connected);
    if (!runtime::wait_for(dial.fd(), dial.events(), deadline)) return std::nullopt;
  }
}

std::vector<HostPort> ports_of(const Address& address) {
  if (address.kind == Address::Kind::sentinel) return address.group.sentinels;
  if (address.kind == Address::Kind::cluster) return address.seeds;
  return {{address.host, address.port}};
}

// What the scheme of an address that lists several servers ends with; empty: it names one.
std::string kind_of_several(const Address& address) {
  if (address.kind == Address::Kind::sentinel) return "-sentinel://";
  if (address.kind == Address::Kind::cluster) return "-cluster://";
  return "";
}

}  // namespace

core::Failure with_scheme(core::Failure failure, const Address& address) {
  const std::string several = kind_of_several(address);
  if (failure.detail == runtime::speaks_plain_text) {
    failure.detail += several.empty() ? " (its address begins with redis://)"
                                      : " (the address begins with redis" + several + ")";
  } else if (failure.detail == speaks_tls_text && !several.empty()) {
    failure.detail = "this port speaks TLS: the address begins with rediss" + several;
  }
  return failure;
}

core::Failure unreadable(std::string_view bytes, std::string why) {
  using enum core::FailureCode;
  if (!runtime::begins_like_tls(bytes)) return {core::Applied::perhaps, protocol, std::move(why)};
  return {core::Applied::perhaps, tls, std::string(speaks_tls_text)};
}

Speech other_speech(const Address& address, core::Duration timeout) {
  const core::Time deadline = runtime::boot_now() + timeout;
  Address plain = address;
  plain.tls = false;
  auto stream = connect(plain, deadline);
  if (!stream || !stream->send(address.tls ? plain_question : tls_question)) return Speech::unknown;
  std::array<char, 64> buffer{};
  if (!runtime::wait_for(stream->fd(), POLLIN, deadline)) return Speech::unknown;
  const auto got = stream->receive(buffer);
  if (!got || *got == 0) return Speech::unknown;
  if (!address.tls) return runtime::begins_like_tls({buffer.data(), *got}) ? Speech::tls : Speech::unknown;
  // "+PONG", or an error.
  return buffer[0] == '+' || buffer[0] == '-' ? Speech::plain_text : Speech::unknown;
}

core::Failure diagnosed(const Address& address, core::Failure failure) {
  // How Redis answers what it does not understand: to TLS with silence, to plain text by hanging up.
  const auto usual = address.tls ? core::FailureCode::timed_out : core::FailureCode::closed;
  if (failure.code != usual || address.kind == Address::Kind::unix_socket) return failure;
  for (const HostPort& where : ports_of(address)) {
    Address port;
    port.host = where.host;
    port.port = where.port;
    port.tls = address.tls;
    const auto speech = other_speech(port, std::chrono::milliseconds(300));
    if (speech == Speech::unknown) continue;
    failure.code = core::FailureCode::tls;
    failure.detail = speech == Speech::tls ? speaks_tls_text : runtime::speaks_plain_text;
    failure = with_scheme(std::move(failure), address);
    if (address.kind == Address::Kind::sentinel)
      failure.detail = "Sentinel " + to_text(where) + ": " + failure.detail;
    if (address.kind == Address::Kind::cluster) failure.detail = to_text(where) + ": " + failure.detail;
    return failure;
  }
  return failure;
}

std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures, const Nodes& nodes) {
  for (auto& [node, failure] : failures) {
    failure = diagnosed(nodes.addresses.at(node), std::move(failure));
  }
  return failures;
}

}  // namespace tenure::redis
