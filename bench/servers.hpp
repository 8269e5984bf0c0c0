// Private servers of the benchmark's peers: each in a directory of its own under /tmp, gone with the object.
// Both are as durable as they are by default; nothing is switched off to make them faster or slower.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "support/directory.hpp"
#include "support/process.hpp"

namespace tenure::bench {

// PostgreSQL on a Unix socket alone. It refuses to run as root: then it runs as the user postgres.
class PostgresServer {
 public:
  // Returns when it takes connections; throws std::runtime_error with what it said when it does not.
  PostgresServer();
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // For libpq.
  std::string connection() const {
    return "host=" + directory_.path().string() + " user=tenure dbname=postgres";
  }

 private:
  test::Directory directory_;
  std::unique_ptr<test::Process> process_;
};

// A cluster of one etcd on two free ports of 127.0.0.1. It writes every grant to the disk before it answers: that is what
// sets it apart from Redis without persistence, and what the comparison shows.
class EtcdServer {
 public:
  EtcdServer();
  ~EtcdServer();
  EtcdServer(const EtcdServer&) = delete;
  EtcdServer& operator=(const EtcdServer&) = delete;

  const std::string& url() const { return url_; }

 private:
  bool launch();  // false: a port was taken meanwhile

  test::Directory directory_;
  std::string url_;
  std::unique_ptr<test::Process> process_;
};

}  // namespace tenure::bench
