#include "support/redis_server.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "support/redis_program.hpp"

namespace tenure::test {
namespace {

constexpr int port_attempts = 20;
}  // namespace

RedisServer::RedisServer() : RedisServer(Options{}) {}

RedisServer::RedisServer(Options options) : options_(std::move(options)), directory_(new_server_directory()) {
  try {
    start();
  } catch (...) {
    std::filesystem::remove_all(directory_);
    throw;
  }
}

RedisServer::~RedisServer() {
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

void RedisServer::start() {
  const bool keep_port = port_ != 0;
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    if ((options_.tcp || !options_.tls.empty()) && !keep_port) port_ = free_port();
    if (options_.cluster && !keep_port) bus_port_ = free_port();
    if (launch()) return;
  }
  throw std::runtime_error("port " + std::to_string(port_) + " stays taken");
}

bool RedisServer::launch() {
  std::vector<std::string> argv{server_program(),
                                options_.tls.empty() ? "--port" : "--tls-port",
                                std::to_string(port_),
                                "--bind",
                                "127.0.0.1",
                                "--unixsocket",
                                socket_path(),
                                "--dir",
                                directory_.string(),
                                "--daemonize",
                                "no",
                                "--save",
                                "",
                                "--appendonly",
                                "no"};
  if (!options_.tls.empty()) argv.insert(argv.end(), {"--port", "0"});
  if (options_.cluster)
    argv.insert(argv.end(), {"--cluster-enabled", "yes", "--cluster-port", std::to_string(bus_port_)});
  argv.insert(argv.end(), options_.tls.begin(), options_.tls.end());
  argv.insert(argv.end(), options_.arguments.begin(), options_.arguments.end());
  process_ =
      std::make_unique<Process>(std::move(argv), Process::Options{.environment = options_.environment});
  const bool up = wait_until([this] { return !process_->running() || answers(); });
  if (up && process_->running()) return true;
  const std::string said = log();
  process_.reset();
  if (said.find("Address already in use") != std::string::npos) return false;
  throw std::runtime_error("the Redis server does not start:\n" + said);
}

// A server that wants a password answers, too; one that still loads its data is not ready.
bool RedisServer::answers() {
  try {
    const auto pong = RedisConnection(socket_path()).command({"PING"});
    return !pong.text.starts_with("LOADING");
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::string RedisServer::url(std::string_view user_info) const {
  const std::string who = user_info.empty() ? "" : std::string(user_info) + "@";
  if (port_ == 0) return "unix://" + who + socket_path();
  return (options_.tls.empty() ? "redis://" : "rediss://") + who + "127.0.0.1:" + std::to_string(port_);
}

pid_t RedisServer::pid() const { return process_ ? process_->pid() : -1; }

std::string RedisServer::log() const { return process_ ? process_->out() + process_->err() : ""; }

redis::Value RedisServer::command(const std::vector<std::string>& args) {
  try {
    // A server whose role has changed cuts its clients.
    if (connection_ && connection_->closed()) connection_.reset();
    if (!connection_) {
      connection_ = std::make_unique<RedisConnection>(socket_path());
      if (!options_.password.empty()) {
        const std::string user = options_.user.empty() ? "default" : options_.user;
        const auto answer = connection_->command({"AUTH", user, options_.password});
        if (answer.kind == redis::Value::Kind::error)
          throw std::runtime_error("AUTH " + user + ": " + answer.text);
      }
    }
    return connection_->command(args);
  } catch (...) {
    connection_.reset();  // a late reply must not answer the next command
    throw;
  }
}

void RedisServer::pause() {
  process_->send(SIGSTOP);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(pid()), &info, WSTOPPED | WEXITED | WNOWAIT);
}

void RedisServer::resume() { process_->send(SIGCONT); }

void RedisServer::kill() {
  connection_.reset();
  process_.reset();
}

void RedisServer::restart() {
  kill();
  start();
}

}  // namespace tenure::test
