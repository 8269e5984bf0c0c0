// What somebody else would write first: takes a lock, and says its token.
#include <iostream>
#include <tenure/tenure.hpp>

int main(int argc, char** argv) {
  tenure::ClientOptions options;
  if (argc > 1) options.nodes = {argv[1]};
  const auto client = tenure::Client::open(options);
  if (!client) {
    std::cerr << client.error().message << '\n';
    return 1;
  }
  auto lease = client->lock("outside").try_acquire();
  if (!lease) {
    std::cerr << lease.error().message << '\n';
    return 1;
  }
  std::cout << "token " << lease->token() << (lease->held() ? ", held" : ", lost") << '\n';
  return lease->release() ? 0 : 1;
}
