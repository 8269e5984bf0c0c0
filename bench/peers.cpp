#include <cstdio>
#include <stdexcept>

#include "peer.hpp"
#include "servers.hpp"
#include "support/nodes.hpp"

namespace tenure::bench {

namespace {

using Words = std::vector<std::string>;

const std::string scripts = TENURE_PEERS_SOURCE_DIR;
const std::string programs = TENURE_PEERS_BINARY_DIR;

// What makes it may fail, too: often by starting a server.
template <class Make>
std::unique_ptr<Peer> unless_missing(const std::string& name, Make make) {
  try {
    return make();
  } catch (const std::runtime_error& error) {
    say_missing(name, error.what());
    return nullptr;
  }
}

void show(const char* what, const std::optional<Peer::Took>& took) {
  if (!took) {
    std::printf("  %-24s unsupported\n", what);
    return;
  }
  std::printf("  %-24s %.6f s, processor %.6f s\n", what, took->seconds, took->cpu);
}

void show(const char* what, const std::optional<Peer::HandOver>& seen) {
  if (!seen) {
    std::printf("  %-24s unsupported\n", what);
    return;
  }
  std::printf("  %-24s", what);
  for (const double ms : seen->ms) std::printf(" %.2f", ms);
  std::printf(" ms, order kept %.2f, Jain %.2f\n", seen->kept, seen->jain);
}

void try_all_of(Peer& peer) {
  std::printf("%s: %s\n", peer.name().c_str(), peer.version().c_str());
  show("1 caller, 5 times", peer.cycle(1, 5));
  show("4 callers, 5 times", peer.cycle(4, 5));
  show("2 waiters, at once", peer.hand_over(2, 10, Peer::Next::acquire));
  show("2 waiters, aside", peer.hand_over(2, 10, Peer::Next::aside));
  if (peer.hold(10)) {
    show("10 renewals", peer.renew());
    peer.drop();
  } else {
    std::printf("  %-24s unsupported\n", "renewals");
  }
}

// Whether all was well; one that cannot be had is nobody's mistake.
bool try_one(const std::unique_ptr<Peer>& peer) try {
  if (peer) try_all_of(*peer);
  return true;
} catch (const std::runtime_error& error) {
  std::printf("  failed: %s\n", error.what());
  return false;
}

}  // namespace

void say_missing(const std::string& name, const std::string& why) {
  std::fprintf(stderr, "Going on without %s (./dev setup bench installs what it needs)\n",
               (why.starts_with(name) ? why : name + ": " + why).c_str());
}

std::unique_ptr<Peer> redlock(const std::vector<std::string>& sockets) {
  const std::string name = sockets.size() > 1 ? "node-redlock, quorum" : "node-redlock";
  return unless_missing(name, [&] {
    std::vector<std::string> argv{"node", scripts + "/redlock.mjs"};
    argv.insert(argv.end(), sockets.begin(), sockets.end());
    return std::make_unique<Peer>(name, argv);
  });
}

// The system's own Python: the module comes as a package of the system, and another Python would not find it.
std::unique_ptr<Peer> redis_py(const std::string& socket) {
  const std::string name = "redis-py Lock";
  return unless_missing(name, [&] {
    return std::make_unique<Peer>(name, Words{"/usr/bin/python3", scripts + "/redis_py.py", socket});
  });
}

std::unique_ptr<Peer> postgres(std::shared_ptr<test::PostgresServer> server) {
  const std::string name = "PostgreSQL advisory lock";
  return unless_missing(name, [&] {
    if (!server) server = start_postgres();
    return std::make_unique<Peer>(name, Words{programs + "/peer-postgres", server->url()}, server);
  });
}

std::unique_ptr<Peer> etcd() {
  const std::string name = "etcd lock";
  return unless_missing(name, [&] {
    const auto server = std::make_shared<EtcdServer>();
    return std::make_unique<Peer>(name, Words{programs + "/peer-etcd", server->url()}, server);
  });
}

bool try_peers() {
  test::Nodes nodes(3);
  bool well = try_one(redlock({nodes[0].socket_path()}));
  well &= try_one(redlock({nodes[0].socket_path(), nodes[1].socket_path(), nodes[2].socket_path()}));
  well &= try_one(redis_py(nodes[0].socket_path()));
  well &= try_one(postgres());
  well &= try_one(etcd());
  return well;
}

}  // namespace tenure::bench
