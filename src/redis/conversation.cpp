#include "redis/conversation.hpp"

#include <algorithm>
#include <utility>

#include "redis/failure.hpp"

namespace tenure::redis {

namespace {

core::Failure unasked() {
  return {core::Applied::perhaps, core::FailureCode::protocol, "Redis sent a reply that nobody asked for"};
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

Conversation::Conversation(Greeting greeting, Keyspace keyspace)
    : greeting_(std::move(greeting)), keyspace_(std::move(keyspace)) {}

void Conversation::open(std::vector<Command>& out) {
  auto commands = greeting_commands(greeting_);
  open_ = true;
  greeting_left_ = commands.size();
  for (auto& command : commands) out.push_back(std::move(command));
  send_held_back(out);
}

void Conversation::ask(core::RequestId id, core::Request request, std::vector<Command>& out) {
  // Not before the greeting is answered: after a refused SELECT the script would run elsewhere.
  if (!ready()) {
    held_back_.push_back({id, std::move(request)});
    return;
  }
  send({id, std::move(request)}, CallBy::sha1, out);
}

tl::expected<std::optional<Conversation::Answer>, core::Failure> Conversation::hear(
    const Value& value, std::vector<Command>& out) {
  if (!ready()) {
    if (!open_) return tl::unexpected(unasked());
    if (value.kind == Value::Kind::error) return tl::unexpected(classify(value.text));
    greeting_left_ -= 1;
    send_held_back(out);
    return std::nullopt;
  }
  if (sent_.empty()) return tl::unexpected(unasked());
  Asked asked = std::move(sent_.front());
  sent_.pop_front();
  // After SCRIPT FLUSH or a restart Redis knows our scripts no more; nothing was run (T29).
  if (value.kind == Value::Kind::error && value.text.starts_with("NOSCRIPT") && !given_up(asked)) {
    send(std::move(asked), CallBy::body, out);
    return std::nullopt;
  }
  return Answer{asked.id, script_reply(asked.request, value)};
}

bool Conversation::carries(core::RequestId id) const {
  const auto is_it = [id](const Asked& asked) { return asked.id == id; };
  return std::ranges::any_of(sent_, is_it) || std::ranges::any_of(held_back_, is_it);
}

std::vector<Conversation::Unanswered> Conversation::close() {
  std::vector<Unanswered> open;
  for (const Asked& asked : sent_) open.push_back({asked.id, core::Applied::perhaps});
  for (const Asked& asked : held_back_) open.push_back({asked.id, core::Applied::no});
  sent_.clear();
  held_back_.clear();
  return open;
}

// An acquire with the release of its own grant behind it: sent again it would come after the release, and
// leave a key that nobody holds (T12).
bool Conversation::given_up(const Asked& asked) const {
  const auto* acquire = std::get_if<core::AcquireRequest>(&asked.request);
  if (acquire == nullptr) return false;
  return std::ranges::any_of(sent_, [&](const Asked& later) {
    const auto* release = std::get_if<core::ReleaseRequest>(&later.request);
    return release != nullptr && release->grant == acquire->grant;
  });
}

void Conversation::send_held_back(std::vector<Command>& out) {
  while (ready() && !held_back_.empty()) {
    send(std::move(held_back_.front()), CallBy::sha1, out);
    held_back_.pop_front();
  }
}

void Conversation::send(Asked asked, CallBy by, std::vector<Command>& out) {
  out.push_back(script_call(asked.request, keyspace_, by));
  sent_.push_back(std::move(asked));
}

}  // namespace tenure::redis
