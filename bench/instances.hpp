// A fleet of instances in processes of their own, and what Redis shows of their leases.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "client_of.hpp"
#include "cores.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"

namespace tenure::bench {

inline std::vector<std::string> session_names(std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back("session-" + std::to_string(i));
  return all;
}

class Instances {
 public:
  Instances(std::size_t sessions, std::chrono::milliseconds ttl)
      : sessions_(session_names(sessions)), ttl_(ttl) {}

  void start() {
    const std::string id = "instance-" + std::to_string(++started_);
    processes_.emplace(id, std::make_unique<test::Process>(std::vector<std::string>{
                               "/proc/self/exe", "--instance", url_of(nodes_), id,
                               std::to_string(sessions_.size()), std::to_string(ttl_.count())}));
  }
  std::string last() const { return processes_.rbegin()->first; }
  void end(const std::string& id, int signal) {
    const auto process = processes_.extract(id);
    process.mapped()->send(signal);
    if (signal == SIGKILL) process.mapped()->wait();
    leaving_.push_back(std::move(process.mapped()));
  }
  std::size_t count() const { return processes_.size(); }

  // By session; nothing where nobody has it.
  std::vector<std::string> owners() {
    std::vector<std::string> owners;
    for (std::size_t from = 0; from < sessions_.size(); from += 1000) {
      std::vector<std::string> command{"MGET"};
      for (std::size_t i = from; i < std::min(from + 1000, sessions_.size()); ++i)
        command.push_back("poll:lease:" + sessions_[i]);
      for (const auto& value : nodes_[0].command(command).items)
        owners.push_back(value.text.substr(0, value.text.find('#')));
    }
    return owners;
  }
  // Does every session have an owner that lives, and each of these within one of the same number?
  bool balanced() {
    std::map<std::string, std::size_t> counts;
    for (const auto& owner : owners()) {
      if (!processes_.contains(owner)) return false;
      counts[owner] += 1;
    }
    const std::size_t fewest = sessions_.size() / processes_.size();
    return counts.size() == processes_.size() && std::ranges::all_of(counts, [&](const auto& it) {
             return it.second >= fewest && it.second <= fewest + (sessions_.size() % processes_.size() != 0);
           });
  }
  // Until then, from now.
  template <class Condition>
  double time_until(Condition condition) {
    const auto begun = BootClock::now();
    if (!test::wait_until(condition, std::chrono::seconds(300)))
      throw std::runtime_error("the fleet does not settle");
    return std::chrono::duration<double>(BootClock::now() - begun).count();
  }
  bool all_owned_by_the_living() {
    return std::ranges::all_of(owners(), [&](const auto& owner) { return processes_.contains(owner); });
  }

  test::RedisServer& server() { return nodes_[0]; }
  std::vector<pid_t> pids() const {
    std::vector<pid_t> all;
    for (const auto& [id, process] : processes_) all.push_back(process->pid());
    return all;
  }

 private:
  test::Nodes nodes_ = start_nodes(1);
  std::vector<std::string> sessions_;
  std::chrono::milliseconds ttl_;
  int started_ = 100;
  std::map<std::string, std::unique_ptr<test::Process>> processes_;
  std::deque<std::unique_ptr<test::Process>> leaving_;
};

}  // namespace tenure::bench
