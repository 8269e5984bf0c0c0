// What is measured. Each starts private servers of its own.
#pragma once

namespace tenure::bench {

// Acquire and release, one after the other.
void one_caller(int rounds);
// The same by 64 threads, each with a name of its own.
void many_callers(int rounds);
// One round of renewals of 10,000 leases.
void renewal(int rounds);

}  // namespace tenure::bench
