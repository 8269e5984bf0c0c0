// What is said on one connection to one Redis, in order: the greeting, the admission, then requests and their
// replies, first come first served. It moves no bytes: the runtime and the simulator do.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/lease/record.hpp"
#include "redis/script_call.hpp"

namespace tenure::redis {

struct Greeting {
  std::string user{};  // with a password: an ACL user; empty is the default user
  std::string password{};
  int database = 0;
};

// The commands that open a connection; each must be answered with OK.
std::vector<Command> greeting_commands(const Greeting& greeting);
// What the server's error to one of them means; its words only where they do not repeat the password.
core::Failure greeting_failure(const Greeting& greeting, const std::string& error_reply);

// The largest token that a node has counted to, as far as a client knows: by all its connections to that node.
using Seen = std::shared_ptr<core::Token>;

class Conversation {
 public:
  struct Answer {
    core::RequestId id{};
    core::Reply reply;
  };
  struct Unanswered {
    core::RequestId id{};
    core::Applied applied = core::Applied::perhaps;
  };
  using Introduce = std::function<Introduction()>;

  // Whoever is to be admitted introduces itself, each time anew. With no introduction there is no admission: for a
  // Redis where no leases are.
  Conversation(Greeting greeting, Keyspace keyspace, Introduce introduce,
               Seen seen = std::make_shared<core::Token>(0));

  // Commands that are to be sent, in this order, are appended to out by all four. Requests may be
  // asked before the connection is open; they are held back.
  void open(std::vector<Command>& out);
  // Releases may stay here until flush(), to leave together, or until something else is asked, which they leave ahead of.
  void ask(core::RequestId id, core::Request request, std::vector<Command>& out);
  void flush(std::vector<Command>& out);
  // The next value that Redis sent, and what it answers. Gives the record where it was the admission. An error means
  // that the connection is of no use: greeting or admission refused, or a reply to nothing.
  tl::expected<std::optional<core::Record>, core::Failure> hear(const Value& value, std::vector<Command>& out,
                                                                std::vector<Answer>& answers);

  bool waiting() const { return !sent_.empty() || !held_back_.empty(); }
  // Is anything to come, an answer to the greeting or an admission included?
  bool under_way() const { return waiting() || (open_ && !ready()); }
  // Was this asked here, and is it not answered yet?
  bool carries(core::RequestId id) const;
  // What was asked and has not left, to be asked on another connection.
  std::vector<std::pair<core::RequestId, core::Request>> take_held_back();
  // When the connection ends: what was asked and not answered. A request that was held back never left.
  std::vector<Unanswered> close();

 private:
  struct Asked {
    core::RequestId id{};
    core::Request request;
    std::size_t together = 1;  // in sent_: so many, this and those behind it, were one call
  };

  bool ready() const { return open_ && greeting_left_ == 0 && !admitting_; }
  bool given_up(const Asked& asked) const;
  bool goes_with_gathered(const core::ReleaseRequest& release) const;
  void gather(Asked release, std::vector<Command>& out);
  void send(Asked asked, CallBy by, std::vector<Command>& out);
  void call_releases(std::size_t count, CallBy by, std::vector<Command>& out);
  void hear_releases(std::vector<Asked> asked, const Value& value, std::vector<Command>& out,
                     std::vector<Answer>& answers);
  void put_back(Asked asked);
  void send_held_back(std::vector<Command>& out);
  void ask_admission(std::vector<Command>& out);
  void send_admission(CallBy by, std::vector<Command>& out);
  tl::expected<std::optional<core::Record>, core::Failure> hear_admission(const Value& value,
                                                                          std::vector<Command>& out);

  Greeting greeting_;
  Keyspace keyspace_;
  Introduce introduce_;
  Seen seen_;
  bool open_ = false;
  std::size_t greeting_left_ = 0;            // commands of the greeting that are not answered yet
  std::optional<Introduction> admitting_{};  // said and not answered yet, behind all that is in sent_
  std::string epoch_{};                      // that the connection was admitted to
  std::string record_{};                     // with this record
  bool released_ = false;                    // something was, since it is known to have forgotten no script
  std::deque<Asked> held_back_;
  std::ptrdiff_t returned_ = 0;  // how many of those at the front were sent before, and are to be sent again
  std::deque<Asked> sent_;
  std::size_t gathered_ = 0;  // the last so many in sent_ are releases that have not left yet
};

}  // namespace tenure::redis
