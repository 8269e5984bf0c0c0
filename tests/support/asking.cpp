#include "support/asking.hpp"

#include <algorithm>

#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::test {

using runtime::boot_now;

core::Reply Asking::ask(core::Request request) { return end(begin(std::move(request))); }

core::RequestId Asking::begin(core::Request request) {
  const core::RequestId id{++last_id_};
  runtime::News news;
  connection_->ask(id, std::move(request), boot_now(), news);
  connection_->flush(news);
  note(news);
  return id;
}

core::Reply Asking::end(core::RequestId id) {
  const core::Time deadline = boot_now() + std::chrono::seconds(10);
  while (true) {
    const auto found = std::ranges::find(answers_, id, &runtime::News::Answer::id);
    if (found != answers_.end()) {
      core::Reply reply = std::move(found->reply);
      answers_.erase(found);
      return reply;
    }
    const runtime::Awaited awaited = connection_->awaited();
    if (!runtime::wait_for(awaited.fd, awaited.events, deadline)) return core::silence;
    runtime::News news;
    connection_->on_ready(boot_now(), news);
    note(news);
  }
}

void Asking::drop(const core::Failure& why) {
  runtime::News news;
  connection_->drop(why, news);
  note(news);
}

void Asking::give_up(core::RequestId id, const core::Failure& why) {
  runtime::News news;
  connection_->give_up(id, why, news);
  note(news);
}

bool Asking::hear_the_end() {
  const core::Time deadline = boot_now() + std::chrono::seconds(10);
  while (connection_->awaited().fd >= 0) {
    const runtime::Awaited awaited = connection_->awaited();
    if (!runtime::wait_for(awaited.fd, awaited.events, deadline)) return false;
    runtime::News news;
    connection_->on_ready(boot_now(), news);
    note(news);
  }
  return true;
}

void Asking::note(runtime::News& news) {
  for (auto& answer : news.answers) answers_.push_back(std::move(answer));
  for (auto& it : news.admitted) admitted_ = std::move(it.record);
}

Hearing::Hearing(std::shared_ptr<runtime::Node> node, std::unique_ptr<runtime::Subscription> subscription)
    : node_(std::move(node)), subscription_(std::move(subscription)) {
  subscription_->open(boot_now(), random_);
  while (!subscription_->listening()) go_on(std::chrono::seconds(1));
}

std::optional<runtime::Message> Hearing::next(core::Duration within) {
  const core::Time deadline = boot_now() + within;
  while (messages_.empty() && boot_now() < deadline) go_on(deadline - boot_now());
  if (messages_.empty()) return std::nullopt;
  runtime::Message first = std::move(messages_.front());
  messages_.erase(messages_.begin());
  return first;
}

void Hearing::go_on(core::Duration within) {
  const runtime::Awaited awaited = subscription_->awaited();
  if (runtime::wait_for(awaited.fd, awaited.events, boot_now() + within)) {
    subscription_->on_ready(boot_now(), random_, messages_);
  }
}

}  // namespace tenure::test
