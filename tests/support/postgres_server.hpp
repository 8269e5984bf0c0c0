// A private PostgreSQL server for one test: in a directory of its own, gone with the test, also when the test is killed.
// It is as durable as a server is by default, unless the test says otherwise by its settings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/certificates.hpp"
#include "support/process.hpp"

namespace tenure::test {

// Runs it on a connection of its own and gives the first column of the first row, "" if there is none. Throws
// std::runtime_error with the server's message.
std::string postgres_query(const std::string& url, const std::string& sql);

// Free now on 127.0.0.1; somebody may take it before the server does. Never one where a server of somebody may be.
std::uint16_t free_server_port();

// The directory of a server that does not run as root, and all that works in there. If the test is root, the directory
// belongs to the user postgres, or to nobody where there is no such user, and so do the processes.
class ServerDirectory {
 public:
  // The name is for people who look into /tmp. Throws std::runtime_error.
  explicit ServerDirectory(std::string_view name);
  ~ServerDirectory();
  ServerDirectory(const ServerDirectory&) = delete;
  ServerDirectory& operator=(const ServerDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Starts a program there. When the thread that started it ends, it gets SIGQUIT, by which PostgreSQL cleans up.
  std::unique_ptr<Process> start(std::vector<std::string> argv) const;
  // Runs a program there, and throws what it said if it does not succeed.
  std::string run(std::vector<std::string> argv, const std::string& input = {}) const;

  // Sends KILL, STOP or CONT to every process whose working directory is this one or "data" in it. Returns when all of
  // them have gone, stopped or gone on.
  void send(const std::string& signal) const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // what guard_ waits for
  std::unique_ptr<Process> guard_;
};

class PostgresServer {
 public:
  struct Options {
    bool tcp = false;                      // listens on a free port of 127.0.0.1, too
    std::vector<std::string> settings{};   // "synchronous_commit=off"
    bool trust = true;                     // otherwise everybody but the superuser needs a password
    std::string password = "secret";       // that of the role tenure, where it needs one
    PostgresServer* replica_of = nullptr;  // streams from it as a hot standby, and trusts as it does
    std::optional<Identity> identity{};    // speaks TLS with it, to whoever wants that
    bool archives = false;                 // keeps its whole log, for recover_to()
  };

  // Returns when the server answers, and a replica when it streams; throws std::runtime_error with its log when it does
  // not. There are a superuser "postgres", a role "tenure" and its database "tenure", and no other database but
  // template1.
  PostgresServer();
  explicit PostgresServer(Options options);
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // For the role tenure, with its password if it needs one.
  std::string url() const;
  // For "role" or "role:password" as user info, percent-encoded where that is needed.
  std::string url_of(std::string_view user_info, std::string_view database = "tenure") const;
  const std::filesystem::path& directory() const { return home_.path(); }
  std::uint16_t port() const { return port_; }  // 0: none
  std::uint16_t socket_port() const;            // by which clients find the Unix socket in the directory
  pid_t pid() const;
  std::string log() const;

  // By the superuser in the database tenure, through the Unix socket: see postgres_query().
  std::string query(const std::string& sql) const;
  void execute(const std::string& sql) const { query(sql); }

  void pause();  // the server and all its processes; returns when they have stopped
  void resume();
  void kill();            // all of them, at once, as by a power cut; returns when they are gone
  void stop_fast();       // cuts the connections and writes a checkpoint
  void stop_immediate();  // cuts the connections and recovers at the next start
  void restart();         // kills it if need be; same directory, same address
  void promote();         // a replica becomes a primary on a new timeline; returns when it takes writes
  // A server that does not run forgets what another has never had, by pg_rewind, and comes back as its replica; returns when it
  // streams. It was made with wal_log_hints=on, and the other is a primary.
  void return_as_replica_of(const PostgresServer& primary);

  // Of a server that archives: takes a base backup, in place of an earlier one.
  void back_up() const;
  // Names this moment; returns when the archive has the log up to it.
  void create_restore_point(const std::string& name) const;
  // Kills it if need be, throws its data away, and recovers the backup up to that moment, which makes a new timeline; same address.
  // Returns when it takes writes.
  void recover_to(const std::string& restore_point);

  // The schema tenure of the database tenure, as pg_dump writes it, and as psql reads it.
  std::string dump() const;
  void restore(const std::string& dump) const;

 private:
  void make_data() const;
  void start();
  bool launch();  // false: the port was taken meanwhile
  bool ready() const;
  void wait_until_it_streams() const;
  void take_identity() const;
  void stop(int signal);

  Options options_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
  ServerDirectory home_{"postgres"};  // goes first, and lets the server clean up before process_ kills it
};

}  // namespace tenure::test
