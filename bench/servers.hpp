// Private servers of the benchmark's peers: each in a directory of its own under /tmp, gone with the object.
// Both are as durable as they are by default; nothing is switched off to make them faster or slower.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/directory.hpp"
#include "support/postgres_server.hpp"
#include "support/process.hpp"

namespace tenure::bench {

// PostgreSQL on a Unix socket alone. What tests set up otherwise than it is by default is as by default again; the settings of
// the caller ("synchronous_commit=off") win. Throws std::runtime_error where it cannot be had.
std::shared_ptr<test::PostgresServer> start_postgres(std::vector<std::string> settings = {});

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
