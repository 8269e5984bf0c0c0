// What is told to everybody who watches, as server-sent events: changes, which are numbered and kept for a while so that a reader
// whose connection broke can go on where it was, and looks at the leases and at each fleet, of which only the last one counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/routes.hpp"

namespace tenure::cli {

// Any thread may call it. Outlives its readers.
class EventLog {
 public:
  // So many changes are kept. Numbers begin at the given one, so that those of a process that was started again are larger.
  explicit EventLog(std::uint64_t first, std::size_t kept = 5'000) : last_(first), kept_(kept) {}

  // The data is JSON, on one line. Changes of a fleet are told to those only who watch that one.
  void add_change(const std::string& event, const std::string& data, const std::string& fleet = "");
  // In milliseconds of unix time.
  struct Look {
    std::int64_t at;
    std::int64_t next;         // comes by then
    std::string error{};       // why nothing could be seen; empty: it was
    std::uint64_t number = 0;  // given by the log
  };
  // The last look at that fleet, or at what is nobody's in particular.
  void set_look(Look look, const std::string& fleet = "");
  void forget_looks(const std::string& fleet);

  // Of one who watches that fleet, from now on, or behind the number that it gives.
  std::unique_ptr<http::EventStream> read(const http::Request& request, const std::string& fleet = "");
  std::size_t readers() const;

 private:
  class Reader;
  struct Change {
    std::string fleet;  // empty: everybody hears of it
    std::string text;   // as it goes over the wire
  };

  mutable std::mutex mutex_{};
  std::uint64_t last_;
  std::size_t kept_;
  std::deque<Change> changes_{};         // the last one has the last number
  std::map<std::string, Look> looks_{};  // by fleet
  std::uint64_t last_look_ = 0;
  std::size_t readers_ = 0;
};

}  // namespace tenure::cli
