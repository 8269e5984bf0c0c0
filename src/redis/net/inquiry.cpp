#include "redis/net/inquiry.hpp"

#include <array>
#include <utility>

#include "redis/encode.hpp"
#include "redis/net/speech.hpp"

namespace tenure::redis {

Inquiry::Inquiry(const HostPort& where, const Address& address, const runtime::Tls& tls,
                 runtime::Lookup& lookup, const std::vector<Command>& commands)
    : dial_(runtime::Endpoint{.host = where.host, .port = where.port, .tls = address.tls}, tls, lookup, 0),
      wanted_(commands.size()) {
  for (const auto& command : commands) append_command(out_, command);
}

tl::expected<std::optional<std::vector<Value>>, core::Failure> Inquiry::step() {
  if (!stream_) {
    auto connected = dial_.step();
    if (!connected) return tl::unexpected(std::move(connected.error()));
    if (!*connected) return std::nullopt;
    stream_ = std::move(**connected);
  }
  while (written_ < out_.size()) {
    const auto sent = stream_.send(std::string_view(out_).substr(written_));
    if (!sent) return tl::unexpected(sent.error());
    if (*sent == 0) return std::nullopt;
    written_ += *sent;
  }
  const auto done = read();
  if (!done) return tl::unexpected(done.error());
  if (!*done) return std::nullopt;
  return std::move(answers_);
}

tl::expected<bool, core::Failure> Inquiry::read() {
  std::array<char, 4096> bytes{};
  while (answers_.size() < wanted_) {
    const auto got = stream_.receive(bytes);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return false;
    reader_.feed({bytes.data(), *got});
    while (true) {
      auto value = reader_.next();
      if (!value) return tl::unexpected(unreadable({bytes.data(), *got}, std::move(value.error())));
      if (!*value) break;
      answers_.push_back(std::move(**value));
    }
  }
  // What came without being asked for would be taken for the answer to the next command.
  if (answers_.size() == wanted_) return true;
  return tl::unexpected(
      core::Failure{core::Applied::no, core::FailureCode::protocol, "it answers more than it was asked"});
}

short Inquiry::events() const {
  if (!stream_) return dial_.events();
  return written_ < out_.size() ? stream_.events_to_send() : stream_.events_to_receive();
}

}  // namespace tenure::redis
