#include "redis/net/wire.hpp"

#include <poll.h>

#include <array>
#include <cassert>
#include <utility>

#include "redis/encode.hpp"
#include "redis/net/speech.hpp"

namespace tenure::redis {

using core::Failure;

void Wire::dial() {
  connection_ = runtime::next_connection();
  dial_.emplace(address_, tls_, lookups_, dials_failed_,
                MasterSearch::Limits{.patience = patience_, .gives_up_unnamed = false});
}

void Wire::dial_anew() {
  assert(drained());
  kept_ = std::move(stream_);
  kept_reader_ = std::exchange(reader_, Reader());
  connection_ = runtime::next_connection();
  dial_.emplace(address_, tls_, lookups_, dials_failed_,
                MasterSearch::Limits{.patience = patience_, .gives_up_unnamed = true});
}

bool Wire::go_back() {
  if (!kept_ || !dial_->is_clueless() || kept_.stirred()) return false;
  dial_.reset();
  stream_ = std::move(kept_);
  reader_ = std::move(kept_reader_);
  connection_ = runtime::next_connection();
  return true;
}

tl::expected<bool, Failure> Wire::on_dialing() {
  auto result = dial_->step();
  if (!result) return tl::unexpected(std::move(result.error()));
  // Each step of a search for a master has a descriptor of its own, which may have the number of one before it.
  if (address_.kind == Address::Kind::sentinel) connection_ = runtime::next_connection();
  if (!*result) return false;
  stream_ = std::move(**result);
  kept_.close();
  dial_.reset();
  dials_failed_ = 0;
  return true;
}

void Wire::say(const std::vector<Command>& commands) {
  for (const auto& command : commands) append_command(out_, command);
}

Wire::Result Wire::flush() {
  while (stream_ && written_ < out_.size()) {
    const auto sent = stream_.send(std::string_view(out_).substr(written_));
    if (!sent) return tl::unexpected(sent.error());
    if (*sent == 0) return {};
    written_ += *sent;
  }
  if (written_ == out_.size()) {
    out_.clear();
    written_ = 0;
  }
  return {};
}

Wire::Result Wire::read(std::vector<Value>& values) {
  static thread_local std::array<char, 16384> bytes;
  do {
    const auto got = stream_.receive(bytes);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return {};
    reader_.feed({bytes.data(), *got});
    while (true) {
      auto value = reader_.next();
      if (!value) return tl::unexpected(unreadable({bytes.data(), *got}, std::move(value.error())));
      if (!*value) break;
      values.push_back(std::move(**value));
    }
  } while (stream_.buffered());
  return {};
}

void Wire::close() {
  reader_ = Reader();
  if (dial_) dials_failed_ += 1;
  dial_.reset();
  stream_.close();
  kept_.close();
  out_.clear();
  written_ = 0;
}

runtime::Awaited Wire::awaited() const {
  if (dial_) return {dial_->fd(), dial_->events(), connection_};
  const short to_send = written_ < out_.size() ? stream_.events_to_send() : short{0};
  return {stream_.fd(), static_cast<short>(stream_.events_to_receive() | to_send), connection_};
}

}  // namespace tenure::redis
