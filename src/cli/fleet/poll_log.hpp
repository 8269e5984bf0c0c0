// What an instance tells about its sessions, in the words of the quickstart: one line for each event, with the time,
// the instance and the session. Text for people, JSON for machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/args/log_level.hpp"
#include "tenure/event.hpp"
#include "tenure/fleet.hpp"
#include "tenure/poller.hpp"

namespace tenure::cli {

class PollLog {
 public:
  struct Style {
    bool json = false;
    LogLevel level = LogLevel::usual;
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
  // Anything else that is worth a line.
  void say(std::string_view kind, const std::string& sentence);

 private:
  struct Line {
    const char* kind;   // for machines
    const char* words;  // for people
    std::string session{};
    std::uint64_t token = 0;
    std::string reason{};
    std::string detail{};
    bool debug = false;
    std::vector<std::pair<const char*, std::string>> facts{};
    std::optional<std::int64_t> opens_in_ms{};
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
