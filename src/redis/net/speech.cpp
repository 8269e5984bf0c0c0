#include "redis/net/speech.hpp"

#include <poll.h>

#include <array>
#include <string_view>
#include <utility>

#include "redis/net/endpoint_of.hpp"
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

}  // namespace

core::Failure with_scheme(core::Failure failure) {
  if (failure.detail == runtime::speaks_plain_text) failure.detail += " (its address begins with redis://)";
  return failure;
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
  if (failure.code != usual || address.kind != Address::Kind::tcp) return failure;
  const auto speech = other_speech(address, std::chrono::milliseconds(300));
  if (speech == Speech::unknown) return failure;
  failure.code = core::FailureCode::tls;
  failure.detail = speech == Speech::tls ? speaks_tls_text : runtime::speaks_plain_text;
  return with_scheme(std::move(failure));
}

std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures, const Nodes& nodes) {
  for (auto& [node, failure] : failures) {
    failure = diagnosed(nodes.addresses.at(node), std::move(failure));
  }
  return failures;
}

}  // namespace tenure::redis
