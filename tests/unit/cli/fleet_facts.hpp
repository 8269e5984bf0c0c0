// A fleet for tests of what shows it, as Redis would show it.
#pragma once

#include <string>

#include "cli/fleet/fleet_view.hpp"

namespace tenure::cli {

inline std::string beat(const std::string& status, int weight = 1, int owned = 0) {
  return R"({"boot":"0123456789abcdef","status":")" + status + R"(","started":1000,"weight":)" +
         std::to_string(weight) + R"(,"owned":)" + std::to_string(owned) + R"(,"version":1})";
}

struct Facts : FleetFacts {
  Facts() { now_ms = 61'000; }

  Facts& instance(const std::string& id, const std::string& text = beat("ready")) {
    beats.push_back({id, poll::read_instance(text), core::Ttl(20'000)});
    return *this;
  }
  // Owned by that instance; by nobody where it is empty.
  Facts& session(const std::string& id, const std::string& owner, bool paused = false) {
    sessions.good.push_back({.id = id, .address = "http://a", .paused = paused});
    redis::FoundKey key;
    if (!owner.empty()) key = {owner + "#0123456789abcdef#5", core::Ttl(9'000), 0};
    leases.push_back(view_of(id, FoundKeys{key}));
    results.emplace_back();
    return *this;
  }
  Facts& shared(int count, const std::string& owner) {
    for (int i = 0; i < count; ++i) session(owner + std::to_string(i), owner);
    return *this;
  }
};

}  // namespace tenure::cli
