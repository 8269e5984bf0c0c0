// Many locks on one thread, by coroutines of Boost.Asio.
//
//   build/examples/async_asio                              the nodes in TENURE_REDIS, or three on this machine
//   build/examples/async_asio redis://10.0.0.5 [URL …]     others
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <cstdio>
#include <string>

#include <tenure/asio.hpp>

#include "nodes.hpp"

namespace {

constexpr int jobs = 64;
int done = 0;

// A coroutine for each job: it waits for its name like blocking code, and blocks nobody.
boost::asio::awaitable<void> work(tenure::AsioDriver& driver, tenure::Lock lock) {
  auto lease = co_await driver.acquire(lock, boost::asio::use_awaitable);
  if (!lease) {
    std::fprintf(stderr, "%s\n", lease.error().message.c_str());
    co_return;
  }
  // The work, which the token proves to be ours.
  std::printf("%s: token %llu\n", lease->name().c_str(), static_cast<unsigned long long>(lease->token()));
  const auto released = co_await driver.release(*lease, boost::asio::use_awaitable);
  if (released) done += 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (example::helped(argc, argv, "Takes 64 locks at the same time, by coroutines on one thread.")) return 0;
  auto client = example::open(argc, argv);
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 64;
  }

  boost::asio::io_context io(1);
  {
    tenure::AsioDriver driver(*client, io.get_executor());
    for (int job = 0; job < jobs; ++job) {
      boost::asio::co_spawn(io, work(driver, client->lock("job-" + std::to_string(job))),
                            boost::asio::detached);
    }
    io.run();  // until no operation is under way
  }
  client->close();
  return done == jobs ? 0 : 1;
}
