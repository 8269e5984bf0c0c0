#include "redis/conversation.hpp"

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"
#include "redis/cluster/request_slot.hpp"
#include "redis/failure.hpp"
#include "redis/record_text.hpp"

namespace tenure::redis {

namespace {

// More of them would gain nothing, and keep others waiting.
constexpr std::size_t together_max = 64;

const core::Failure moving_slot{core::Applied::no, core::FailureCode::busy,
                                "the slot of this lease is on its way to another server"};

core::Failure unasked() {
  return {core::Applied::perhaps, core::FailureCode::protocol, "Redis sent a reply that nobody asked for"};
}

// What the node's counter has reached, as this answer of it shows.
core::Token token_reached(const core::Request& request, const core::Reply& reply) {
  if (const auto* granted = std::get_if<core::Granted>(&reply)) return granted->token;
  const auto* answers = std::get_if<core::KeyAnswers>(&reply);
  if (answers == nullptr) return 0;
  if (const auto* confirm = std::get_if<core::ConfirmRequest>(&request))
    return answers->front() == core::KeyAnswer::done ? confirm->token : 0;
  core::Token highest = 0;
  if (const auto* reassert = std::get_if<core::ReassertRequest>(&request)) {
    for (std::size_t i = 0; i < reassert->items.size(); ++i) {
      if ((*answers)[i] == core::KeyAnswer::done) highest = std::max(highest, reassert->items[i].token);
    }
  }
  return highest;
}

// Must the node be asked with what its client has seen there?
bool tells_what_was_seen(const core::Request& request) {
  return std::holds_alternative<core::AcquireRequest>(request) ||
         std::holds_alternative<core::ReassertRequest>(request);
}

// Redis does not know the script. Nothing was run.
bool is_unknown_script(const Value& value) {
  return value.kind == Value::Kind::error && value.text.starts_with("NOSCRIPT");
}

// The user may not do this, or not with one of these keys. Nothing was run.
bool is_denied(const Value& value) {
  if (value.kind != Value::Kind::error) return false;
  const core::Failure failure = classify(value.text);
  return failure.code == core::FailureCode::no_permission && failure.applied == core::Applied::no;
}

// Nothing of what stands behind it is done, unless the slot has come to the server by then.
core::Failure asking_failure(std::string_view reply) {
  core::Failure failure = classify(reply);
  failure.applied = core::Applied::no;
  if (failure.code == core::FailureCode::no_permission) {
    failure.detail =
        "the user may not run ASKING: it lacks +asking, without which a lease cannot be asked for where its "
        "slot moves to (tenure doctor names all rights that are needed)";
  } else {
    failure.detail = "ASKING failed: " + failure.detail;
  }
  return failure;
}

}  // namespace

Conversation::Conversation(Greeting greeting, Keyspace keyspace, Introduce introduce, Seen seen, Parts parts)
    : greeting_(std::move(greeting)),
      keyspace_(std::move(keyspace)),
      introduce_(std::move(introduce)),
      seen_(std::move(seen)),
      parts_(parts) {
  if (parts_ == Parts::one) rooms_.emplace(core::Part{0}, Room{keyspace_});
}

void Conversation::open(std::vector<Command>& out) {
  auto commands = greeting_commands(greeting_);
  open_ = true;
  greeting_left_ = commands.size();
  for (auto& command : commands) out.push_back(std::move(command));
  if (greeting_left_ == 0) greet_rooms(out);
}

// One that has nobody to admit us to is ready at once. In a Cluster the rooms are those in which something waits.
void Conversation::greet_rooms(std::vector<Command>& out) {
  for (auto& [part, room] : rooms_) {
    if (introduce_) {
      const bool asks = !room.held_back.empty() && room.held_back.front().asking == Asking::yes;
      ask_admission(part, room, asks ? Asking::yes : Asking::no, out);
    } else {
      send_held_back(room, out);
    }
  }
}

core::Part Conversation::part_of(const core::Request& request) const {
  return parts_ == Parts::one ? core::Part{0} : slot_of(request);
}

Conversation::Room& Conversation::room_of(core::Part part) {
  const auto found = rooms_.find(part);
  if (found != rooms_.end()) return found->second;
  return rooms_.emplace(part, Room{keyspace_.of_slot(part)}).first->second;
}

void Conversation::ask(core::RequestId id, core::Request request, std::vector<Command>& out, Asking asking) {
  open_requests_ += 1;
  const core::Part part = part_of(request);
  Room& room = room_of(part);
  // Not before the greeting is answered: after a refused SELECT the script would run elsewhere. And not
  // before the node has said which epoch this is.
  if (!ready(room)) {
    room.held_back.push_back({id, std::move(request), asking});
    if (greeted() && !room.admitting) ask_admission(part, room, asking, out);
  } else if (std::holds_alternative<core::ReleaseRequest>(request) && asking == Asking::no) {
    gather({id, std::move(request)}, out);
  } else {
    send({id, std::move(request), asking}, CallBy::sha1, out);
  }
}

// One call for many releases costs Redis a third of what a call for each does.
void Conversation::gather(Asked release, std::vector<Command>& out) {
  if (!goes_with_gathered(std::get<core::ReleaseRequest>(release.request))) flush(out);
  sent_.emplace_back(std::move(release));
  gathered_ += 1;
}

bool Conversation::goes_with_gathered(const core::ReleaseRequest& release) const {
  if (gathered_ == together_max) return false;
  const auto first = sent_.end() - static_cast<std::ptrdiff_t>(gathered_);
  const bool by_slot = parts_ == Parts::by_slot;
  return std::all_of(first, sent_.end(), [&](const Sent& sent) {
    const auto& other = std::get<core::ReleaseRequest>(std::get<Asked>(sent).request);
    return other.wake == release.wake && other.key != release.key &&
           (!by_slot || slot_of(other.key) == slot_of(release.key));
  });
}

void Conversation::flush(std::vector<Command>& out) {
  if (gathered_ > 0) call_releases(std::exchange(gathered_, 0), CallBy::sha1, out);
}

void Conversation::answer(core::RequestId id, core::Reply reply, std::vector<Answer>& answers) {
  open_requests_ -= 1;
  answers.push_back({id, std::move(reply)});
}

tl::expected<std::optional<Conversation::Admitted>, core::Failure> Conversation::hear(
    const Value& value, std::vector<Command>& out, std::vector<Answer>& answers) {
  if (!open_) return tl::unexpected(unasked());
  if (greeting_left_ > 0) {
    if (value.kind == Value::Kind::error) return tl::unexpected(greeting_failure(greeting_, value.text));
    greeting_left_ -= 1;
    if (greeting_left_ == 0) greet_rooms(out);
    return std::nullopt;
  }
  if (sent_.size() == gathered_) return tl::unexpected(unasked());
  if (std::holds_alternative<Permission>(sent_.front())) {
    sent_.pop_front();
    if (value.kind == Value::Kind::error) asking_refused_ = asking_failure(value.text);
    return std::nullopt;
  }
  const Refused asking_refused = std::exchange(asking_refused_, std::nullopt);
  if (const auto* admission = std::get_if<Admission>(&sent_.front())) {
    const core::Part part = admission->part;
    sent_.pop_front();
    admissions_ -= 1;
    return hear_admission(part, value, asking_refused, out, answers);
  }
  if (const std::size_t together = std::get<Asked>(sent_.front()).together; together > 1) {
    std::vector<Asked> asked;
    for (std::size_t i = 0; i < together; ++i) {
      asked.push_back(std::move(std::get<Asked>(sent_.front())));
      sent_.pop_front();
    }
    hear_releases(std::move(asked), value, out, answers);
    return std::nullopt;
  }
  Asked asked = std::move(std::get<Asked>(sent_.front()));
  sent_.pop_front();
  hear_answer(std::move(asked), value, asking_refused, out, answers);
  return std::nullopt;
}

void Conversation::hear_answer(Asked asked, const Value& value, const Refused& asking_refused,
                               std::vector<Command>& out, std::vector<Answer>& answers) {
  const core::Part part = part_of(asked.request);
  Room& room = room_of(part);
  if (turn_away(asked, value, asking_refused, answers)) return;
  // After SCRIPT FLUSH or a restart Redis knows our scripts no more; nothing was run (T29).
  if (is_unknown_script(value) && !given_up(asked)) {
    released_ = false;  // the next release brings its script along again
    if (room.admitting) {
      put_back(room, std::move(asked));
    } else {
      send(std::move(asked), CallBy::body, out);
    }
    return;
  }
  core::Reply reply = script_reply(asked.request, value);
  core::Token& seen = (*seen_)[part];
  seen = std::max(seen, token_reached(asked.request, reply));
  // The record is not the one that this connection was admitted with: data lost, or another quarantine. Or the data
  // is older than what was seen of it.
  const auto* closed = std::get_if<core::NotOpen>(&reply);
  const bool admits_anew = closed != nullptr && !room.admitting && closed->record.text != room.record;
  answer(asked.id, std::move(reply), answers);
  if (admits_anew) ask_admission(part, room, asked.asking, out);
}

void Conversation::hear_releases(std::vector<Asked> asked, const Value& value, std::vector<Command>& out,
                                 std::vector<Answer>& answers) {
  const bool unknown = is_unknown_script(value);
  const bool denied = is_denied(value);
  if (unknown) released_ = false;
  Room& room = room_of(part_of(asked.front().request));
  if (turn_away(asked.front(), value, std::nullopt, answers)) {
    for (std::size_t i = 1; i < asked.size(); ++i) turn_away(asked[i], value, std::nullopt, answers);
  } else if ((unknown || denied) && room.admitting) {
    for (Asked& it : asked) put_back(room, std::move(it));
  } else if (unknown) {
    flush(out);
    for (Asked& it : asked) sent_.emplace_back(std::move(it));
    call_releases(asked.size(), CallBy::body, out);
  } else if (denied) {
    // Perhaps only one of their keys is out of reach by now: that must not keep the others.
    for (Asked& it : asked) {
      it.together = 1;
      send(std::move(it), CallBy::sha1, out);
    }
  } else {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      answer(asked[i].id, release_reply(value, i, asked.size()), answers);
    }
  }
}

// The server has done nothing, because it does not serve this slot, or not now. What was given up meanwhile goes nowhere else: it
// would come behind its own release (T12).
bool Conversation::turn_away(Asked& asked, const Value& value, const Refused& asking_refused,
                             std::vector<Answer>& answers) {
  if (parts_ == Parts::one) return false;
  const auto to = read_redirection(value);
  if (!to) return false;
  if (to->kind == Redirection::Kind::moved) forget_admissions();
  if (asking_refused) {
    answer(asked.id, *asking_refused, answers);  // it was sent here, and would be sent here again
  } else if (given_up(asked)) {
    answer(asked.id, moving_slot, answers);
  } else {
    open_requests_ -= 1;
    turned_.push_back({asked.id, std::move(asked.request), *to});
  }
  return true;
}

// Should the slot come back, it may have lived elsewhere meanwhile; and a server that was demoted has lost all its slots, and tells of
// those only that are asked for.
void Conversation::forget_admissions() {
  for (auto& [part, room] : rooms_) room.admitted = false;
}

// What stands behind an admission waits for it: its reply must not come before.
void Conversation::put_back(Room& room, Asked asked) {
  asked.together = 1;
  room.held_back.insert(room.held_back.begin() + room.returned++, std::move(asked));
}

void Conversation::ask_admission(core::Part part, Room& room, Asking asking, std::vector<Command>& out) {
  flush(out);
  if (!introduce_) return send_held_back(room, out);
  room.admitting = introduce_();
  room.asking = asking;
  send_admission(part, room, CallBy::sha1, out);
}

void Conversation::send_admission(core::Part part, Room& room, CallBy by, std::vector<Command>& out) {
  flush(out);
  ask_permission(room.asking, out);
  sent_.emplace_back(Admission{part});
  admissions_ += 1;
  out.push_back(admit_call(*room.admitting, room.keyspace, by));
  out.back().push_back(std::to_string((*seen_)[part]));
}

void Conversation::ask_permission(Asking asking, std::vector<Command>& out) {
  if (asking == Asking::no) return;
  sent_.emplace_back(Permission{});
  out.push_back({"ASKING"});
}

tl::expected<std::optional<Conversation::Admitted>, core::Failure> Conversation::hear_admission(
    core::Part part, const Value& value, const Refused& asking_refused, std::vector<Command>& out,
    std::vector<Answer>& answers) {
  Room& room = room_of(part);
  if (value.kind == Value::Kind::error) {
    if (is_unknown_script(value)) {
      released_ = false;
      send_admission(part, room, CallBy::body, out);
      return std::nullopt;
    }
    if (const auto to = parts_ == Parts::by_slot ? read_redirection(value) : std::nullopt) {
      if (to->kind == Redirection::Kind::moved) forget_admissions();
      auto held_back = std::move(room.held_back);
      rooms_.erase(part);
      for (Asked& it : held_back) {
        if (asking_refused && it.asking == Asking::yes) {
          answer(it.id, *asking_refused, answers);
        } else {
          open_requests_ -= 1;
          turned_.push_back({it.id, std::move(it.request), *to});
        }
      }
      return std::nullopt;
    }
    return refuse(part, classify(value.text), answers);
  }
  // The script has changed nothing.
  if (value.kind == Value::Kind::array && value.items.size() == 1) {
    const std::string field = core::printable(value.items.front().text, 40);
    return refuse(part, {core::Applied::no, core::FailureCode::unsupported, no_life_text(field)}, answers);
  }
  auto record = read_record(value.text);
  if (value.kind != Value::Kind::string || !record) {
    return refuse(part,
                  {core::Applied::no, core::FailureCode::protocol,
                   "its key " + room.keyspace.record() + " is not a record of Tenure: \"" +
                       core::printable(value.text, 60) + "\""},
                  answers);
  }
  room.admitting.reset();
  room.admitted = true;
  room.epoch = record->epoch;
  room.record = value.text;
  send_held_back(room, out);
  return Admitted{std::move(*record), part};
}

// A server with one record is of no use without it. Of a slot only what waits for that one has failed.
tl::expected<std::optional<Conversation::Admitted>, core::Failure> Conversation::refuse(
    core::Part part, const core::Failure& failure, std::vector<Answer>& answers) {
  if (parts_ == Parts::one) return tl::unexpected(failure);
  auto room = rooms_.extract(part);
  for (const Asked& it : room.mapped().held_back) {
    answer(it.id, core::Failure{core::Applied::no, failure.code, failure.detail}, answers);
  }
  return std::nullopt;
}

bool Conversation::carries(core::RequestId id) const {
  const auto is_it = [id](const Asked& asked) { return asked.id == id; };
  return std::ranges::any_of(sent_,
                             [&](const Sent& sent) {
                               const auto* asked = std::get_if<Asked>(&sent);
                               return asked != nullptr && is_it(*asked);
                             }) ||
         std::ranges::any_of(rooms_,
                             [&](const auto& it) { return std::ranges::any_of(it.second.held_back, is_it); });
}

std::vector<std::pair<core::RequestId, core::Request>> Conversation::take_held_back() {
  std::vector<std::pair<core::RequestId, core::Request>> taken;
  for (auto& [part, room] : rooms_) {
    for (Asked& it : std::exchange(room.held_back, {})) taken.emplace_back(it.id, std::move(it.request));
  }
  open_requests_ -= taken.size();
  return taken;
}

std::vector<Conversation::Unanswered> Conversation::close() {
  std::vector<Unanswered> open;
  const std::size_t left = sent_.size() - std::exchange(gathered_, 0);
  for (std::size_t i = 0; i < sent_.size(); ++i) {
    const auto* asked = std::get_if<Asked>(&sent_[i]);
    if (asked != nullptr) open.push_back({asked->id, i < left ? core::Applied::perhaps : core::Applied::no});
  }
  for (auto& [part, room] : rooms_) {
    for (const Asked& asked : room.held_back) open.push_back({asked.id, core::Applied::no});
    room.held_back.clear();
  }
  sent_.clear();
  asking_refused_.reset();
  open_requests_ = admissions_ = 0;
  return open;
}

// An acquire or a reassert with the release of its own grant behind it: sent again it would come after the
// release, and leave a key that nobody holds (T12).
bool Conversation::given_up(const Asked& asked) const {
  const auto* acquire = std::get_if<core::AcquireRequest>(&asked.request);
  const auto* reassert = std::get_if<core::ReassertRequest>(&asked.request);
  if (acquire == nullptr && reassert == nullptr) return false;
  return std::ranges::any_of(sent_, [&](const Sent& sent) {
    const auto* later = std::get_if<Asked>(&sent);
    const auto* release = later != nullptr ? std::get_if<core::ReleaseRequest>(&later->request) : nullptr;
    if (release == nullptr) return false;
    if (acquire != nullptr) return release->grant == acquire->grant;
    return std::ranges::any_of(reassert->items,
                               [&](const core::Holding& it) { return it.grant == release->grant; });
  });
}

void Conversation::send_held_back(Room& room, std::vector<Command>& out) {
  room.returned = 0;
  auto held_back = std::exchange(room.held_back, {});
  open_requests_ -= held_back.size();
  for (Asked& it : held_back) ask(it.id, std::move(it.request), out, it.asking);
  flush(out);
}

// Nobody waits for the release of a scope: what its client wants next stands behind it. A release that has to be sent again,
// because Redis does not know the script, would be overtaken, and the name found held by ourselves. So the first one brings it,
// and again the first after Redis has forgotten a script.
void Conversation::call_releases(std::size_t count, CallBy by, std::vector<Command>& out) {
  const auto first = sent_.end() - static_cast<std::ptrdiff_t>(count);
  std::get<Asked>(*first).together = count;
  std::vector<const core::ReleaseRequest*> releases;
  releases.reserve(count);
  for (auto it = first; it != sent_.end(); ++it)
    releases.push_back(&std::get<core::ReleaseRequest>(std::get<Asked>(*it).request));
  if (!std::exchange(released_, true)) by = CallBy::body;
  const Room& room = room_of(part_of(std::get<Asked>(*first).request));
  out.push_back(release_call(releases, room.keyspace, by));
}

void Conversation::send(Asked asked, CallBy by, std::vector<Command>& out) {
  flush(out);
  ask_permission(asked.asking, out);
  sent_.emplace_back(std::move(asked));
  const core::Request& request = std::get<Asked>(sent_.back()).request;
  if (std::holds_alternative<core::ReleaseRequest>(request)) return call_releases(1, by, out);
  const core::Part part = part_of(request);
  const Room& room = room_of(part);
  out.push_back(script_call(request, room.keyspace, room.epoch, by));
  if (tells_what_was_seen(request)) out.back().push_back(std::to_string((*seen_)[part]));
}

}  // namespace tenure::redis
