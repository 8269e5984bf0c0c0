#include "support/pgbouncer_server.hpp"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "support/wait.hpp"

namespace tenure::test {
namespace {

constexpr int port_attempts = 20;
constexpr std::uint16_t socket_port_default = 6432;

// Empty where there is none. Debian keeps it where only root's PATH leads.
std::string find_program() {
  std::istringstream folders((std::getenv("PATH") == nullptr ? "/usr/bin" : std::getenv("PATH")) +
                             std::string(":/usr/sbin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/pgbouncer").c_str(), X_OK) == 0) return folder + "/pgbouncer";
  }
  return "";
}

// By the Unix socket, which stands also when the server is away.
std::string whereabouts(const PostgresServer& server) {
  return "host=" + server.directory().string() + " port=" + std::to_string(server.socket_port());
}

}  // namespace

bool PgBouncerServer::available() { return !find_program().empty(); }

PgBouncerServer::PgBouncerServer(const PostgresServer& server) : PgBouncerServer(server, Options{}) {}

PgBouncerServer::PgBouncerServer(const PostgresServer& server, Options options)
    : options_(options), server_(whereabouts(server)) {
  if (!available()) throw std::runtime_error("pgbouncer is neither in PATH nor in /usr/sbin");
  start();
}

void PgBouncerServer::start() {
  const bool keep_port = port_ != 0;
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    if (options_.tcp && !keep_port) port_ = free_server_port();
    write_settings();
    if (launch()) return;
  }
  throw std::runtime_error("port " + std::to_string(port_) + " stays taken");
}

void PgBouncerServer::write_settings() const {
  std::ofstream(directory() / "roles") << "\"tenure\" \"\"\n\"postgres\" \"\"\n";
  std::ofstream(directory() / "pgbouncer.ini")
      << "[databases]\n"
      << "* = " << server_ << "\n"
      << "[pgbouncer]\n"
      << "pool_mode = transaction\n"
      << "default_pool_size = " << options_.pool_size << "\n"
      << "listen_addr = " << (options_.tcp ? "127.0.0.1" : "") << "\n"
      << "listen_port = " << socket_port() << "\n"
      << "unix_socket_dir = " << directory().string() << "\n"
      << "auth_type = trust\n"
      << "auth_file = " << (directory() / "roles").string() << "\n"
      << "admin_users = postgres\n";
}

bool PgBouncerServer::launch() {
  process_ = home_.start({find_program(), directory() / "pgbouncer.ini"});
  const bool up = wait_until([this] { return !process_->running() || answers(); });
  if (up && process_->running()) return true;
  const std::string said = log();
  kill();
  if (said.find("Address already in use") != std::string::npos) return false;
  throw std::runtime_error("PgBouncer does not start:\n" + said);
}

// Its own console answers without the server.
bool PgBouncerServer::answers() const {
  try {
    postgres_query(console(), "SHOW VERSION");
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::string PgBouncerServer::console() const {
  return "postgresql://postgres@/pgbouncer?host=" + directory().string() +
         "&port=" + std::to_string(socket_port()) + "&connect_timeout=10";
}

std::string PgBouncerServer::url_of(std::string_view role, std::string_view database) const {
  const std::string who = "postgresql://" + std::string(role) + "@";
  if (port_ != 0) return who + "127.0.0.1:" + std::to_string(port_) + "/" + std::string(database);
  return who + "/" + std::string(database) + "?host=" + directory().string() +
         "&port=" + std::to_string(socket_port());
}

std::uint16_t PgBouncerServer::socket_port() const { return port_ == 0 ? socket_port_default : port_; }

pid_t PgBouncerServer::pid() const { return process_ ? process_->pid() : -1; }

std::string PgBouncerServer::log() const { return process_ ? process_->out() + process_->err() : ""; }

void PgBouncerServer::point_at(const PostgresServer& server) {
  server_ = whereabouts(server);
  write_settings();
  if (process_) postgres_query(console(), "RELOAD");
}

void PgBouncerServer::kill() {
  home_.send("KILL");
  process_.reset();
}

void PgBouncerServer::restart() {
  kill();
  start();
}

}  // namespace tenure::test
