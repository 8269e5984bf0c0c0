// Many locks on one thread, with an event loop written by hand: what a server has that waits in epoll anyway.
//
//   build/examples/async_epoll                              the nodes in TENURE_REDIS, or three on this machine
//   build/examples/async_epoll redis://10.0.0.5 [URL …]     others
#include <sys/epoll.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include <tenure/tenure.hpp>

#include "nodes.hpp"

namespace {

constexpr int jobs = 64;
int left = jobs;
int done = 0;

// All of it on the thread that calls poll(), one after the other: no mutex, and nothing blocks.
void begin(const tenure::Client& client, int job) {
  const auto lock = client.lock("job-" + std::to_string(job));
  lock.async_acquire({}, [](tl::expected<tenure::Lease, tenure::Refusal> lease) {
    left -= 1;
    if (!lease) {
      std::fprintf(stderr, "%s\n", lease.error().message.c_str());
      return;
    }
    // The work, which the token proves to be ours. The lease goes with this scope, and is given back without waiting.
    std::printf("%s: token %llu\n", lease->name().c_str(), static_cast<unsigned long long>(lease->token()));
    done += 1;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (example::helped(argc, argv, "Takes 64 locks at the same time, on one thread.")) return 0;
  auto client = example::open(argc, argv);
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 64;
  }

  const int loop = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(loop, EPOLL_CTL_ADD, client->descriptor(), &event);
  for (int job = 0; job < jobs; ++job) begin(*client, job);
  while (left > 0) {
    epoll_event ready{};
    if (epoll_wait(loop, &ready, 1, -1) > 0) client->poll();
  }
  ::close(loop);
  client->close();
  return done == jobs ? 0 : 1;
}
