// One Consul, asked and waited for on the calling thread: for what is asked now and then. Leases do not go through here.
#pragma once

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "consul/net/desk.hpp"

namespace tenure::consul {

class Caller {
 public:
  Caller(const Place& place, core::Duration timeout);

  tl::expected<core::KeyState, core::Failure> look(const std::string& key);
  // How long a round trip takes.
  tl::expected<core::Duration, core::Failure> ping();
  // Somebody's word that it is new. False: it has a record that says more.
  tl::expected<bool, core::Failure> init();
  // Nothing is held by it.
  void destroy_session(const std::string& id);

 private:
  Desk desk();
  // Until it is done, or the time is over.
  template <class T>
  bool finish(Task<T>& task);

  std::shared_ptr<Shared> shared_;
  Standing standing_{};
  std::vector<core::Record> admitted_{};
  SessionMaker maker_{};
  bool wrote_ = false;
  Talk talk_;
  core::Time deadline_;
};

}  // namespace tenure::consul
