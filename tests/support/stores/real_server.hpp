// What tests with a real Consul or a real Kubernetes have in common: where the programs are, and how they are asked.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "http_client/http_calls.hpp"
#include "support/directory.hpp"
#include "support/process.hpp"

namespace tenure::test {

// Of ./dev test-stores, which brings it: consul, kube-apiserver, client-go-elector. Throws where it is not there.
std::string real_program(const std::string& name);

// One call, waited for. Throws std::runtime_error where it is not answered.
http_client::HttpAnswer ask_server(const http_client::HttpServer& server, http_client::HttpRequest request);

// A program of a test, which can be stopped, killed and started again with the same arguments.
class Daemon {
 public:
  explicit Daemon(std::vector<std::string> argv) : argv_(std::move(argv)) { start(); }

  void start() { process_ = std::make_unique<Process>(argv_); }
  void kill() { process_.reset(); }
  void pause() const;  // returns when it has stopped
  void resume() const;
  bool running() const { return process_ != nullptr && process_->running(); }
  pid_t pid() const { return process_ ? process_->pid() : -1; }
  std::string log() const { return process_ ? process_->out() + process_->err() : ""; }

 private:
  std::vector<std::string> argv_;
  std::unique_ptr<Process> process_{};
};

}  // namespace tenure::test
