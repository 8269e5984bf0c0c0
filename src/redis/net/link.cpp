#include "redis/net/link.hpp"

#include <utility>

namespace tenure::redis {

Link::Link(core::NodeIndex node, const Address& address, Keyspace keyspace, Conversation::Introduce introduce,
           Seen seen, const runtime::Tls& tls)
    : node_(node),
      address_(address),
      keyspace_(std::move(keyspace)),
      introduce_(std::move(introduce)),
      seen_(std::move(seen)),
      conversation_(converse()),
      wire_(address_, tls) {}

Conversation Link::converse() const {
  return {Greeting{address_.user, address_.password, address_.database}, keyspace_, introduce_, seen_};
}

void Link::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) {
  // Nobody listens to an idle connection. Redis may have closed it long ago; better to see that
  // before the request than to lose the request to it.
  const bool long_idle = wire_.connected() && !waiting() && now - last_used_ >= std::chrono::seconds(1);
  if (long_idle && wire_.stirred()) {
    drop({core::Applied::no, core::FailureCode::closed, "the server closed the connection"}, news);
  }
  last_used_ = now;
  std::vector<Command> commands;
  conversation_.ask(id, std::move(request), commands);
  wire_.say(commands);
  if (!wire_.idle()) return;
  wire_.dial();
  on_dialing(news);
}

void Link::on_dialing(runtime::News& news) {
  const auto connected = wire_.on_dialing();
  if (!connected) return drop(connected.error(), news);
  if (!*connected) return;
  std::vector<Command> commands;
  conversation_.open(commands);
  wire_.say(commands);
  flush(news);
}

void Link::flush(runtime::News& news) {
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
  std::vector<Command> commands;
  for (const auto& value : values) {
    auto heard = conversation_.hear(value, commands);
    if (!heard) return drop(heard.error(), news);
    if (heard->answer) news.answers.push_back({heard->answer->id, std::move(heard->answer->reply)});
    if (heard->admitted) news.admitted.emplace_back(node_, std::move(*heard->admitted));
  }
  if (!read) return drop(read.error(), news);
  if (commands.empty()) return;
  wire_.say(commands);
  flush(news);
}

void Link::drop(const core::Failure& why, runtime::News& news) {
  for (const auto& [id, applied] : conversation_.close()) {
    news.answers.push_back({id, core::Failure{applied, why.code, why.detail}});
  }
  conversation_ = converse();
  wire_.close();
}

}  // namespace tenure::redis
