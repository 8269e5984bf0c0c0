#include "support/stores/real_server.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::test {

namespace {

std::filesystem::path cache() {
  if (const char* folder = std::getenv("TENURE_REAL_SERVERS")) return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"))
    return std::filesystem::path(folder) / "tenure-real-servers";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr ? home : "/root") / ".cache/tenure-real-servers";
}

}  // namespace

std::string real_program(const std::string& name) {
  for (const auto& path : {cache() / name, cache() / name / "usr/bin" / name}) {
    if (std::filesystem::is_regular_file(path)) return path;
  }
  throw std::runtime_error("there is no " + name + " in " + cache().string() +
                           ": ./dev test-stores brings it");
}

http_client::HttpAnswer ask_server(const http_client::HttpServer& server, http_client::HttpRequest request) {
  const std::string what = request.method + " " + request.target;
  const core::Time until = runtime::boot_now() + std::chrono::seconds(30);
  if (request.timeout == core::Duration::zero()) request.timeout = std::chrono::seconds(20);
  http_client::HttpCalls calls(server);
  std::vector<http_client::HttpNews> news;
  calls.start(http_client::HttpCallId{1}, std::move(request));
  while (news.empty()) {
    if (!runtime::wait_for(calls.awaited().fd, POLLIN, until)) throw std::runtime_error(what + ": no answer");
    calls.on_ready(news);
  }
  if (!news.front().answer) throw std::runtime_error(what + ": " + news.front().answer.error().detail);
  return std::move(*news.front().answer);
}

void Daemon::pause() const {
  process_->send(SIGSTOP);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WEXITED | WNOWAIT);
}

void Daemon::resume() const { process_->send(SIGCONT); }

}  // namespace tenure::test
