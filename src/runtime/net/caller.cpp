#include "runtime/net/caller.hpp"

#include <array>
#include <utility>

#include "redis/conversation.hpp"
#include "redis/encode.hpp"
#include "redis/failure.hpp"
#include "redis/reader.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/dial.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

tl::unexpected<Failure> failed(FailureCode code, std::string detail, Applied applied = Applied::perhaps) {
  return tl::unexpected(Failure{applied, code, std::move(detail)});
}

}  // namespace

struct Caller::State {
  Stream stream;
  core::Duration timeout{};
  redis::Reader reader;

  tl::expected<redis::Value, Failure> call(const redis::Command& command, core::Time deadline) {
    auto values = call_all({&command, 1}, deadline);
    if (!values) return tl::unexpected(std::move(values.error()));
    auto& value = values->front();
    if (value.kind == redis::Value::Kind::error) return tl::unexpected(redis::classify(value.text));
    return std::move(value);
  }

  tl::expected<std::vector<redis::Value>, Failure> call_all(std::span<const redis::Command> commands,
                                                            core::Time deadline) {
    if (!stream) return failed(FailureCode::closed, "the connection is closed", Applied::no);
    auto values = exchange(commands, deadline);
    if (!values) stream.close();
    return values;
  }

 private:
  tl::expected<std::vector<redis::Value>, Failure> exchange(std::span<const redis::Command> commands,
                                                            core::Time deadline) {
    std::string bytes;
    for (const auto& command : commands) redis::append_command(bytes, command);
    for (std::size_t written = 0; written < bytes.size();) {
      const auto sent = stream.send(std::string_view(bytes).substr(written));
      if (!sent) return tl::unexpected(sent.error());
      written += *sent;
      if (*sent == 0 && !wait_for(stream.fd(), stream.events_to_send(), deadline)) {
        return failed(FailureCode::timed_out, "no answer in time");
      }
    }
    std::vector<redis::Value> values;
    values.reserve(commands.size());
    while (values.size() < commands.size()) {
      auto value = reader.next();
      if (!value) return failed(FailureCode::protocol, value.error());
      if (*value) {
        values.push_back(std::move(**value));
        continue;
      }
      if (!stream.buffered() && !wait_for(stream.fd(), stream.events_to_receive(), deadline)) {
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

tl::expected<Caller, Failure> Caller::connect(const redis::Address& address, core::Duration timeout,
                                              const Tls& tls) {
  const core::Time deadline = boot_now() + timeout;
  Lookup lookup;
  Dial dial(address, tls, lookup, 0);
  auto state = std::make_unique<State>();
  state->timeout = timeout;
  while (!state->stream) {
    auto connected = dial.step();
    if (!connected) return tl::unexpected(connected.error());
    if (*connected) {
      state->stream = std::move(**connected);
    } else if (!wait_for(dial.fd(), dial.events(), deadline)) {
      return failed(FailureCode::timed_out,
                    dial.shaking_hands() ? "no answer to the TLS handshake in time" : "no connection in time",
                    Applied::no);
    }
  }
  const redis::Greeting greeting{address.user, address.password, address.database};
  for (const auto& command : redis::greeting_commands(greeting)) {
    const auto answers = state->call_all({&command, 1}, deadline);
    if (!answers) return tl::unexpected(answers.error());
    const auto& answer = answers->front();
    if (answer.kind == redis::Value::Kind::error) {
      return tl::unexpected(redis::greeting_failure(greeting, answer.text));
    }
  }
  return Caller(std::move(state));
}

tl::expected<redis::Value, Failure> Caller::call(const redis::Command& command) {
  return call(command, boot_now() + state_->timeout);
}

tl::expected<redis::Value, Failure> Caller::call(const redis::Command& command, core::Time deadline) {
  return state_->call(command, deadline);
}

tl::expected<std::vector<redis::Value>, Failure> Caller::call_all(std::span<const redis::Command> commands) {
  return state_->call_all(commands, boot_now() + state_->timeout);
}

Caller::Caller(std::unique_ptr<State> state) : state_(std::move(state)) {}
Caller::~Caller() = default;
Caller::Caller(Caller&&) noexcept = default;
Caller& Caller::operator=(Caller&&) noexcept = default;

}  // namespace tenure::runtime
