// A private PgBouncer for one test, between clients and a PostgresServer that trusts them: a connection to the server is a
// client's for one transaction, so that nothing of a session is left after it. It is gone with the test.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "support/postgres_server.hpp"
#include "support/process.hpp"

namespace tenure::test {

class PgBouncerServer {
 public:
  struct Options {
    bool tcp = false;    // listens on a free port of 127.0.0.1, too
    int pool_size = 20;  // connections to the server for each pair of role and database
  };

  // Whether there is a pgbouncer on this machine.
  static bool available();

  // Returns when it answers, whether or not the server does; throws std::runtime_error with its log when it does not.
  explicit PgBouncerServer(const PostgresServer& server);
  PgBouncerServer(const PostgresServer& server, Options options);
  PgBouncerServer(const PgBouncerServer&) = delete;
  PgBouncerServer& operator=(const PgBouncerServer&) = delete;

  // It knows the roles "tenure", which this one is for, and "postgres".
  std::string url() const { return url_of("tenure"); }
  std::string url_of(std::string_view role, std::string_view database = "tenure") const;
  const std::filesystem::path& directory() const { return home_.path(); }
  std::uint16_t port() const { return port_; }  // 0: none
  pid_t pid() const;
  std::string log() const;

  // From now on transactions go to that server; one that is under way ends where it is.
  void point_at(const PostgresServer& server);
  void kill();     // at once; returns when it is gone
  void restart();  // kills it if need be; same address, same server

 private:
  void write_settings() const;
  void start();
  bool launch();  // false: the port was taken meanwhile
  bool answers() const;
  std::uint16_t socket_port() const;
  std::string console() const;

  Options options_;
  std::string server_;  // where it is, in the words of pgbouncer.ini
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
  ServerDirectory home_{"pgbouncer"};  // goes first
};

}  // namespace tenure::test
