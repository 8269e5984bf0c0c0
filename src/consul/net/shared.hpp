// What all connections of a client to one Consul know together. Guarded by its engine.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consul/entry.hpp"
#include "consul/keys.hpp"
#include "consul/url.hpp"
#include "core/base/random.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "http_client/http_calls.hpp"

namespace tenure::consul {

// Where a Consul is, how it is believed, and what its clients agree on.
struct Place {
  Address address{};
  http_client::HttpServer server{};
  std::string header{};  // with the ACL token; empty: there is none
  Keys keys{};
  core::Terms terms{};
};

// Who waits for which key, and from which change on it is to be watched.
struct WatchedKey {
  Index index = 0;
  std::vector<core::Grant> tickets{};
};

// A grant that was asked for and not answered. It may be given at any time, even behind the release that takes it back, and the
// session that all leases share would keep it for ever. That it was given when it was asked for again ends no doubt: the first
// request may come yet. It is forgotten long after its release.
struct Doubt {
  std::string key{};
  core::Grant grant{};
  std::optional<core::Time>
      released{};  // when its release was answered; from then on it is deleted where it shows
};

// A lease that is held, as far as is known: so a release needs no look before.
struct Hold {
  core::Grant grant;
  Entry entry{};  // without its value
  core::Ttl ttl{};
  core::Time renewed{};  // when that was asked for
};

class Shared {
 public:
  explicit Shared(Place place);

  const Place& place() const { return place_; }
  core::Random& random() { return random_; }

  // The largest token that was given or taken there.
  core::Token seen() const { return seen_; }
  void see(core::Token token) { seen_ = std::max(seen_, token); }

  // The session for new leases of that length.
  std::optional<std::string> session(core::Ttl ttl) const;
  void add_session(core::Ttl ttl, const std::string& id);
  // It is used for nothing new.
  void retire_session(core::Ttl ttl);
  // It does not live any more.
  void forget_session(const std::string& id);
  const std::vector<std::string>& sessions() const { return all_sessions_; }

  void hold(const Entry& entry, const core::Grant& grant, core::Ttl ttl, core::Time renewed);
  void let_go(const std::string& key, const core::Grant& grant);
  // Null: it is not held.
  const Hold* held(const std::string& key, const core::Grant& grant) const;
  bool holds_nothing() const { return held_.empty(); }

  void doubt(const std::string& key, const core::Grant& grant, core::Ttl ttl);
  // It was asked to be released, at that time, and may be locked yet: nothing new is to keep its session alive.
  void doubt_release(const std::string& key, const core::Grant& grant, core::Time asked);
  // What was not renewed for longer than its TTL is nobody's any more, and its session is used for nothing new: other leases would
  // keep it alive.
  void bury_lapsed(core::Time now);
  // Ours that is nobody's any more, should that key show it.
  bool is_orphan(const std::string& key, const core::Grant& grant) const;
  void on_released(const core::Grant& grant, core::Time now);
  // Those which are to be deleted where they show, the oldest first.
  std::vector<Doubt> orphans(core::Time now, std::size_t most);

  void wait_for(const std::string& key, Index index, const core::Grant& ticket);
  void wait_no_more(const core::Grant& ticket);
  std::map<std::string, WatchedKey>& watched() { return watched_; }
  // Called when somebody has begun to wait for a key.
  std::function<void(const std::string& key)> on_watched{};

 private:
  Place place_;
  core::Random random_;
  core::Token seen_ = 0;
  std::map<core::Ttl, std::string> sessions_{};
  std::vector<std::string> all_sessions_{};
  std::map<std::string, Hold> held_{};  // by key
  std::vector<Doubt> doubts_{};
  std::map<std::string, WatchedKey> watched_{};
};

}  // namespace tenure::consul
