// What is measured. Each starts private servers of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "row.hpp"

namespace tenure::bench {

class Stage;
using Rows = std::vector<Row>;

// Acquire and release, one after the other.
Rows one_caller(Stage& stage);
// The same by 64 threads, each with a name of its own.
Rows many_callers(Stage& stage);
// The same by a majority of three nodes, by one caller and by 64.
Rows quorum(Stage& stage);
// On a Redis Cluster: one caller, 64 on several shards, and one renewal of many held leases.
Rows cluster(Stage& stage);
Row many_on_shards(Stage& stage);
// A lock that its owner gives back, until the next has it.
Rows lock_hand_over(Stage& stage);
// A lock for one command: the program is started, and ends.
Rows start(Stage& stage);
// One renewal of many held leases.
Rows renewal(Stage& stage);
// The same on PostgreSQL, beside locks written by hand in its own words.
Rows postgresql_one_caller(Stage& stage);
Rows postgresql_many_callers(Stage& stage);
Rows postgresql_hand_over(Stage& stage);
Rows postgresql_renewal(Stage& stage);
// A leader that stops cleanly, until the next is elected.
Rows election_hand_over(Stage& stage);
// A leader that is killed, from the end of its lease until the next is elected.
Rows crash(Stage& stage);
// That leader, in a process of its own; does not return.
void crash_candidate(const std::string& url);
// What a thousand elections cost while nothing happens.
Rows thousand_elections(Stage& stage);
// Who should own which of a million sessions: from nothing, after a join, after a leave. No server.
Rows placement(Stage& stage);

// Instances that come and go, and hand-over.
Rows fleet(Stage& stage);
// What a fleet costs while nothing happens.
Rows idle_fleet(Stage& stage);
// What Redis pays for a fleet as it grows.
Rows growth(Stage& stage);
// What looking at a fleet costs: /metrics, and viewers of the page.
Rows web(Stage& stage);
// Some of its instances, numbered from `first` on and `of` so many, in one process, until SIGTERM.
void fleet_instances(const std::string& url, std::size_t first, std::size_t count, std::size_t sessions,
                     std::size_t of, const std::string& file);
// One of them, in a process of its own, until SIGTERM.
void fleet_instance(const std::string& url, const std::string& id, std::size_t sessions,
                    std::chrono::milliseconds ttl);

}  // namespace tenure::bench
