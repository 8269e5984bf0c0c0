#include "postgres/net/link.hpp"

#include <algorithm>
#include <utility>

namespace tenure::postgres {

namespace {

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

bool is_acquire(const core::Request& request) {
  return std::holds_alternative<core::AcquireRequest>(request);
}

}  // namespace

Link::Link(core::NodeIndex node, const Address& address, Keyspace keyspace, Introduce introduce, Seen seen)
    : node_(node),
      keyspace_(std::move(keyspace)),
      introduce_(std::move(introduce)),
      seen_(std::move(seen)),
      wire_(address) {}

void Link::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) {
  // Nobody listens to an idle connection. The server may have closed it long ago; better to see that before the request than to
  // lose the request to it.
  const bool long_idle = wire_.connected() && !waiting() && now - last_used_ >= std::chrono::seconds(1);
  if (long_idle && wire_.stirred()) {
    drop({core::Applied::no, core::FailureCode::closed, "the server closed the connection"}, news);
  }
  last_used_ = now;
  if (ready_ && wire_.connected()) return send({id, std::move(request)}, news);
  held_back_.push_back({id, std::move(request)});
  if (!wire_.idle()) return;
  wire_.dial();
  on_dialing(news);
}

void Link::on_dialing(runtime::News& news) {
  const auto connected = wire_.on_dialing();
  if (!connected) return drop(connected.error(), news);
  if (!*connected) return;
  if (introduce_) return ask_admission(news);
  ready_ = true;
  send_held_back(news);
}

void Link::ask_admission(runtime::News& news) {
  // Behind it nothing is asked before it is answered.
  if (unsaid_) say_last(Way::alone, news);
  if (unaccompanied_ > 0) settle(news);
  if (!wire_.connected()) return;
  ready_ = false;
  admitting_ = true;
  if (const auto said = wire_.say(admit_call(introduce_(), keyspace_, *seen_)); !said)
    return drop(said.error(), news);
  flush(news);
}

void Link::send(Asked asked, runtime::News& news) {
  const bool gathered = gathers_ && is_acquire(asked.request);
  if (unsaid_) say_last(gathered ? Way::gathered : Way::alone, news);
  if (!wire_.connected()) {
    news.answers.push_back(
        {asked.id, core::Failure{core::Applied::no, core::FailureCode::closed, "not connected"}});
    return;
  }
  sent_.push_back(std::move(asked));
  unsaid_ = true;
  // Whether it is to be alone shows when another one comes, or none.
  if (gathered && !disk_busy_ && unaccompanied_ == 0) return;
  say_last(gathered ? Way::gathered : Way::alone, news);
}

void Link::say_last(Way way, runtime::News& news) {
  unsaid_ = false;
  Asked& last = sent_.back();
  last.way = way;
  const Standing standing{epoch_, *seen_};
  const auto* acquire = std::get_if<core::AcquireRequest>(&last.request);
  if (way == Way::gathered) {
    unaccompanied_ += 1;
  } else if (acquire != nullptr && gathers_) {
    disk_busy_ = true;
  }
  const auto said = wire_.say(way == Way::gathered ? gathered_call(*acquire, keyspace_, standing)
                                                   : call_of(last.request, keyspace_, standing));
  if (!said) drop(said.error(), news);
}

void Link::settle(runtime::News& news) {
  unaccompanied_ = 0;
  disk_busy_ = true;
  sent_.push_back({{}, {}, Way::settles});
  if (const auto said = wire_.say(settle_call()); !said) return drop(said.error(), news);
  flush(news);
}

void Link::send_held_back(runtime::News& news) {
  for (Asked& it : std::exchange(held_back_, {})) {
    if (!ready_) {
      news.answers.push_back(
          {it.id, core::Failure{core::Applied::no, core::FailureCode::closed, "not connected"}});
    } else {
      send(std::move(it), news);
    }
  }
  flush(news);
}

void Link::flush(runtime::News& news) {
  if (unsaid_) say_last(Way::alone, news);
  if (wire_.connected() && unaccompanied_ > 0 && !disk_busy_) settle(news);
  if (!wire_.connected()) return;
  if (const auto done = wire_.flush(); !done) drop(done.error(), news);
}

void Link::on_ready(core::Time now, runtime::News& news) {
  if (wire_.dialing()) return on_dialing(news);
  if (!wire_.connected()) return;
  last_used_ = now;
  flush(news);
  if (!wire_.connected()) return;
  std::vector<Wire::Answer> answers;
  const auto read = wire_.read(answers);
  for (Wire::Answer& answer : answers) {
    hear(std::move(answer), news);
    if (!wire_.connected()) return;
  }
  if (!read) drop(read.error(), news);
}

void Link::hear(Wire::Answer answer, runtime::News& news) {
  if (std::exchange(limiting_, false)) return;
  if (sent_.empty()) {
    if (admitting_) return hear_admission(std::move(answer), news);
    return drop({core::Applied::perhaps, core::FailureCode::protocol,
                 "the server sent an answer that nobody asked for"},
                news);
  }
  Asked asked = std::move(sent_.front());
  sent_.pop_front();
  if (asked.way == Way::settles) return hear_settled(std::move(answer), news);
  core::Reply reply = answer ? reply_of(asked.request, *answer) : core::Reply(std::move(answer.error()));
  if (asked.way == Way::gathered && std::holds_alternative<core::Granted>(reply)) {
    unsettled_.emplace_back(std::move(asked), std::move(reply));
    return;
  }
  const bool was_waited_for = asked.way == Way::alone && disk_busy_ && is_acquire(asked.request);
  tell(asked.id, asked.request, std::move(reply), news);
  if (was_waited_for && wire_.connected()) on_disk_free(news);
}

// All that was committed before is safe.
void Link::hear_settled(Wire::Answer answer, runtime::News& news) {
  if (!answer) {
    // Grants are written one by one from now on. Of these nobody knows whether they would outlast a crash.
    may_settle_ = false;
    return drop(answer.error(), news);
  }
  for (auto& [asked, reply] : std::exchange(unsettled_, {}))
    tell(asked.id, asked.request, std::move(reply), news);
  on_disk_free(news);
}

void Link::on_disk_free(runtime::News& news) {
  disk_busy_ = false;
  if (unaccompanied_ > 0) settle(news);
}

void Link::tell(core::RequestId id, const core::Request& request, core::Reply reply, runtime::News& news) {
  *seen_ = std::max(*seen_, token_reached(request, reply));
  // The record is not the one that this connection was admitted with: data lost, or another quarantine. Or the data is older
  // than what was seen of it: also by one token, which the server has drawn to find that out. Or nobody has looked yet which
  // life this is.
  bool admit_anew = false;
  if (const auto* closed = std::get_if<core::NotOpen>(&reply)) {
    const std::string& text = closed->record.text;
    if (text == went_back) *seen_ += 1;
    admit_anew = introduce_ && !admitting_ && text != record_;
  }
  const auto* failure = std::get_if<core::Failure>(&reply);
  // What the server was told to prepare is lost with the schema, or was never prepared; or the server ends the connection.
  const bool begin_anew = failure != nullptr && (failure->code == core::FailureCode::not_set_up ||
                                                 failure->code == core::FailureCode::closed);
  core::Failure why = begin_anew ? *failure : core::Failure{};
  why.applied = core::Applied::perhaps;  // of what else was asked there is no answer
  news.answers.push_back({id, std::move(reply)});
  if (begin_anew) return drop(why, news);
  if (admit_anew) ask_admission(news);
}

void Link::hear_admission(Wire::Answer answer, runtime::News& news) {
  admitting_ = false;
  if (!answer) return drop(answer.error(), news);
  const bool fits = answer->size() == 1 && answer->front().size() == 2;
  auto found = found_record(fits ? answer->front()[0].value_or("") : "");
  if (!found.read) {
    return drop({core::Applied::no, core::FailureCode::protocol,
                 "what stands in tenure.record is no record of Tenure"},
                news);
  }
  ready_ = true;
  const bool served_alone = wire_.is_served_by(answer->front()[1]);
  if (served_alone) {
    wire_.begin_to_remember();
    if (const auto said = wire_.say(limit_call()); !said) return drop(said.error(), news);
    limiting_ = true;
  }
  epoch_ = found.read->epoch;
  record_ = found.text;
  gathers_ = served_alone && may_settle_ && is_durable(found);
  news.admitted.push_back({node_, *found.read});
  send_held_back(news);
}

void Link::drop(const core::Failure& why, runtime::News& news) {
  for (const auto& [asked, reply] : std::exchange(unsettled_, {}))
    news.answers.push_back({asked.id, core::Failure{core::Applied::perhaps, why.code, why.detail}});
  for (const Asked& it : std::exchange(sent_, {})) {
    if (it.way != Way::settles) news.answers.push_back({it.id, why});
  }
  // What was held back never left.
  for (const Asked& it : std::exchange(held_back_, {})) {
    news.answers.push_back({it.id, core::Failure{core::Applied::no, why.code, why.detail}});
  }
  wire_.close();
  ready_ = false;
  admitting_ = false;
  limiting_ = false;
  gathers_ = false;
  unsaid_ = false;
  disk_busy_ = false;
  unaccompanied_ = 0;
}

bool Link::carries(core::RequestId id) const {
  const auto is_it = [id](const Asked& asked) { return asked.way != Way::settles && asked.id == id; };
  return std::ranges::any_of(sent_, is_it) || std::ranges::any_of(held_back_, is_it) ||
         std::ranges::any_of(unsettled_, [&](const auto& it) { return is_it(it.first); });
}

}  // namespace tenure::postgres
