// A connection's requests, carried out one by one on a real Consul.
#pragma once

#include <poll.h>

#include "consul/consul_client.hpp"
#include "consul/lease_text.hpp"
#include "consul/net/desk.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"

namespace tenure::test {

// All that a connection knows.
struct Bench {
  explicit Bench(const ClientOptions& options) : shared(consul::place_of(options).value()) {}

  template <class T>
  T run(consul::Task<T> task) {
    task.start();
    while (!task.done()) {
      EXPECT_TRUE(
          runtime::wait_for(talk.awaited().fd, POLLIN, runtime::boot_now() + std::chrono::seconds(10)));
      talk.on_ready();
    }
    return task.take();
  }
  consul::Desk desk(core::Duration later = {}) {
    return {{}, talk, maker, shared, standing, admitted, wrote, runtime::boot_now() + later};
  }
  std::string key(const std::string& name) const {
    return shared.place().keys.lock("redlock:", name).value();
  }

  consul::Shared shared;
  consul::Talk talk{shared.place().server, shared.place().header};
  consul::SessionMaker maker{};
  consul::Standing standing{};
  std::vector<core::Record> admitted{};
  bool wrote = false;
};

inline core::Token token_of(const core::Reply& reply) {
  const auto* granted = std::get_if<core::Granted>(&reply);
  EXPECT_NE(granted, nullptr);
  return granted != nullptr ? granted->token : 0;
}

inline core::KeyAnswer first_of(const core::Reply& reply) {
  const auto* answers = std::get_if<core::KeyAnswers>(&reply);
  if (answers != nullptr) return answers->front();
  const auto* failure = std::get_if<core::Failure>(&reply);
  ADD_FAILURE() << (failure != nullptr ? failure->detail : "another kind of answer");
  return core::KeyAnswer::locked;
}

}  // namespace tenure::test
