// Starts the program of candidate_process/main.cpp and reads what it says.
#pragma once

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/nodes.hpp"
#include "support/oracle.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace tenure::test {

class CandidateProcess {
 public:
  CandidateProcess(const Nodes& nodes, const std::string& id, core::Ttl lease)
      : id_(id), process_(words(nodes, id, lease)) {}

  Process& process() { return process_; }
  const std::string& id() const { return id_; }
  std::string said() const { return process_.out(); }
  // How often it has said a line that begins so.
  std::size_t count(const std::string& start) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines(), [&](const auto& it) { return it.starts_with(start); }));
  }
  bool has_said(const std::string& start) const { return count(start) > 0; }
  // The last term that it was elected for; 0: none.
  core::Token term() const {
    core::Token last = 0;
    for (const auto& line : lines()) {
      if (line.starts_with("elected ")) last = std::stoull(line.substr(8));
    }
    return last;
  }
  // As it has said: elected, and not lost since.
  bool leads() const { return count("elected ") > count("lost "); }

  // From and until when it surely led, by term.
  std::vector<Oracle::Term> terms() const {
    std::map<core::Token, Oracle::Term> terms;
    for (const auto& line : lines()) {
      if (!line.starts_with("leads ")) continue;
      std::istringstream words(line.substr(6));
      core::Token token = 0;
      std::int64_t before = 0;
      std::int64_t after = 0;
      words >> token >> before >> after;
      const auto [it, first] = terms.try_emplace(token, Oracle::Term{id_, token, time(after), time(after)});
      it->second.until = std::max(it->second.until, time(before));
    }
    std::vector<Oracle::Term> all;
    for (const auto& [token, term] : terms) all.push_back(term);
    return all;
  }

 private:
  static core::Time time(std::int64_t nanoseconds) {
    return core::Time(std::chrono::nanoseconds(nanoseconds));
  }
  static std::vector<std::string> words(const Nodes& nodes, const std::string& id, core::Ttl lease) {
    std::vector<std::string> argv{paths::candidate_process, id, "myapp:leader", std::to_string(lease.count()),
                                  std::to_string(nodes.cap().count())};
    for (const auto& address : nodes.addresses()) argv.push_back(redis::to_text(address));
    return argv;
  }
  // Whole ones: it may be killed in the middle of one.
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    const std::string all = said();
    std::istringstream text(all.substr(0, all.rfind('\n') + 1));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  std::string id_;
  Process process_;
};

}  // namespace tenure::test
