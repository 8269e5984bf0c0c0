// What an instance tells about its sessions, on stdout, in the words of the quickstart: one line for each event, with the
// time, the instance and the session. Text for people, JSON for machines.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/log_events.hpp"
#include "tenure/event.hpp"
#include "tenure/fleet.hpp"
#include "tenure/poller.hpp"

namespace tenure::cli {

class PollLog {
 public:
  struct Style {
    bool json = false;
    std::optional<LogLevel> level{};  // nothing: info, and debug while a person can follow
  };

  // Of the fleet whose keys begin so.
  PollLog(std::string instance, std::string fleet_prefix, Style style);

  void hear(const FleetEvent& event);
  void hear(const PollEvent& event);
  void hear(const Event& event);
  // The first line: who polls what, and where.
  struct Start {
    std::string fleet;
    std::string redis;  // the nodes, without secrets
    std::string data;   // where the sessions are; empty: on the first node
    std::string ttl;
  };
  void start(const Start& start);
  // Where its endpoint is.
  void serving(const std::string& url);
  // The last two: it has been told to end, and what it did altogether.
  void leaving();
  void left(const std::string& sums);

 private:
  struct Line {
    LogEvent event;
    const char* words;  // for people
    std::string session{};
    std::uint64_t token = 0;
    std::string reason{};
    std::string detail{};
    std::vector<LogField> facts{};
    std::optional<std::uint64_t> opens_in_ms{};
  };

  void write(const Line& line);
  bool can_write();
  std::string as_text(const Line& line) const;
  std::string as_json(const Line& line) const;

  std::string instance_;
  std::string lease_prefix_;
  Style style_;
  std::mutex mutex_;  // several threads tell
  std::size_t owned_ = 0;
  bool held_up_ = false;  // nobody has read for a second
};

}  // namespace tenure::cli
