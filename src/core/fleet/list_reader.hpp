// Reads the lists of what members own, some at a time, so that no answer holds a node up for long.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/exchange.hpp"
#include "core/outbox.hpp"

namespace tenure::core {

class ListReader {
 public:
  struct Wanted {
    MemberIndex member = 0;
    std::string id;
    std::uint64_t owned = 0;  // how long its list will be
  };
  struct Read {
    MemberIndex member = 0;
    // nullopt: there is none, or it may not be read. Where no answer came nothing is told.
    std::optional<std::vector<SessionHash>> list{};
  };

  ListReader(std::string fleet, NodeIndex node, Duration node_timeout)
      : fleet_(std::move(fleet)), node_(node), node_timeout_(node_timeout) {}

  // Only when the one before has ended.
  void start(std::vector<Wanted> wanted, Time now, Outbox& out);
  // What is told belongs to no reading any more.
  void stop(Outbox& out);

  // Appends what was read.
  void on_reply(RequestId request, const Reply& reply, Time now, Outbox& out, std::vector<Read>& read);
  void on_timer(Time now, Outbox& out);
  std::optional<Time> wake() const;
  bool under_way() const { return asked_.has_value(); }

 private:
  struct Asked {
    RequestId request{};
    std::vector<MemberIndex> members;
    Time gives_up{};
  };

  void ask(Time now, Outbox& out);

  std::string fleet_;
  NodeIndex node_;
  Duration node_timeout_;
  std::deque<Wanted> wanted_;  // not asked for yet
  std::optional<Asked> asked_{};
};

}  // namespace tenure::core
