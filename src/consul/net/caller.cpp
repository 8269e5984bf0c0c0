#include "consul/net/caller.hpp"

#include <poll.h>

#include "consul/failure.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::consul {

namespace {

Task<Talk::Answer> called(Talk& talk, std::string method, std::string target) {
  auto asked = talk.call({}, std::move(method), std::move(target));
  auto answer = co_await asked;
  co_return answer;
}

}  // namespace

Caller::Caller(const Place& place, core::Duration timeout)
    : shared_(std::make_shared<Shared>(place)),
      talk_(shared_->place().server, shared_->place().header),
      deadline_(runtime::boot_now() + timeout) {}

Desk Caller::desk() {
  return {{}, talk_, maker_, *shared_, standing_, admitted_, wrote_, runtime::boot_now()};
}

template <class T>
bool Caller::finish(Task<T>& task) {
  task.start();
  while (!task.done()) {
    if (!talk_.busy_without_descriptor() && !runtime::wait_for(talk_.awaited().fd, POLLIN, deadline_))
      return false;
    talk_.on_ready();
  }
  return true;
}

tl::expected<core::KeyState, core::Failure> Caller::look(const std::string& key) {
  auto task = consul::look(desk(), {{key}});
  if (!finish(task)) return tl::unexpected(core::silence);
  auto reply = task.take();
  if (auto* states = std::get_if<core::KeyStates>(&reply)) return std::move(states->front());
  const auto* failure = std::get_if<core::Failure>(&reply);
  return tl::unexpected(failure != nullptr ? *failure : core::misfit);
}

tl::expected<core::Duration, core::Failure> Caller::ping() {
  const core::Time before = runtime::boot_now();
  auto task = called(talk_, "GET", "/v1/status/leader");
  if (!finish(task)) return tl::unexpected(core::silence);
  auto answer = task.take();
  if (!answer) return tl::unexpected(std::move(answer.error()));
  if (answer->status != 200) return tl::unexpected(classify(answer->status, answer->body));
  // Quoted: the address of the leader, or nothing.
  if (answer->body.size() <= 3) return tl::unexpected(classify(500, "No cluster leader"));
  return runtime::boot_now() - before;
}

tl::expected<bool, core::Failure> Caller::init() {
  auto task = found(desk());
  if (!finish(task)) return tl::unexpected(core::silence);
  return task.take();
}

void Caller::destroy_session(const std::string& id) {
  auto task = called(talk_, "PUT", "/v1/session/destroy/" + http_client::url_escaped(id));
  finish(task);
}

}  // namespace tenure::consul
