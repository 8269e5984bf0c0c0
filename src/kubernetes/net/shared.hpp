// What all connections of one client to one API server have in common: they come and go, and what was seen of Leases must not go
// with them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/time.hpp"
#include "core/lease/grant.hpp"
#include "http_client/http_calls.hpp"
#include "kubernetes/api_call.hpp"
#include "kubernetes/lease_task.hpp"
#include "kubernetes/net/credentials.hpp"
#include "kubernetes/net/place.hpp"

namespace tenure::kubernetes {

// Who of us waits for which object.
class Waiters {
 public:
  struct Waiting {
    std::vector<core::Grant> tickets{};
    std::string
        version{};  // of all data, when it was last seen to be held: what has happened since wakes them
  };

  // It was told that somebody has it.
  void add(const std::string& object, const core::Grant& ticket, const std::string& version);
  // It waits no longer.
  void remove(const std::string& object, const core::Grant& ticket);
  const std::map<std::string, Waiting>& all() const { return all_; }
  Waiting* find(const std::string& object);
  // Who watches for them is told of every change.
  void on_change(std::function<void()> tell) { tell_ = std::move(tell); }

  // What is known of this object is as good as an answer: whatever happens to it is told at once.
  bool watched(const std::string& object) const { return watched_.contains(object); }
  void set_watched(const std::string& object, bool watched);

 private:
  std::map<std::string, Waiting> all_;
  std::set<std::string> watched_;
  std::function<void()> tell_;
};

struct Shared {
  explicit Shared(Place at)
      : place(std::move(at)), credentials(place.token, place.token_file), sight{place.name_space, {}} {}

  const Place place;
  Credentials credentials;
  Sight sight;
  Waiters waiters{};
  core::Time quiet_until = core::long_ago;  // the API server has asked to be left alone
};

// With who we are. Fails where that is not known.
tl::expected<http_client::HttpRequest, core::Failure> request_of(const ApiCall& call,
                                                                 Credentials& credentials);
ApiAnswer answer_of(http_client::HttpAnswer answer);
// How long the server asks to be left alone; zero where it does not.
core::Duration retry_after(const http_client::HttpAnswer& answer);

}  // namespace tenure::kubernetes
