#include "redis/net/caller.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "redis/conversation.hpp"
#include "redis/encode.hpp"
#include "redis/failure.hpp"
#include "redis/net/redis_dial.hpp"
#include "redis/reader.hpp"
#include "redis/sentinel.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/hourglass.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::redis {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

// As bytes, to be compared.
std::string peer_of(const runtime::Stream& stream) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(stream.fd(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  return {reinterpret_cast<const char*>(&address), size};
}

tl::unexpected<Failure> failed(FailureCode code, std::string detail, Applied applied = Applied::perhaps) {
  return tl::unexpected(Failure{applied, code, std::move(detail)});
}

}  // namespace

struct Caller::State {
  State(const Address& where, core::Duration patience, const runtime::Tls& secrets)
      : address(where), tls(secrets), timeout(patience) {}

  Address address;
  runtime::Tls tls;
  core::Duration timeout{};
  runtime::Stream stream{};
  Reader reader{};
  Lookups lookups{};
  core::Time last_used = core::long_ago;

  // Whoever connects again asks the Sentinels again.
  bool follows_master() const { return address.kind == Address::Kind::sentinel; }

  tl::expected<void, Failure> connect(core::Time deadline) {
    RedisDial dial(address, tls, lookups, 0, {.patience = timeout, .gives_up_unnamed = false});
    auto connected = finish(dial, deadline);
    if (!connected) return tl::unexpected(std::move(connected.error()));
    stream = std::move(*connected);
    return greet(deadline);
  }

  tl::expected<bool, Failure> confirm(core::Time deadline) {
    const core::Time now = runtime::boot_now();
    if (!follows_master() || !stream || now - last_used < idle_max) return false;
    const std::string before = peer_of(stream);
    const bool broken = stream.stirred();
    // While Sentinels are silent, a connection that stands goes on.
    RedisDial dial(address, tls, lookups, 0, {.patience = deadline - now, .gives_up_unnamed = !broken});
    auto connected = finish(dial, deadline);
    const bool goes_on = connected ? peer_of(*connected) == before : dial.is_clueless();
    if (!broken && goes_on && still_answers(connected.has_value(), deadline)) {
      last_used = runtime::boot_now();
      return false;
    }
    stream.close();
    reader = Reader();
    if (!connected) return tl::unexpected(std::move(connected.error()));
    stream = std::move(*connected);
    if (auto greeted = greet(deadline); !greeted) {
      stream.close();
      greeted.error().applied = Applied::no;
      return tl::unexpected(std::move(greeted.error()));
    }
    return true;
  }

  tl::expected<Value, Failure> call(const Command& command, core::Time deadline) {
    auto values = call_all({&command, 1}, deadline);
    if (!values) return tl::unexpected(std::move(values.error()));
    auto& value = values->front();
    if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
    return std::move(value);
  }

  tl::expected<std::vector<Value>, Failure> call_all(std::span<const Command> commands, core::Time deadline) {
    if (auto why = unusable()) return tl::unexpected(std::move(*why));
    if (auto confirmed = confirm(deadline); !confirmed) return tl::unexpected(std::move(confirmed.error()));
    auto values = exchange(commands, deadline);
    if (!values || (follows_master() && std::ranges::any_of(*values, [](const Value& it) {
                      return left_behind(it).has_value();
                    })))
      stream.close();
    last_used = runtime::boot_now();
    return values;
  }

  std::optional<Failure> unusable() const {
    if (!stream) return Failure{Applied::no, FailureCode::closed, "the connection is closed"};
    if (!runtime::Hourglass::is_over_here()) return std::nullopt;
    return Failure{Applied::no, FailureCode::timed_out, "it was not asked any more: the look took too long"};
  }

 private:
  // A server that was started anew at the same address answers nothing over the connection that stood before.
  bool still_answers(bool asked, core::Time deadline) {
    if (stream.stirred()) return false;
    if (!asked) return true;
    const Command ping{"PING"};
    return exchange({&ping, 1}, deadline).has_value();  // also where the user may not say that
  }

  static tl::expected<runtime::Stream, Failure> finish(RedisDial& dial, core::Time deadline) {
    for (;;) {
      auto connected = dial.step();
      if (!connected) return tl::unexpected(std::move(connected.error()));
      if (*connected) return std::move(**connected);
      if (!runtime::wait_for(dial.fd(), dial.events(), deadline)) return tl::unexpected(dial.timed_out());
    }
  }

  tl::expected<void, Failure> greet(core::Time deadline) {
    const Greeting greeting{address.user, address.password, address.database};
    for (const auto& command : greeting_commands(greeting)) {
      if (auto why = unusable()) return tl::unexpected(std::move(*why));
      const auto answers = exchange({&command, 1}, deadline);
      if (!answers) return tl::unexpected(answers.error());
      const auto& answer = answers->front();
      if (answer.kind == Value::Kind::error) return tl::unexpected(greeting_failure(greeting, answer.text));
    }
    last_used = runtime::boot_now();
    return {};
  }

  tl::expected<std::vector<Value>, Failure> exchange(std::span<const Command> commands, core::Time deadline) {
    std::string bytes;
    for (const auto& command : commands) append_command(bytes, command);
    for (std::size_t written = 0; written < bytes.size();) {
      const auto sent = stream.send(std::string_view(bytes).substr(written));
      if (!sent) return tl::unexpected(sent.error());
      written += *sent;
      if (*sent == 0 && !runtime::wait_for(stream.fd(), stream.events_to_send(), deadline)) {
        return failed(FailureCode::timed_out, "no answer in time");
      }
    }
    std::vector<Value> values;
    values.reserve(commands.size());
    while (values.size() < commands.size()) {
      auto value = reader.next();
      if (!value) return failed(FailureCode::protocol, value.error());
      if (*value) {
        values.push_back(std::move(**value));
        continue;
      }
      if (!stream.buffered() && !runtime::wait_for(stream.fd(), stream.events_to_receive(), deadline)) {
        return failed(FailureCode::timed_out, "no answer in time");
      }
      std::array<char, 4096> buffer{};
      const auto got = stream.receive(buffer);
      if (!got) return tl::unexpected(got.error());
      reader.feed({buffer.data(), *got});
    }
    // What came without being asked for would be taken for the answer to the next command.
    if (const auto more = reader.next(); !more || *more) {
      return failed(FailureCode::protocol, "it answers more than it was asked");
    }
    return values;
  }
};

tl::expected<Caller, Failure> Caller::connect(const Address& address, core::Duration timeout,
                                              const runtime::Tls& tls) {
  auto state = std::make_unique<State>(address, timeout, tls);
  if (auto connected = state->connect(runtime::boot_now() + timeout); !connected)
    return tl::unexpected(std::move(connected.error()));
  return Caller(std::move(state));
}

tl::expected<bool, Failure> Caller::confirm() {
  if (auto why = state_->unusable()) return tl::unexpected(std::move(*why));
  return state_->confirm(runtime::boot_now() + state_->timeout);
}

tl::expected<Value, Failure> Caller::call(const Command& command) {
  return call(command, runtime::boot_now() + state_->timeout);
}

tl::expected<Value, Failure> Caller::call(const Command& command, core::Time deadline) {
  return state_->call(command, deadline);
}

tl::expected<std::vector<Value>, Failure> Caller::call_all(std::span<const Command> commands) {
  return state_->call_all(commands, runtime::boot_now() + state_->timeout);
}

Caller::Caller(std::unique_ptr<State> state) : state_(std::move(state)) {}
Caller::~Caller() = default;
Caller::Caller(Caller&&) noexcept = default;
Caller& Caller::operator=(Caller&&) noexcept = default;

}  // namespace tenure::redis
