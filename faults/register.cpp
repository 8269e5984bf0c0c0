#include "faults/register.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace tenure::faults {

using runtime::Descriptor;

Register::Register(const std::filesystem::path& directory)
    : path_(directory / "register"),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(eventfd(0, EFD_CLOEXEC)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) throw std::runtime_error(path_ + " is too long for a socket");
  path_.copy(address.sun_path, path_.size());
  if (bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_.get(), 64) != 0) {
    throw std::runtime_error("cannot listen on " + path_);
  }
  thread_ = std::thread([this] { run(); });
}

Register::~Register() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

std::vector<Term> Register::terms() const {
  const std::lock_guard lock(mutex_);
  std::vector<Term> terms;
  for (const auto& [key, term] : terms_) terms.push_back(term);
  return terms;
}

core::Token Register::earlier_token(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  core::Token largest = 0;
  core::Token earlier = 0;
  for (const auto& [key, term] : terms_) {
    if (term.name == name && term.token > largest) earlier = std::exchange(largest, term.token);
  }
  return earlier;
}

std::set<std::string> Register::writers(const std::string& name, core::Time since) const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> writers;
  for (const auto& [key, term] : terms_) {
    const auto fresh = [&](const Act& act) { return act.accepted && act.began >= since; };
    if (term.name == name && fresh(term.acts.back())) writers.insert(term.who);
  }
  return writers;
}

void Register::run() {
  while (true) {
    std::vector<pollfd> waits{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}};
    for (const Writer& writer : writers_) waits.push_back({writer.socket.get(), POLLIN, 0});
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    auto ready = waits.begin() + 2;
    for (auto writer = writers_.begin(); writer != writers_.end(); ++ready) {
      writer = ready->revents == 0 || serve(*writer) ? std::next(writer) : writers_.erase(writer);
    }
    if (waits[1].revents == 0) continue;
    if (Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); socket) {
      writers_.push_back({std::move(socket)});
    }
  }
}

bool Register::serve(Writer& writer) {
  std::array<char, 4096> block{};
  const auto got = recv(writer.socket.get(), block.data(), block.size(), 0);
  if (got <= 0) return false;
  writer.in.append(block.data(), static_cast<std::size_t>(got));
  for (auto end = writer.in.find('\n'); end != std::string::npos; end = writer.in.find('\n')) {
    const bool accepted = write(writer.in.substr(0, end));
    writer.in.erase(0, end + 1);
    if (send(writer.socket.get(), accepted ? "1\n" : "0\n", 2, MSG_NOSIGNAL) < 0) return false;
  }
  return true;
}

bool Register::write(const std::string& line) {
  std::istringstream words(line);
  Term term;
  core::Duration::rep began = 0;
  words >> term.name >> term.who >> term.token >> term.pid >> began;
  if (!words) throw std::runtime_error("nobody writes to the register like this: " + line);
  const std::lock_guard lock(mutex_);
  core::Token& largest = largest_[term.name];
  const bool accepted = term.token >= largest;
  largest = std::max(largest, term.token);
  auto& known = terms_.try_emplace({term.name, term.token, term.pid}, term).first->second;
  known.acts.push_back({core::Time(core::Duration(began)), accepted});
  return accepted;
}

}  // namespace tenure::faults
