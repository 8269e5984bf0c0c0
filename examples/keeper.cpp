// One keeper at a time: the second one says that another runs, and exits.
//
//   build/examples/keeper                                   the nodes in TENURE_REDIS, or three on this machine
//   build/examples/keeper redis://10.0.0.5 [URL …]          others
#include <csignal>
#include <cstdio>
#include <thread>

#include <tenure/tenure.hpp>

#include "nodes.hpp"

using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t asked_to_end = 0;

// The work. Whatever it writes to should remember the largest token that it has seen, and refuse a smaller one: then
// a keeper that was stopped for an hour and goes on cannot overwrite what its successor wrote.
void publish_price(std::uint64_t token) {
  std::printf("price published, token %llu\n", static_cast<unsigned long long>(token));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (example::helped(argc, argv,
                      "Publishes prices until Ctrl-C, unless another keeper does. Start it twice."))
    return 0;
  std::signal(SIGINT, [](int) { asked_to_end = 1; });
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });

  const auto client = example::open(argc, argv);
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 64;
  }

  const auto lock = client->lock("pricing-oracle-keeper", {.ttl = 30s});
  const auto lease = lock.acquire({.retries = 3, .retry_delay = 200ms});
  if (!lease) {
    const bool held = lease.error().code == tenure::Refusal::Code::held;
    if (held) std::printf("Another keeper is running, exiting...\n");
    std::fprintf(stderr, "%s\n", lease.error().message.c_str());
    return held ? 0 : 1;
  }

  std::printf("Lock acquired successfully, starting keeper...\n");
  // The lease renews itself. When that fails, lost() stops early enough to end in time.
  while (asked_to_end == 0 && !lease->lost().stop_requested()) {
    publish_price(lease->token());
    std::this_thread::sleep_for(1s);
  }
  std::printf(asked_to_end != 0 ? "Shutting down\n" : "The lock was lost, stopping\n");
  return 0;  // and the lease is given back
}
