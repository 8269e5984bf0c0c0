#include "runtime/net/wire.hpp"

#include <poll.h>

#include <array>
#include <utility>

#include "redis/encode.hpp"
#include "runtime/text/tls_text.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

Failure unreadable(std::string_view bytes, std::string why) {
  if (!begins_like_tls(bytes)) return {Applied::perhaps, FailureCode::protocol, std::move(why)};
  return {Applied::perhaps, FailureCode::tls, std::string(speaks_tls_text)};
}

}  // namespace

void Wire::dial() {
  generation_ += 1;
  dial_.emplace(address_, tls_, lookup_, dials_failed_);
}

tl::expected<bool, Failure> Wire::on_dialing() {
  auto result = dial_->step();
  if (!result) return tl::unexpected(result.error());
  if (!*result) return false;
  stream_ = std::move(**result);
  dial_.reset();
  dials_failed_ = 0;
  return true;
}

void Wire::say(const std::vector<redis::Command>& commands) {
  for (const auto& command : commands) redis::append_command(out_, command);
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

Wire::Result Wire::read(std::vector<redis::Value>& values) {
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
  reader_ = redis::Reader();
  if (dial_) dials_failed_ += 1;
  dial_.reset();
  stream_.close();
  out_.clear();
  written_ = 0;
}

short Wire::events() const {
  if (dial_) return dial_->events();
  return static_cast<short>(stream_.events_to_receive() |
                            (written_ < out_.size() ? stream_.events_to_send() : 0));
}

}  // namespace tenure::runtime
