// What is said on one connection to one Redis, in order: the greeting, the admission, then requests and their
// replies, first come first served. It moves no bytes: the runtime and the simulator do.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/lease/record.hpp"
#include "redis/cluster/redirection.hpp"
#include "redis/greeting.hpp"
#include "redis/script_call.hpp"

namespace tenure::redis {

// The largest token that a node, or a part of it, has counted to, as far as a client knows: by all its connections.
using Seen = std::shared_ptr<std::unordered_map<core::Part, core::Token>>;

// Of how many records is the server the keeper? One that stands alone has one, and admits us when the connection is opened.
// In a Cluster each slot has its own, and admits us when something of it is first asked for.
enum class Parts : std::uint8_t { one, by_slot };
// Is the slot on its way to this server? Then it serves only who asks for it.
enum class Asking : std::uint8_t { no, yes };

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
  struct Admitted {
    core::Record record;
    core::Part part = 0;
  };
  // What the server has not done, because it does not serve that slot, or not now.
  struct Turned {
    core::RequestId id{};
    core::Request request;
    Redirection to;
  };
  using Introduce = std::function<Introduction()>;

  // Whoever is to be admitted introduces itself, each time anew. With no introduction there is no admission: for a
  // Redis where no leases are.
  Conversation(Greeting greeting, Keyspace keyspace, Introduce introduce, Seen seen = new_seen(),
               Parts parts = Parts::one);

  static Seen new_seen() { return std::make_shared<Seen::element_type>(); }

  // Commands that are to be sent, in this order, are appended to out by all four. Requests may be
  // asked before the connection is open; they are held back. Each concerns one part.
  void open(std::vector<Command>& out);
  // Releases may stay here until flush(), to leave together, or until something else is asked, which they leave ahead of.
  void ask(core::RequestId id, core::Request request, std::vector<Command>& out, Asking asking = Asking::no);
  void flush(std::vector<Command>& out);
  // The next value that Redis sent, and what it answers. Gives the record where it was an admission. An error means
  // that the connection is of no use: greeting or admission refused, or a reply to nothing.
  tl::expected<std::optional<Admitted>, core::Failure> hear(const Value& value, std::vector<Command>& out,
                                                            std::vector<Answer>& answers);
  // In the order in which it was asked for: what another server of the Cluster may do.
  std::vector<Turned> take_turned() { return std::exchange(turned_, {}); }

  // Of a server of a Cluster: each slot is to be admitted anew before it is used again.
  void forget_admissions();

  bool waiting() const { return open_requests_ > 0; }
  // Is anything to come, an answer to the greeting or an admission included?
  bool under_way() const { return waiting() || (open_ && (greeting_left_ > 0 || admissions_ > 0)); }
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
    Asking asking = Asking::no;
    std::size_t together = 1;  // in sent_: so many, this and those behind it, were one call
  };
  // What else is answered in its turn.
  struct Admission {
    core::Part part = 0;
  };
  struct Permission {};  // ASKING
  using Sent = std::variant<Asked, Admission, Permission>;

  // What is known of a part of the server, and what waits for it.
  struct Room {
    Keyspace keyspace;
    std::optional<Introduction> admitting{};  // said and not answered yet
    Asking asking = Asking::no;               // how
    bool admitted = false;
    std::string epoch{};   // that the connection was admitted to
    std::string record{};  // with this record
    std::deque<Asked> held_back{};
    std::ptrdiff_t returned = 0;  // how many of those at the front were sent before, and are to be sent again
  };

  core::Part part_of(const core::Request& request) const;
  Room& room_of(core::Part part);
  bool greeted() const { return open_ && greeting_left_ == 0; }
  bool ready(const Room& room) const {
    return greeted() && !room.admitting && (room.admitted || !introduce_);
  }
  void greet_rooms(std::vector<Command>& out);
  bool given_up(const Asked& asked) const;
  bool goes_with_gathered(const core::ReleaseRequest& release) const;
  void gather(Asked release, std::vector<Command>& out);
  void send(Asked asked, CallBy by, std::vector<Command>& out);
  void call_releases(std::size_t count, CallBy by, std::vector<Command>& out);
  void answer(core::RequestId id, core::Reply reply, std::vector<Answer>& answers);
  // Why ASKING was refused that stood before what is answered now, if it was.
  using Refused = std::optional<core::Failure>;
  void hear_answer(Asked asked, const Value& value, const Refused& asking_refused, std::vector<Command>& out,
                   std::vector<Answer>& answers);
  void hear_releases(std::vector<Asked> asked, const Value& value, std::vector<Command>& out,
                     std::vector<Answer>& answers);
  bool turn_away(Asked& asked, const Value& value, const Refused& asking_refused,
                 std::vector<Answer>& answers);
  void put_back(Room& room, Asked asked);
  void send_held_back(Room& room, std::vector<Command>& out);
  void ask_admission(core::Part part, Room& room, Asking asking, std::vector<Command>& out);
  void send_admission(core::Part part, Room& room, CallBy by, std::vector<Command>& out);
  void ask_permission(Asking asking, std::vector<Command>& out);
  tl::expected<std::optional<Admitted>, core::Failure> hear_admission(core::Part part, const Value& value,
                                                                      const Refused& asking_refused,
                                                                      std::vector<Command>& out,
                                                                      std::vector<Answer>& answers);
  tl::expected<std::optional<Admitted>, core::Failure> refuse(core::Part part, const core::Failure& failure,
                                                              std::vector<Answer>& answers);

  Greeting greeting_;
  Keyspace keyspace_;
  Introduce introduce_;
  Seen seen_;
  Parts parts_;
  bool open_ = false;
  std::size_t greeting_left_ = 0;  // commands of the greeting that are not answered yet
  std::map<core::Part, Room> rooms_;
  bool released_ = false;  // something was, since it is known to have forgotten no script
  std::deque<Sent> sent_;
  Refused asking_refused_{};       // of what is at the front of sent_
  std::size_t gathered_ = 0;       // the last so many in sent_ are releases that have not left yet
  std::size_t open_requests_ = 0;  // asked and not answered
  std::size_t admissions_ = 0;     // the same of admissions
  std::vector<Turned> turned_;
};

}  // namespace tenure::redis
