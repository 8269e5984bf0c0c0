// What is measured. Each starts private servers of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace tenure::bench {

// Acquire and release, one after the other.
void one_caller(int rounds);
// The same by 64 threads, each with a name of its own.
void many_callers(int rounds);
// One round of renewals of 10,000 leases.
void renewal(int rounds);
// A leader that stops cleanly, until the next is elected.
void hand_over(int rounds);
// A leader that is killed, from the end of its lease until the next is elected.
void crash(int rounds);
// That leader, in a process of its own; does not return.
void crash_candidate(const std::string& url);
// What a thousand elections cost while nothing happens.
void thousand_elections(int rounds);
// Who should own which of a million sessions: from nothing, after a join, after a leave. No server.
void placement(int rounds);

// Instances that come and go, and hand-over.
void fleet(int rounds);
// What a large fleet costs while nothing happens.
void idle_fleet(int rounds);
// One of them, in a process of its own, until SIGTERM.
void fleet_instance(const std::string& url, const std::string& id, std::size_t sessions,
                    std::chrono::milliseconds ttl);

}  // namespace tenure::bench
