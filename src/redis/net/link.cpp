#include "redis/net/link.hpp"

#include <utility>
#include <variant>

#include "redis/sentinel.hpp"

namespace tenure::redis {

Link::Link(core::NodeIndex node, const Address& address, Keyspace keyspace, Conversation::Introduce introduce,
           Seen seen, const runtime::Tls& tls, core::Duration patience)
    : node_(node),
      address_(address),
      keyspace_(std::move(keyspace)),
      introduce_(std::move(introduce)),
      seen_(std::move(seen)),
      conversation_(converse()),
      wire_(address_, tls, patience) {}

Conversation Link::converse() const {
  return {Greeting{address_.user, address_.password, address_.database}, keyspace_, introduce_, seen_};
}

void Link::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) {
  // Nobody listens to an idle connection. Redis may have closed it long ago; better to see that
  // before the request than to lose the request to it.
  const bool long_idle = wire_.connected() && !waiting() && now - last_used_ >= idle_max;
  if (long_idle && wire_.stirred()) {
    drop({core::Applied::no, core::FailureCode::closed, "the server closed the connection"}, news);
  }
  // And the server may have been frozen meanwhile, and replaced: it would go on as if it were the master.
  const bool anew = long_idle && wire_.connected() && address_.kind == Address::Kind::sentinel;
  if (anew) dial_anew(news);
  last_used_ = now;
  conversation_.ask(id, std::move(request), commands_);
  say();
  if (wire_.idle()) {
    wire_.dial();
  } else if (!anew) {
    return;
  }
  on_dialing(news);
}

void Link::dial_anew(runtime::News& news) {
  // Half an admission cannot be kept; and a server that has not answered it for a second is not worth it.
  if (conversation_.under_way() || !wire_.drained()) {
    return drop(
        {core::Applied::no, core::FailureCode::closed, "the server has not admitted the client in time"},
        news);
  }
  before_.emplace(std::exchange(conversation_, converse()));
  wire_.dial_anew();
}

// The Sentinels say nothing: what was asked meanwhile goes over the connection that stands.
void Link::go_on_as_before(runtime::News& news) {
  auto asked = conversation_.take_held_back();
  conversation_ = std::move(*before_);
  before_.reset();
  for (auto& [id, request] : asked) conversation_.ask(id, std::move(request), commands_);
  flush(news);
}

void Link::on_dialing(runtime::News& news) {
  const auto connected = wire_.on_dialing();
  if (!connected) {
    if (before_ && wire_.go_back()) return go_on_as_before(news);
    return drop(connected.error(), news);
  }
  if (!*connected) return;
  before_.reset();
  conversation_.open(commands_);
  say();
  flush(news);
}

void Link::say() {
  wire_.say(commands_);
  commands_.clear();
}

void Link::flush(runtime::News& news) {
  conversation_.flush(commands_);
  say();
  if (const auto done = wire_.flush(); !done) drop(done.error(), news);
}

void Link::on_ready(core::Time now, runtime::News& news) {
  if (wire_.dialing()) return on_dialing(news);
  if (!wire_.connected()) return;
  last_used_ = now;
  flush(news);
  if (!wire_.connected()) return;
  std::vector<Value> values;
  const auto read = wire_.read(values);
  std::vector<Conversation::Answer> answers;
  for (const auto& value : values) {
    answers.clear();
    // Whoever dials again is told by the Sentinels who the master is now.
    const auto left = address_.kind == Address::Kind::sentinel ? left_behind(value) : std::nullopt;
    auto admitted = conversation_.hear(value, commands_, answers);
    if (!admitted) return drop(left ? *left : admitted.error(), news);
    for (auto& [id, reply] : answers) {
      auto* failure = std::get_if<core::Failure>(&reply);
      if (left && failure != nullptr) failure->detail = left->detail;
      news.answers.push_back({id, std::move(reply)});
    }
    if (*admitted) news.admitted.push_back({node_, std::move((*admitted)->record)});
    if (left) return drop(*left, news);
  }
  if (!read) return drop(read.error(), news);
  if (commands_.empty()) return;
  say();
  flush(news);
}

void Link::drop(const core::Failure& why, runtime::News& news) {
  for (const auto& [id, applied] : conversation_.close()) {
    news.answers.push_back({id, core::Failure{applied, why.code, why.detail}});
  }
  conversation_ = converse();
  before_.reset();
  commands_.clear();
  wire_.close();
}

}  // namespace tenure::redis
