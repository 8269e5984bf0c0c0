// Which server of a Redis Cluster is asked what, and in which order. Moves no bytes and knows no clock: its driver holds the
// connections, and says what they brought and what time it is.
//
//   router.ask(id, request, now, heard);
//   …of each server in router.stirred(): dial it, if there is no connection; else send router.take_commands(server)…
//   …router.on_open(), on_value() and on_end(), as it goes with that connection…
//   …while router.wants_map(): ask the Cluster for one, and give it to on_map(), or say on_no_map()…
//   …no later than router.wake(): close the servers that router.overdue() names…
//
// Whatever concerns a slot is asked in the order in which it came, of one server at a time: so a release never overtakes the
// acquire that it takes back (T12), wherever the slot moves meanwhile. Slots do not wait for each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/cluster/redirection.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/cluster/split.hpp"
#include "redis/conversation.hpp"

namespace tenure::redis {

class Router {
 public:
  // A server once and for all, by its address.
  using ServerId = std::uint32_t;

  struct Us {
    Greeting greeting{};
    Keyspace keyspace{};
    Conversation::Introduce introduce{};
    Seen seen = Conversation::new_seen();
  };
  struct Limits {
    // A server that has not answered for so long may have been frozen, and replaced, and go on as if it were the master: it is
    // asked only when the Cluster has said that it still is.
    core::Duration idle_max{};
    // After so long the leases of slots that have not answered are given up, so that the answers for the others are in time.
    // Where there are none yet, nothing would be saved: then it is looked again, every third of this, until whoever asked gives
    // up on all.
    core::Duration answers_within{};
  };
  // What has come of it all, in order.
  struct Heard {
    std::vector<Conversation::Answer> answers{};
    std::vector<Conversation::Admitted> admitted{};
  };

  Router(Us us, Limits limits);

  void ask(core::RequestId id, core::Request request, core::Time now, Heard& heard);
  // Releases that were gathered leave.
  void flush();

  // Those to which something is to be sent.
  std::vector<ServerId> stirred() const;
  bool has_commands(ServerId server) const { return !servers_.at(server).out.empty(); }
  std::vector<Command> take_commands(ServerId server);
  const HostPort& where(ServerId server) const { return servers_.at(server).where; }
  // Is anything to come from it?
  bool waits_for(ServerId server) const { return servers_.at(server).conversation.under_way(); }
  // Does it serve a slot, as far as is known?
  bool serves(ServerId server) const;

  // A connection to it stands.
  void on_open(ServerId server);
  // An error: that connection is of no use any more, and is to be closed; on_end follows.
  tl::expected<void, core::Failure> on_value(ServerId server, const Value& value, core::Time now,
                                             Heard& heard);
  // The connection has ended, or there is none to be had: what it carried has failed.
  void on_end(ServerId server, const core::Failure& why, core::Time now, Heard& heard);

  // Is there something that waits for a map, or a reason to look at another one?
  bool wants_map() const { return wants_map_; }
  // What the Cluster says, that was asked then.
  void on_map(SlotMap map, core::Time asked, core::Time now, Heard& heard);
  // It says nothing: what can goes on by the map that there is.
  void on_no_map(const core::Failure& why, core::Time now, Heard& heard);
  const SlotMap& map() const { return map_; }

  std::optional<core::Time> wake() const;
  // Servers that kept some of a request waiting for too long. Their connections are to be closed.
  std::set<ServerId> overdue(core::Time now, Heard& heard);

  bool waiting() const { return !wholes_.empty(); }
  bool carries(core::RequestId id) const { return wholes_.contains(id); }
  // This request got no answer in time. Gives the servers that carry it; their connections are to be closed.
  std::set<ServerId> give_up(core::RequestId id, const core::Failure& why, Heard& heard);
  // All connections were closed.
  void drop(const core::Failure& why, Heard& heard);

 private:
  // What of a request concerns one slot. Its id is the order in which it came.
  struct Share {
    core::RequestId whole{};
    Slot slot = 0;
    core::Request request;  // while it is not under way
    std::vector<std::size_t> places{};
    std::vector<core::Grant> sets{};  // what may stand there after it
    core::Time asked{};
    core::Time sent{};
    std::optional<ServerId> on{};          // it is under way there
    std::optional<ServerId> asking{};      // it goes there, behind ASKING
    int hops = 0;                          // how often it was turned away
    std::optional<core::Request> again{};  // to be asked once more if the slot is not open to it
    bool given_up = false;                 // a release of what it sets came later
  };
  using ShareId = core::RequestId;
  struct Whole {
    std::optional<Merged> merged{};        // of what was split
    std::vector<ShareId> open{};           // its shares that are not answered
    std::optional<core::Time> answered{};  // when the last of the others was
  };
  // Of one slot, in order: what is under way, all of it on one server, and what waits. What was turned away waits again, before
  // all that came later.
  struct Lane {
    std::deque<ShareId> under_way{};
    std::deque<ShareId> waiting{};
  };
  struct Server {
    HostPort where{};
    Conversation conversation;
    std::vector<Command> out{};
    core::Time alive = core::long_ago;  // what was sent then, it has done
    std::optional<core::Time> ended{};  // its connection, and nobody has said since that it still serves
  };
  Conversation converse() const;
  std::optional<ServerId> server_at(const HostPort& where);
  std::optional<ServerId> server_for(const Share& share);
  bool is_sure(const Server& server, core::Time now) const;
  void join(ShareId id, Share share);
  // Sends what can be sent of a slot, and of all slots.
  void go_on(Slot slot, core::Time now, Heard& heard);
  void go_on(core::Time now, Heard& heard);
  // True: there may be more.
  bool send_next(Lane& lane, core::Time now, Heard& heard);
  void send(Lane& lane, ShareId id, Share& share, ServerId server, core::Time now);
  void on_answer(ShareId id, core::Reply reply, Heard& heard);
  void on_turned(ServerId server, Conversation::Turned turned, Heard& heard);
  void wait_again(ShareId id, Share& share, core::Request request);
  void leave_lane(ShareId id, const Share& share);
  void finish(ShareId id, core::Reply reply, Heard& heard);
  core::Duration pause() const { return limits_.answers_within / 3; }
  void fail(ShareId id, core::FailureCode code, std::string detail, Heard& heard);

  Us us_;
  Limits limits_;
  SlotMap map_{};
  core::Time map_asked_ = core::long_ago;
  std::optional<core::Failure> no_map_{};  // why the last question after it was in vain
  bool wants_map_ = false;
  std::deque<Server> servers_;  // none is ever forgotten
  std::map<std::string, ServerId> server_by_text_;
  std::uint64_t last_share_ = 0;
  std::unordered_map<ShareId, Share> shares_;  // looked up only, like the next two
  std::unordered_map<core::RequestId, Whole> wholes_;
  std::map<Slot, Lane> lanes_;                            // of slots of which something is not answered
  std::set<std::pair<core::Time, core::RequestId>> due_;  // of requests that are split
};

}  // namespace tenure::redis
