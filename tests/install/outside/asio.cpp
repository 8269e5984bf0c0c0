// What somebody else would write who has coroutines of Boost.Asio: takes a lock without blocking, and says its token.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <iostream>
#include <tenure/asio.hpp>

namespace {

boost::asio::awaitable<void> work(tenure::AsioDriver& driver) {
  auto lease = co_await driver.acquire(driver.client().lock("outside"), boost::asio::use_awaitable);
  if (!lease) {
    std::cerr << lease.error().message << '\n';
    co_return;
  }
  std::cout << "token " << lease->token() << (lease->held() ? ", held" : ", lost") << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  tenure::ClientOptions options;
  if (argc > 1) options.nodes = {argv[1]};
  const auto client = tenure::Client::open(options);
  if (!client) {
    std::cerr << client.error().message << '\n';
    return 1;
  }
  boost::asio::io_context io;
  tenure::AsioDriver driver(*client, io.get_executor());
  boost::asio::co_spawn(io, work(driver), boost::asio::detached);
  io.run();
  return 0;
}
