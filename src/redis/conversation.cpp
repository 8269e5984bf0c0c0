#include "redis/conversation.hpp"

#include <algorithm>
#include <utility>

#include "core/base/text.hpp"
#include "redis/failure.hpp"
#include "redis/record_text.hpp"

namespace tenure::redis {

namespace {

// More of them would gain nothing, and keep others waiting.
constexpr std::size_t together_max = 64;

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

}  // namespace

std::vector<Command> greeting_commands(const Greeting& greeting) {
  std::vector<Command> commands;
  if (!greeting.password.empty()) {
    Command auth{"AUTH"};
    if (!greeting.user.empty()) auth.push_back(greeting.user);
    auth.push_back(greeting.password);
    commands.push_back(std::move(auth));
  }
  if (greeting.database != 0) commands.push_back({"SELECT", std::to_string(greeting.database)});
  return commands;
}

core::Failure greeting_failure(const Greeting& greeting, const std::string& error_reply) {
  auto failure = classify(error_reply);
  if (!greeting.password.empty() && error_reply.find(greeting.password) != std::string::npos) {
    failure.detail = "the server refuses user, password or database, in words that repeat a secret";
  }
  return failure;
}

Conversation::Conversation(Greeting greeting, Keyspace keyspace, Introduce introduce, Seen seen)
    : greeting_(std::move(greeting)),
      keyspace_(std::move(keyspace)),
      introduce_(std::move(introduce)),
      seen_(std::move(seen)) {}

void Conversation::open(std::vector<Command>& out) {
  auto commands = greeting_commands(greeting_);
  open_ = true;
  greeting_left_ = commands.size();
  for (auto& command : commands) out.push_back(std::move(command));
  if (greeting_left_ == 0) ask_admission(out);
}

void Conversation::ask(core::RequestId id, core::Request request, std::vector<Command>& out) {
  // Not before the greeting is answered: after a refused SELECT the script would run elsewhere. And not
  // before the node has said which epoch this is.
  if (!ready()) {
    held_back_.push_back({id, std::move(request)});
  } else if (std::holds_alternative<core::ReleaseRequest>(request)) {
    gather({id, std::move(request)}, out);
  } else {
    send({id, std::move(request)}, CallBy::sha1, out);
  }
}

// One call for many releases costs Redis a third of what a call for each does.
void Conversation::gather(Asked release, std::vector<Command>& out) {
  if (!goes_with_gathered(std::get<core::ReleaseRequest>(release.request))) flush(out);
  sent_.push_back(std::move(release));
  gathered_ += 1;
}

bool Conversation::goes_with_gathered(const core::ReleaseRequest& release) const {
  if (gathered_ == together_max) return false;
  const auto first = sent_.end() - static_cast<std::ptrdiff_t>(gathered_);
  return std::all_of(first, sent_.end(), [&](const Asked& asked) {
    const auto& other = std::get<core::ReleaseRequest>(asked.request);
    return other.wake == release.wake && other.key != release.key;
  });
}

void Conversation::flush(std::vector<Command>& out) {
  if (gathered_ > 0) call_releases(std::exchange(gathered_, 0), CallBy::sha1, out);
}

tl::expected<std::optional<core::Record>, core::Failure> Conversation::hear(const Value& value,
                                                                            std::vector<Command>& out,
                                                                            std::vector<Answer>& answers) {
  if (!open_) return tl::unexpected(unasked());
  if (greeting_left_ > 0) {
    if (value.kind == Value::Kind::error) return tl::unexpected(greeting_failure(greeting_, value.text));
    greeting_left_ -= 1;
    if (greeting_left_ == 0) ask_admission(out);
    return std::nullopt;
  }
  if (sent_.size() == gathered_) {
    if (!admitting_) return tl::unexpected(unasked());
    return hear_admission(value, out);
  }
  if (const std::size_t together = sent_.front().together; together > 1) {
    const auto end = sent_.begin() + static_cast<std::ptrdiff_t>(together);
    std::vector<Asked> asked(std::make_move_iterator(sent_.begin()), std::make_move_iterator(end));
    sent_.erase(sent_.begin(), end);
    hear_releases(std::move(asked), value, out, answers);
    return std::nullopt;
  }
  Asked asked = std::move(sent_.front());
  sent_.pop_front();
  // After SCRIPT FLUSH or a restart Redis knows our scripts no more; nothing was run (T29).
  if (is_unknown_script(value) && !given_up(asked)) {
    released_ = false;  // the next release brings its script along again
    if (admitting_) {
      put_back(std::move(asked));
    } else {
      send(std::move(asked), CallBy::body, out);
    }
    return std::nullopt;
  }
  answers.push_back({asked.id, script_reply(asked.request, value)});
  const core::Reply& reply = answers.back().reply;
  *seen_ = std::max(*seen_, token_reached(asked.request, reply));
  // The record is not the one that this connection was admitted with: data lost, or another quarantine. Or the data
  // is older than what was seen of it.
  const auto* closed = std::get_if<core::NotOpen>(&reply);
  if (closed != nullptr && !admitting_ && closed->record.text != record_) ask_admission(out);
  return std::nullopt;
}

void Conversation::hear_releases(std::vector<Asked> asked, const Value& value, std::vector<Command>& out,
                                 std::vector<Answer>& answers) {
  const bool unknown = is_unknown_script(value);
  const bool denied = is_denied(value);
  if (unknown) released_ = false;
  if ((unknown || denied) && admitting_) {
    for (Asked& it : asked) put_back(std::move(it));
  } else if (unknown) {
    flush(out);
    for (Asked& it : asked) sent_.push_back(std::move(it));
    call_releases(asked.size(), CallBy::body, out);
  } else if (denied) {
    // Perhaps only one of their keys is out of reach by now: that must not keep the others.
    for (Asked& it : asked) {
      it.together = 1;
      send(std::move(it), CallBy::sha1, out);
    }
  } else {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      answers.push_back({asked[i].id, release_reply(value, i, asked.size())});
    }
  }
}

// What stands behind an admission waits for it: its reply must not come before.
void Conversation::put_back(Asked asked) {
  asked.together = 1;
  held_back_.insert(held_back_.begin() + returned_++, std::move(asked));
}

void Conversation::ask_admission(std::vector<Command>& out) {
  flush(out);
  if (!introduce_) return send_held_back(out);
  admitting_ = introduce_();
  send_admission(CallBy::sha1, out);
}

void Conversation::send_admission(CallBy by, std::vector<Command>& out) {
  out.push_back(admit_call(*admitting_, keyspace_, by));
  out.back().push_back(std::to_string(*seen_));
}

tl::expected<std::optional<core::Record>, core::Failure> Conversation::hear_admission(
    const Value& value, std::vector<Command>& out) {
  if (value.kind == Value::Kind::error) {
    if (!is_unknown_script(value)) return tl::unexpected(classify(value.text));
    released_ = false;
    send_admission(CallBy::body, out);
    return std::nullopt;
  }
  // The script has changed nothing.
  if (value.kind == Value::Kind::array && value.items.size() == 1) {
    const std::string field = core::printable(value.items.front().text, 40);
    return tl::unexpected(
        core::Failure{core::Applied::no, core::FailureCode::unsupported, no_life_text(field)});
  }
  auto record = read_record(value.text);
  if (value.kind != Value::Kind::string || !record) {
    return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::protocol,
                                        "its key " + keyspace_.record() + " is not a record of Tenure: \"" +
                                            core::printable(value.text, 60) + "\""});
  }
  admitting_.reset();
  epoch_ = record->epoch;
  record_ = value.text;
  send_held_back(out);
  return record;
}

bool Conversation::carries(core::RequestId id) const {
  const auto is_it = [id](const Asked& asked) { return asked.id == id; };
  return std::ranges::any_of(sent_, is_it) || std::ranges::any_of(held_back_, is_it);
}

std::vector<std::pair<core::RequestId, core::Request>> Conversation::take_held_back() {
  std::vector<std::pair<core::RequestId, core::Request>> taken;
  for (Asked& it : std::exchange(held_back_, {})) taken.emplace_back(it.id, std::move(it.request));
  return taken;
}

std::vector<Conversation::Unanswered> Conversation::close() {
  std::vector<Unanswered> open;
  const std::size_t left = sent_.size() - std::exchange(gathered_, 0);
  for (std::size_t i = 0; i < sent_.size(); ++i)
    open.push_back({sent_[i].id, i < left ? core::Applied::perhaps : core::Applied::no});
  for (const Asked& asked : held_back_) open.push_back({asked.id, core::Applied::no});
  sent_.clear();
  held_back_.clear();
  return open;
}

// An acquire or a reassert with the release of its own grant behind it: sent again it would come after the
// release, and leave a key that nobody holds (T12).
bool Conversation::given_up(const Asked& asked) const {
  const auto* acquire = std::get_if<core::AcquireRequest>(&asked.request);
  const auto* reassert = std::get_if<core::ReassertRequest>(&asked.request);
  return std::ranges::any_of(sent_, [&](const Asked& later) {
    const auto* release = std::get_if<core::ReleaseRequest>(&later.request);
    if (release == nullptr) return false;
    if (acquire != nullptr) return release->grant == acquire->grant;
    return reassert != nullptr && std::ranges::any_of(reassert->items, [&](const core::Holding& it) {
             return it.grant == release->grant;
           });
  });
}

void Conversation::send_held_back(std::vector<Command>& out) {
  returned_ = 0;
  for (Asked& it : std::exchange(held_back_, {})) ask(it.id, std::move(it.request), out);
  flush(out);
}

// Nobody waits for the release of a scope: what its client wants next stands behind it. A release that has to be sent again,
// because Redis does not know the script, would be overtaken, and the name found held by ourselves. So the first one brings it,
// and again the first after Redis has forgotten a script.
void Conversation::call_releases(std::size_t count, CallBy by, std::vector<Command>& out) {
  const auto first = sent_.end() - static_cast<std::ptrdiff_t>(count);
  first->together = count;
  std::vector<const core::ReleaseRequest*> releases;
  releases.reserve(count);
  for (auto it = first; it != sent_.end(); ++it)
    releases.push_back(&std::get<core::ReleaseRequest>(it->request));
  if (!std::exchange(released_, true)) by = CallBy::body;
  out.push_back(release_call(releases, keyspace_, by));
}

void Conversation::send(Asked asked, CallBy by, std::vector<Command>& out) {
  flush(out);
  sent_.push_back(std::move(asked));
  const core::Request& request = sent_.back().request;
  if (std::holds_alternative<core::ReleaseRequest>(request)) return call_releases(1, by, out);
  out.push_back(script_call(request, keyspace_, epoch_, by));
  if (tells_what_was_seen(request)) out.back().push_back(std::to_string(*seen_));
}

}  // namespace tenure::redis
