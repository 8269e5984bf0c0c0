#include "runtime/link.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "redis/encode.hpp"

namespace tenure::runtime {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

redis::Greeting greeting_of(const redis::Address& address) {
  return {address.user, address.password, address.database};
}

}  // namespace

Link::Link(const redis::Address& address, redis::Keyspace keyspace)
    : address_(address), keyspace_(std::move(keyspace)), conversation_(greeting_of(address_), keyspace_) {}

void Link::ask(core::RequestId id, core::Request request, core::Time now, Answers& answers) {
  // Nobody listens to an idle connection. Redis may have closed it long ago; better to see that
  // before the request than to lose the request to it.
  if (socket_ && !waiting() && idle_too_long(now)) {
    drop({Applied::no, FailureCode::closed, "Redis closed the connection"}, answers);
  }
  last_used_ = now;
  std::vector<redis::Command> commands;
  conversation_.ask(id, std::move(request), commands);
  say(commands);
  if (!socket_ && !dial_) connect(answers);
}

bool Link::idle_too_long(core::Time now) const {
  if (now - last_used_ < std::chrono::seconds(1)) return false;
  char byte = 0;
  const auto got = recv(socket_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

void Link::connect(Answers& answers) {
  generation_ += 1;
  dial_.emplace(address_, lookup_, dials_failed_);
  on_connecting(answers);
}

void Link::on_connecting(Answers& answers) {
  auto result = dial_->step();
  if (!result) {
    drop(result.error(), answers);
    return;
  }
  if (!*result) return;
  socket_ = std::move(**result);
  dial_.reset();
  dials_failed_ = 0;
  std::vector<redis::Command> commands;
  conversation_.open(commands);
  say(commands);
  flush(answers);
}

void Link::say(const std::vector<redis::Command>& commands) {
  for (const auto& command : commands) redis::append_command(out_, command);
}

void Link::flush(Answers& answers) {
  while (socket_ && written_ < out_.size()) {
    const auto sent =
        ::send(socket_.get(), out_.data() + written_, out_.size() - written_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      written_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      drop({Applied::perhaps, FailureCode::closed, "the connection broke"}, answers);
      return;
    }
  }
  if (written_ == out_.size()) {
    out_.clear();
    written_ = 0;
  }
}

void Link::on_ready(core::Time now, Answers& answers) {
  if (dial_) {
    on_connecting(answers);
    return;
  }
  if (!socket_) return;
  last_used_ = now;
  flush(answers);
  read(answers);
}

void Link::read(Answers& answers) {
  static thread_local std::array<char, 16384> bytes;
  while (socket_) {
    const auto got = recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      drop({Applied::perhaps, FailureCode::closed, "Redis closed the connection"}, answers);
      return;
    }
    reader_.feed({bytes.data(), static_cast<std::size_t>(got)});
    std::vector<redis::Command> commands;
    while (true) {
      auto value = reader_.next();
      if (!value) {
        drop({Applied::perhaps, FailureCode::protocol, value.error()}, answers);
        return;
      }
      if (!*value) break;
      auto answer = conversation_.hear(**value, commands);
      if (!answer) {
        drop(answer.error(), answers);
        return;
      }
      if (*answer) answers.push_back(std::move(**answer));
    }
    if (!commands.empty()) {
      say(commands);
      flush(answers);
    }
    if (static_cast<std::size_t>(got) < bytes.size()) return;
  }
}

void Link::drop(const Failure& why, Answers& answers) {
  for (const auto& [id, applied] : conversation_.close()) {
    answers.push_back({id, Failure{applied, why.code, why.detail}});
  }
  conversation_ = redis::Conversation(greeting_of(address_), keyspace_);
  reader_ = redis::Reader();
  if (dial_) dials_failed_ += 1;
  dial_.reset();
  socket_.reset();
  out_.clear();
  written_ = 0;
}

int Link::fd() const { return dial_ ? dial_->fd() : socket_.get(); }

short Link::events() const {
  if (dial_) return dial_->events();
  return static_cast<short>(POLLIN | (written_ < out_.size() ? POLLOUT : 0));
}

}  // namespace tenure::runtime
