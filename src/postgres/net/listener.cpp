#include "postgres/net/listener.hpp"

#include <algorithm>
#include <utility>

namespace tenure::postgres {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr core::Duration answer_within = seconds(5);
// A pooler may be taken away, or be told to pool sessions.
constexpr core::Duration pooled_for = seconds(60);

}  // namespace

Listener::Listener(const Address& address, std::string what, Read read)
    : what_(std::move(what)), read_(std::move(read)), wire_(address) {}

void Listener::open(core::Time now, core::Random& random) {
  if (wire_.idle() && !due_) return dial(now, random);
  if (!listening() || due_) return;
  // A server that is gone without a word leaves a connection that is silent for ever.
  ask({"SELECT 1"}, now, random);
}

void Listener::dial(core::Time now, core::Random& random) {
  due_ = now + answer_within;
  wire_.dial();
  on_dialing(now, random);
}

void Listener::on_dialing(core::Time now, core::Random& random) {
  const auto connected = wire_.on_dialing();
  if (!connected) return fail(now, random);
  if (!*connected) return;
  step_ = Step::asks_what;
  ask(listen_call(what_), now, random);
}

void Listener::ask(const Call& call, core::Time now, core::Random& random) {
  due_ = now + answer_within;
  if (!wire_.say(call) || !wire_.flush()) fail(now, random);
}

void Listener::on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) {
  if (wire_.dialing()) return on_dialing(now, random);
  if (!wire_.connected()) return;
  std::vector<Wire::Answer> answers;
  const bool sound = wire_.flush() && wire_.read(answers);
  for (const std::string& text : wire_.messages()) {
    if (auto message = read_(text)) messages.push_back(std::move(*message));
  }
  for (const Wire::Answer& answer : answers) {
    if (wire_.connected()) hear(answer, now, random);
  }
  if (!sound && wire_.connected()) fail(now, random);
}

// First the channel, then the lock that says that somebody listens there: who finds the lock taken is heard.
void Listener::hear(const Wire::Answer& answer, core::Time now, core::Random& random) {
  if (!answer) return fail(now, random);
  due_.reset();
  switch (step_) {
    case Step::asks_what: {
      if (answer->size() != 1 || answer->front().size() != 3 || !answer->front()[1]) return fail(now, random);
      const Row& row = answer->front();
      if (!wire_.is_served_by(row[0])) {
        close();
        due_ = now + random.between(pooled_for, 2 * pooled_for);
        return;
      }
      listen_ = "LISTEN " + *row[1];
      lock_ = row[2];
      step_ = Step::asks_to_listen;
      return ask({listen_.c_str()}, now, random);
    }
    case Step::asks_to_listen:
      step_ = Step::asks_for_lock;
      return ask({"SELECT pg_catalog.pg_advisory_lock_shared($1::bigint)", {lock_}}, now, random);
    case Step::asks_for_lock:
      step_ = Step::listening;
      failures_ = 0;
      return;
    case Step::listening:
    case Step::none:
      return;
  }
}

void Listener::close() {
  wire_.close();
  step_ = Step::none;
  due_.reset();
}

void Listener::fail(core::Time now, core::Random& random) {
  close();
  const core::Duration longest =
      std::min<core::Duration>(milliseconds(100) * (1U << std::min(failures_, 7U)), seconds(10));
  failures_ += 1;
  due_ = now + random.between(longest / 2, longest);
}

void Listener::on_timer(core::Time now, core::Random& random) {
  if (!due_ || now < *due_) return;
  if (wire_.idle()) {
    dial(now, random);
  } else {
    fail(now, random);
  }
}

}  // namespace tenure::postgres
