#include "kubernetes/net/kubernetes_link.hpp"

#include <algorithm>
#include <utility>

#include "kubernetes/net/fleets.hpp"
#include "kubernetes/net/orders.hpp"
#include "kubernetes/object_name.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::kubernetes {

using core::Applied;
using core::Failure;
using core::FailureCode;
using http_client::HttpCallId;

namespace {

// As many as an API server works on for somebody at a time without asking others to wait.
constexpr std::size_t calls_max = 32;
// What holds leases is not held back longer than this, whatever the server asks for.
constexpr core::Duration quiet_max = std::chrono::seconds(5);

// Taken when the answer is in our hands: what was seen then was like this before.
Moment moment() {
  return {runtime::boot_now(),
          std::chrono::duration_cast<Micros>(std::chrono::milliseconds(runtime::wall_now_ms()))};
}

bool can_wait(const core::Request& request) {
  return std::holds_alternative<core::AcquireRequest>(request) ||
         std::holds_alternative<core::LookRequest>(request);
}

}  // namespace

KubernetesLink::KubernetesLink(core::NodeIndex node, core::Record record, core::Duration clock_ahead,
                               Shared& shared)
    : node_(node),
      record_(std::move(record)),
      clock_ahead_(clock_ahead),
      shared_(shared),
      calls_(shared.place.server) {}

void KubernetesLink::ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) {
  if (!std::exchange(admitted_, true)) news.admitted.push_back({node_, record_});
  if (answered_at_once(id, request, now, news)) return;
  questions_.emplace(id, Question{std::move(request)});
  add_errands(id, news);
  begin_some(news);
}

void KubernetesLink::flush(runtime::News& /*news*/) {}

bool KubernetesLink::answered_at_once(core::RequestId id, const core::Request& request, core::Time now,
                                      runtime::News& news) {
  const auto answer = [&](core::Reply reply) {
    news.answers.push_back({id, std::move(reply)});
    return true;
  };
  // Nothing runs out by a clock of the server. Those who wait count on their own, which nobody can set.
  if (std::holds_alternative<core::ClockRequest>(request))
    return answer(core::NodeClock{now.time_since_epoch() + clock_ahead_});
  if (std::holds_alternative<core::OpenRequest>(request)) return answer(core::Opened{});
  if (std::holds_alternative<core::BeatRequest>(request) ||
      std::holds_alternative<core::ListsRequest>(request))
    return answer(Failure{Applied::no, FailureCode::unsupported, no_fleets});
  const auto* look = std::get_if<core::LookRequest>(&request);
  if (look == nullptr) return false;
  core::KeyStates states;
  for (const std::string& key : look->keys) {
    const auto object = object_name(key);
    if (!object || !shared_.waiters.watched(*object)) return false;
    const auto* seen = shared_.sight.seen.find(*object);
    if (seen == nullptr) return false;
    states.push_back(key_state(*seen, now));
    // That nobody has it any more is asked, and not believed.
    if (!states.back().exists()) return false;
  }
  return answer(std::move(states));
}

void KubernetesLink::add_errands(core::RequestId id, runtime::News& news) {
  Question& question = questions_.at(id);
  auto orders = orders_of(question.request);
  question.outcomes.resize(orders.size());
  question.open = orders.size();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    auto& [key, order] = orders[i];
    const auto object = object_name(key);
    if (!object) {
      question.outcomes[i] = Failure{Applied::no, FailureCode::unsupported, object.error()};
      question.open -= 1;
      continue;
    }
    Queue& queue = queues_[*object];
    queue.push_back({id, i, LeaseTask(*object, std::move(order))});
    if (queue.size() == 1) next_.push_back(*object);
  }
  if (question.open == 0) tell(id, news);
}

void KubernetesLink::begin_some(runtime::News& news) {
  while (!next_.empty() && under_way_.size() < calls_max) {
    const std::string object = std::move(next_.front());
    next_.pop_front();
    const auto queue = queues_.find(object);
    if (queue == queues_.end()) continue;
    take_step(object, queue->second.front().task.start(shared_.sight, moment()), news);
  }
}

void KubernetesLink::take_step(const std::string& object, Step step, runtime::News& news) {
  if (auto* outcome = std::get_if<Outcome>(&step)) return end(object, std::move(*outcome), news);
  queues_.at(object).front().call = std::get<ApiCall>(std::move(step));
  send(object, news);
}

void KubernetesLink::send(const std::string& object, runtime::News& news) {
  Errand& errand = queues_.at(object).front();
  Question& question = questions_.at(errand.id);
  if (can_wait(question.request) && runtime::boot_now() < shared_.quiet_until) {
    return end(
        object,
        Failure{Applied::no, FailureCode::busy, "the API server has asked to be left alone for a moment"},
        news);
  }
  auto request = request_of(errand.call, shared_.credentials);
  if (!request) return end(object, std::move(request.error()), news);
  const HttpCallId call{++last_call_};
  errand.under = call;
  question.sent = true;
  under_way_.emplace(call, object);
  calls_.start(call, std::move(*request));
}

void KubernetesLink::on_ready(core::Time /*now*/, runtime::News& news) {
  std::vector<http_client::HttpNews> heard;
  calls_.on_ready(heard);
  for (auto& it : heard) hear(std::move(it), news);
  begin_some(news);
}

void KubernetesLink::hear(http_client::HttpNews of_call, runtime::News& news) {
  const auto found = under_way_.extract(of_call.id);
  if (!found) return;
  const std::string& object = found.mapped();
  Errand& errand = queues_.at(object).front();
  errand.under.reset();
  if (!of_call.answer) return end(object, errand.task.on_failure(of_call.answer.error()), news);
  const int status = of_call.answer->status;
  // The token is another one by now.
  if (status == 401 && !errand.asked_again && shared_.credentials.renew()) {
    errand.asked_again = true;
    return send(object, news);
  }
  if (const core::Duration pause = retry_after(*of_call.answer);
      status == 429 && pause > core::Duration::zero())
    shared_.quiet_until = runtime::boot_now() + std::min(pause, quiet_max);
  take_step(object, errand.task.on_answer(answer_of(std::move(*of_call.answer)), shared_.sight, moment()),
            news);
}

// The next one on that name follows.
void KubernetesLink::end(const std::string& object, Outcome outcome, runtime::News& news) {
  const auto queue = queues_.find(object);
  const Errand errand = std::move(queue->second.front());
  queue->second.pop_front();
  if (queue->second.empty()) {
    queues_.erase(queue);
  } else {
    next_.push_back(object);
  }
  Question& question = questions_.at(errand.id);
  note(errand, question, outcome);
  question.outcomes[errand.index] = std::move(outcome);
  question.open -= 1;
  if (question.open == 0) tell(errand.id, news);
}

// Who waits is woken, until it has the name or goes.
void KubernetesLink::note(const Errand& errand, const Question& question, const Outcome& outcome) {
  const auto* acquire = std::get_if<core::AcquireRequest>(&question.request);
  const auto* release = std::get_if<core::ReleaseRequest>(&question.request);
  const auto& ticket = acquire != nullptr   ? acquire->ticket
                       : release != nullptr ? release->ticket
                                            : std::nullopt;
  if (!ticket) return;
  const std::string& object = errand.task.object();
  if (acquire != nullptr && std::holds_alternative<core::Held>(outcome)) {
    shared_.waiters.add(object, *ticket, errand.task.read_at());
  } else if (release != nullptr || std::holds_alternative<core::Granted>(outcome)) {
    shared_.waiters.remove(object, *ticket);
  }
}

void KubernetesLink::tell(core::RequestId id, runtime::News& news) {
  auto question = questions_.extract(id);
  news.answers.push_back({id, reply_of(question.mapped().request, std::move(question.mapped().outcomes))});
}

void KubernetesLink::drop(const core::Failure& why, runtime::News& news) {
  calls_.close();
  for (const auto& [id, question] : questions_) {
    news.answers.push_back({id, Failure{question.sent ? why.applied : Applied::no, why.code, why.detail}});
  }
  questions_.clear();
  queues_.clear();
  under_way_.clear();
  next_.clear();
}

// Each name is asked for by itself, so that nothing else goes down with it.
void KubernetesLink::give_up(core::RequestId id, const core::Failure& why, runtime::News& news) {
  const auto found = questions_.extract(id);
  if (!found) return;
  for (auto queue = queues_.begin(); queue != queues_.end();) {
    const std::string object = queue->first;
    Queue& errands = queue->second;
    const bool first = errands.front().id == id;
    if (first && errands.front().under) {
      calls_.cancel(*errands.front().under);
      under_way_.erase(*errands.front().under);
    }
    std::erase_if(errands, [id](const Errand& it) { return it.id == id; });
    if (first) std::erase(next_, object);
    if (first && !errands.empty()) next_.push_back(object);
    queue = errands.empty() ? queues_.erase(queue) : std::next(queue);
  }
  news.answers.push_back(
      {id, Failure{found.mapped().sent ? why.applied : Applied::no, why.code, why.detail}});
  begin_some(news);
}

}  // namespace tenure::kubernetes
