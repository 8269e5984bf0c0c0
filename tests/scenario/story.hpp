// Tells the client core what happens, line by line, and writes down what it wants done. Clock, network
// and Redis are the story's: nothing waits, and nothing but the story answers a request.
//
//   nodes 3         as the first line; one otherwise
//   acquire NAME ttl=10s [wait=5s|forever] [key=K]   NAME is the caller's handle, and the key unless given
//           [renew= grace= node_timeout= retry=]
//   reply N granted token=7 | held owner=web-3 token=5 left=3s [place=0] | closed "record" | opened
//   reply N renewed,missing,foreign      per key; also released, confirmed, reasserted
//   fail N refused|closed|timeout|…      refused cannot have taken effect, the others may have
//   reply N shows nobody | owner=web-3 token=5 left=3s
//   cancel NAME · release NAME · forget NAME
//   elect NAME [lease=15s renew= grace= drain=] [key=K]      observe NAME, the same without taking part
//   stop NAME · step_down NAME · close · drained NAME [term=7], an earlier one
//   shows nobody | owner=web-3 token=5 left=30s | silence    what nodes answer to whoever looks who leads; only when
//                    they are silent the story tells of the looks
//   admitted NODE "record" · listening NODE on|off · wake-up NODE NAME after=0ms
//   clock NODE +31s  its wall clock jumps; what it shows, the story answers by itself
//   advance 200ms    the clock moves, on_timer is called whenever it is due
//   suspend 40s      the clock moves and the process does not: whatever the story tells next comes first
//   jump 40s         suspend, and then on_timer, once
//   held NAME · wake · idle              ask
//
// N is one request or several ("1,2"). "a as a/2" is the key a, asked for by the second grant of that name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/agent.hpp"
#include "line.hpp"
#include "words.hpp"

namespace tenure::scenario {

class Story {
 public:
  Story();

  // Tells one line; what came of it. Throws std::invalid_argument at a line that says nothing.
  std::vector<std::string> tell(const std::string& line);

 private:
  // What a caller's handle would know.
  struct Handle {
    core::AcquireId acquire{};
    std::string key;
    std::optional<core::LeaseId> lease{};
    core::Time deadline{};
    bool wanted = true;  // it is still being acquired
    bool given_back = false;
    std::size_t grants = 0;
    std::optional<core::Grant> ticket{};
    std::optional<core::ElectionId> election{};
    std::map<core::Token, core::LeaseId> terms{};
  };
  using Verb = void (Story::*)(const Line&);
  static const std::map<std::string, Verb>& verbs();

  void begin(std::size_t nodes);
  void nodes(const Line& line);
  void acquire(const Line& line);
  void reply(const Line& line);
  void fail(const Line& line);
  void answer(const Line& line, const core::Reply& reply);
  void cancel(const Line& line);
  void release(const Line& line);
  void forget(const Line& line);
  void elect(const Line& line);
  void observe(const Line& line);
  void stop(const Line& line);
  void step_down(const Line& line);
  void drained(const Line& line);
  void close(const Line& line);
  void shows(const Line& line);
  void admitted(const Line& line);
  void listening(const Line& line);
  void wake_up(const Line& line);
  void clock(const Line& line);
  void advance(const Line& line);
  void suspend(const Line& line);
  void jump(const Line& line);
  void held(const Line& line);
  void wake(const Line& line);
  void idle(const Line& line);

  void take_part(const Line& line, bool candidate);
  void settle(const std::string& when = "");
  void tell_sends(const std::vector<core::Send>& sends, const std::string& when);
  void on_timer(const std::string& when);
  void note(const core::Notice& notice);
  void note_send(const core::Send& send);
  std::optional<core::Reply> own_answer(const core::Send& send) const;
  Handle& handle(const std::string& name);
  Handle& election(const std::string& name);
  std::string wanted_for(const std::string& key) const;
  void say(std::string text) { told_.push_back(std::move(text)); }

  std::optional<core::Agent> agent_;
  core::Time now_{};
  std::vector<core::Duration> clocks_;  // how far ahead the nodes' are
  std::optional<core::KeyState> shown_{
      core::KeyState{}};  // to whoever looks; nothing when the nodes are silent
  core::Time shown_until_ = core::Time::max();
  Cast cast_;
  std::map<std::uint64_t, core::RequestId> requests_;  // by the reader's count
  std::map<std::string, Handle> handles_;
  std::string acquiring_;  // whose first request names its grant
  std::vector<std::string> told_;
};

}  // namespace tenure::scenario
