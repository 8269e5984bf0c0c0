// What somebody else would write who polls: it needs libraries that locks do not. Takes a lock and says its token, too.
#include <iostream>
#include <tenure/tenure.hpp>
#include <utility>

int main(int argc, char** argv) {
  tenure::ClientOptions options;
  if (argc > 1) options.nodes = {argv[1]};
  const auto client = tenure::Client::open(options);
  if (!client) {
    std::cerr << client.error().message << '\n';
    return 1;
  }
  const auto fleet = client->fleet();
  auto source = tenure::stored_sessions(**fleet);
  if (!source) {
    std::cerr << source.error().message << '\n';
    return 1;
  }
  tenure::Poller poller(**fleet, std::move(*source), tenure::HttpPoll{});
  if (const auto started = poller.start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  const auto lease = client->lock("polls").try_acquire();
  if (!lease) {
    std::cerr << lease.error().message << '\n';
    return 1;
  }
  std::cout << "token " << lease->token() << (lease->held() ? ", held" : ", lost") << '\n';
  return poller.stop() ? 0 : 1;
}
