#include "redis/net/caller.hpp"

#include <algorithm>
#include <array>
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

tl::unexpected<Failure> failed(FailureCode code, std::string detail, Applied applied = Applied::perhaps) {
  return tl::unexpected(Failure{applied, code, std::move(detail)});
}

}  // namespace

struct Caller::State {
  runtime::Stream stream;
  core::Duration timeout{};
  bool follows_master = false;  // whoever connects again asks the Sentinels again
  Reader reader;

  tl::expected<Value, Failure> call(const Command& command, core::Time deadline) {
    auto values = call_all({&command, 1}, deadline);
    if (!values) return tl::unexpected(std::move(values.error()));
    auto& value = values->front();
    if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
    return std::move(value);
  }

  tl::expected<std::vector<Value>, Failure> call_all(std::span<const Command> commands, core::Time deadline) {
    if (!stream) return failed(FailureCode::closed, "the connection is closed", Applied::no);
    if (runtime::Hourglass::is_over_here()) {
      return failed(FailureCode::timed_out, "it was not asked any more: the look took too long", Applied::no);
    }
    auto values = exchange(commands, deadline);
    if (!values || (follows_master && std::ranges::any_of(*values, [](const Value& it) {
                      return left_behind(it).has_value();
                    })))
      stream.close();
    return values;
  }

 private:
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
  const core::Time deadline = runtime::boot_now() + timeout;
  Lookups lookups;
  RedisDial dial(address, tls, lookups, 0, {.patience = timeout});
  auto state = std::make_unique<State>();
  state->timeout = timeout;
  state->follows_master = address.kind == Address::Kind::sentinel;
  while (!state->stream) {
    auto connected = dial.step();
    if (!connected) return tl::unexpected(std::move(connected.error()));
    if (*connected) {
      state->stream = std::move(**connected);
    } else if (!runtime::wait_for(dial.fd(), dial.events(), deadline)) {
      return tl::unexpected(dial.timed_out());
    }
  }
  const Greeting greeting{address.user, address.password, address.database};
  for (const auto& command : greeting_commands(greeting)) {
    const auto answers = state->call_all({&command, 1}, deadline);
    if (!answers) return tl::unexpected(answers.error());
    const auto& answer = answers->front();
    if (answer.kind == Value::Kind::error) {
      return tl::unexpected(greeting_failure(greeting, answer.text));
    }
  }
  return Caller(std::move(state));
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
