// Everything that takes part in a run: real servers, real clients, the network between them, and what they write to and
// poll. Gone with it, and so are its files.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "faults/crowd.hpp"
#include "faults/journal.hpp"
#include "faults/node.hpp"
#include "faults/register.hpp"
#include "faults/worker.hpp"
#include "http_target/http_target.hpp"
#include "support/directory.hpp"
#include "support/proxy.hpp"

namespace tenure::faults {

class World {
 public:
  struct Options {
    Crowd crowd{};
    std::string program;     // tenure
    std::uint64_t seed = 0;  // says how long owners work
  };

  World(Options options, Journal& journal);
  // Keeps what the processes have said.
  ~World();

  const Crowd& crowd() const { return options_.crowd; }
  test::Proxy& proxy() { return *proxy_; }
  const Register& writes() const { return register_; }
  const http_target::HttpTarget& target() const { return *target_; }
  // s-1, s-2, …
  std::vector<std::string> sessions() const;
  // Behind those that decide comes that of the sessions, if there are any.
  Node& node(std::size_t node) { return *nodes_.at(node); }
  Worker& client(std::size_t client) { return workers_.at(client); }

  // Starts clients that are due, and notices those that have ended.
  void look();

 private:
  std::vector<std::string> words(std::size_t client, std::size_t generation) const;
  std::string url(std::size_t client, std::size_t node) const;

  Options options_;
  Journal& journal_;
  test::Directory directory_{"faults"};
  Register register_;
  std::unique_ptr<http_target::HttpTarget> target_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unique_ptr<test::Proxy> proxy_;
  std::deque<Worker> workers_;  // go first
};

}  // namespace tenure::faults
