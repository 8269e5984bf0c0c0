#include "support/wire.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <thread>

namespace tenure::test {

namespace {

constexpr std::chrono::milliseconds try_again{1};  // where somebody does not read

}  // namespace

Wire::Wire(runtime::Descriptor client, runtime::Descriptor server)
    : client_(std::move(client)), server_(std::move(server)) {}

Wire::Wire(runtime::Descriptor server, std::string requests) : server_(std::move(server)) {
  requests_.push_back({std::move(requests), core::long_ago});
}

void Wire::read(End from, core::Time due, Recorder& recorder) {
  std::array<char, 65536> block{};
  const auto got = recv(fd(from), block.data(), block.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    (from == End::client ? client_ : server_).reset();
    if (from == End::server) requests_.clear();
    if (from == End::client) answers_.clear();
    return;
  }
  const std::string bytes(block.data(), static_cast<std::size_t>(got));
  if (from == End::server) {
    if (client_) answers_.push_back({bytes, due});
    return;
  }
  requests_.push_back({bytes, due});
  splitter_.feed(bytes);
  while (auto command = splitter_.next()) recorder.add(std::move(*command));
}

std::optional<core::Time> Wire::pump(core::Time now, const Weather& weather, std::string* record) {
  std::optional<core::Time> wake;
  if (!weather.requests_held && server_) {
    wake = send(requests_, {server_.get(), now, weather.single_bytes, record});
  }
  if (!weather.answers_held && client_) {
    wake = core::sooner(wake, send(answers_, {client_.get(), now, weather.single_bytes}));
  }
  // A client that is gone is told to Redis behind its last request, and the other way round.
  if (!client_ && requests_.empty() && server_ && !told_end_) {
    shutdown(server_.get(), SHUT_WR);
    told_end_ = true;
  }
  if (!server_ && answers_.empty()) over_ = true;
  return wake;
}

std::optional<core::Time> Wire::send(Flow& flow, const Sending& sending) {
  while (!flow.empty()) {
    Piece& piece = flow.front();
    if (piece.due > sending.now) return piece.due;
    const std::size_t sent = send(piece, sending);
    if (sending.record != nullptr) sending.record->append(piece.bytes, 0, sent);
    if (sent < piece.bytes.size()) {
      piece.bytes.erase(0, sent);
      return sending.now + try_again;
    }
    flow.pop_front();
  }
  return std::nullopt;
}

std::size_t Wire::send(const Piece& piece, const Sending& sending) {
  std::size_t sent = 0;
  while (sent < piece.bytes.size()) {
    const std::size_t most = sending.single_bytes ? 1 : piece.bytes.size() - sent;
    const auto count = ::send(sending.to, piece.bytes.data() + sent, most, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count < 0) return piece.bytes.size();  // gone; that is read at the same end
    sent += static_cast<std::size_t>(count);
    if (sending.single_bytes && sent < 16) std::this_thread::yield();  // so that somebody reads it
  }
  return sent;
}

}  // namespace tenure::test
