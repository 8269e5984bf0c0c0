// Instances of a fleet in this process, and who owns what. For tests that link the API.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "integration/api.hpp"

namespace tenure::test {

inline constexpr auto three_seconds_ttl = std::chrono::seconds(3);

// Short, but patient with a machine that has much else to do.
inline FleetOptions short_lives() {
  using namespace std::chrono_literals;
  return {.ttl = three_seconds_ttl, .renew = 600ms, .node_timeout = 300ms};
}

// "s-000", "s-001", …
inline std::vector<std::string> sessions(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    const std::string digits = std::to_string(i);
    names.push_back("s-" + std::string(3 - std::min<std::size_t>(3, digits.size()), '0') + digits);
  }
  return names;
}

class Member {
 public:
  Member(const Nodes& nodes, const std::string& id, std::vector<std::string> sessions,
         const FleetOptions& options = short_lives())
      : client_(open(nodes, id)), fleet_(client_.fleet("poll", options).value()) {
    fleet_->share(std::move(sessions));
    const auto joined = fleet_->start();
    EXPECT_TRUE(joined) << (joined ? "" : joined.error().message);
  }

  std::vector<std::string> owned() const { return fleet_->owned_sessions(); }
  Fleet& fleet() { return *fleet_; }
  const std::string& id() const { return fleet_->instance_id(); }
  Client& client() { return client_; }

 private:
  Client client_;
  std::unique_ptr<Fleet> fleet_;
};

using Shares = std::vector<std::size_t>;

inline Shares shares(const std::vector<const Member*>& members) {
  Shares counts;
  for (const Member* member : members) counts.push_back(member->owned().size());
  return counts;
}

// Fails where two own the same.
inline std::map<std::string, std::string> owners_of(const std::vector<const Member*>& members) {
  std::map<std::string, std::string> owners;
  for (const Member* member : members) {
    for (const auto& session : member->owned()) {
      const auto [it, added] = owners.emplace(session, member->id());
      EXPECT_TRUE(added) << session << " is owned by " << it->second << " and " << member->id();
    }
  }
  return owners;
}

}  // namespace tenure::test
