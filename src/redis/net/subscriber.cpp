#include "redis/net/subscriber.hpp"

#include <algorithm>
#include <utility>

#include "redis/conversation.hpp"

namespace tenure::redis {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr core::Duration answer_within = seconds(5);

}  // namespace

Subscriber::Subscriber(const Address& address, std::string channel, const runtime::Tls& tls, Read read)
    : address_(address),
      channel_(std::move(channel)),
      read_(std::move(read)),
      wire_(address, tls, answer_within) {}

void Subscriber::open(core::Time now, core::Random& random) {
  if (wire_.idle() && !due_) return dial(now, random);
  if (!listening_ || due_) return;
  // A Redis that is gone without a word leaves a connection that is silent for ever.
  wire_.say({{"PING"}});
  due_ = now + answer_within;
  if (!wire_.flush()) fail(now, random);
}

void Subscriber::dial(core::Time now, core::Random& random) {
  due_ = now + answer_within;
  wire_.dial();
  on_dialing(now, random);
}

void Subscriber::on_dialing(core::Time now, core::Random& random) {
  const auto connected = wire_.on_dialing();
  if (!connected) return fail(now, random);
  if (!*connected) return;
  auto commands = greeting_commands({address_.user, address_.password, 0});
  commands.push_back({"SUBSCRIBE", channel_});
  unanswered_ = commands.size();
  wire_.say(commands);
  if (!wire_.flush()) fail(now, random);
}

void Subscriber::on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) {
  if (wire_.dialing()) return on_dialing(now, random);
  if (!wire_.connected()) return;
  std::vector<Value> values;
  const bool written = wire_.flush().has_value();
  const bool read = written && wire_.read(values).has_value();
  const bool sound = std::ranges::all_of(values, [&](const Value& value) { return hear(value, messages); });
  if (!read || !sound) fail(now, random);
}

// False when the connection is of no use.
bool Subscriber::hear(const Value& value, std::vector<runtime::Message>& messages) {
  if (value.kind == Value::Kind::error) return false;
  if (unanswered_ > 0) {
    unanswered_ -= 1;
    if (unanswered_ > 0) return true;
    listening_ = true;
    failures_ = 0;
    due_.reset();
    return true;
  }
  // {"message", channel, text}; anything else answers a PING.
  if (value.kind == Value::Kind::array && value.items.size() == 3) {
    if (auto message = read_(value.items[2].text)) messages.push_back(std::move(*message));
  } else {
    due_.reset();
  }
  return true;
}

void Subscriber::close() {
  wire_.close();
  listening_ = false;
  due_.reset();
}

void Subscriber::fail(core::Time now, core::Random& random) {
  wire_.close();
  listening_ = false;
  const core::Duration longest =
      std::min<core::Duration>(milliseconds(100) * (1U << std::min(failures_, 7U)), seconds(10));
  failures_ += 1;
  due_ = now + random.between(longest / 2, longest);
}

void Subscriber::on_timer(core::Time now, core::Random& random) {
  if (!due_ || now < *due_) return;
  if (wire_.idle()) {
    dial(now, random);
  } else {
    fail(now, random);
  }
}

}  // namespace tenure::redis
