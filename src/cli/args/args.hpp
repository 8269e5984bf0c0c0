// The command line, read and checked as far as one word at a time can be.
#pragma once

#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <variant>
#include <vector>

#include "cli/args/http_args.hpp"
#include "cli/exit_code.hpp"
#include "cli/log.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

struct RunArgs {
  std::string name;
  bool no_wait = false;
  std::optional<core::Duration> wait{};  // nothing: for ever
  std::optional<int> busy_code{};        // instead of ExitCode::busy
  std::optional<core::Duration> ttl{};   // nothing: 30s, or the cap where that is shorter
  std::optional<core::Duration> grace{};
  std::string lock_prefix = "redlock:";
  std::optional<std::string> id{};
  bool quiet = false;
  HttpArgs http{};
  LogStyle log{};
  NodeArgs nodes{};
  std::vector<std::string> command{};
};

struct ElectArgs {
  std::string name;
  bool observe = false;
  bool json = false;
  std::optional<core::Duration> lease{};  // nothing: 15s, or the cap where that is shorter
  std::optional<core::Duration> renew{};
  std::optional<core::Duration> grace{};
  std::optional<core::Duration> drain{};
  std::optional<std::string> id{};
  HttpArgs http{};
  LogStyle log{};
  NodeArgs nodes{};
  std::vector<std::string> command{};  // empty: tell what happens
};

struct InitArgs {
  bool print_sql = false;  // ask no node: print what makes the schema of a PostgreSQL
  NodeArgs nodes{};
};

struct ReconfigureArgs {
  std::vector<std::string> leaving{};  // nodes that shall not decide any more
  std::vector<std::string> abandon{};  // sets of which no other node gives leases
  bool yes = false;                    // do not ask
  NodeArgs nodes{};                    // those that shall
};

struct DoctorArgs {
  std::optional<core::Duration> ttl{};  // as for run
  std::string lock_prefix = "redlock:";
  bool json = false;
  NodeArgs nodes{};
};

struct RedisUpArgs {
  static constexpr int plain_port = 6379;
  static constexpr int sentinel_port = 26379;
  static constexpr int sentinel_port_count = 6;

  static constexpr int cluster_port = 7000;
  static constexpr int cluster_port_count = 12;

  bool sentinel = false;  // a master, replicas and Sentinels, in place of independent servers
  bool cluster = false;   // a Redis Cluster, in place of them
  int count = 3;          // of those
  int port = plain_port;  // the first one
  std::optional<std::string> dir{};
};

struct RedisDownArgs {
  std::optional<std::string> dir{};
};

// Where the locks are.
struct LockTarget {
  std::string lock_prefix = "redlock:";
  NodeArgs nodes{};
};

struct LockLsArgs {
  bool json = false;
  bool sessions = false;  // list those of fleets, and do not only count them
  LockTarget target{};
};

struct LockShowArgs {
  std::string name;
  bool json = false;
  std::string fleet = "poll";  // whose sessions are looked for
  LockTarget target{};
};

struct LockBreakArgs {
  std::string name;
  bool yes = false;     // do not ask
  bool unsafe = false;  // do not wait until its holder cannot believe in it any more
  LockTarget target{};
};

// Where a fleet is.
struct FleetTarget {
  NodeArgs nodes{};    // of its leases
  std::string data{};  // of its sessions, heartbeats and results; else the first of the nodes
  std::string fleet = "poll";
  std::string session_prefix{};  // empty: as the fleet's name says
  bool index = false;            // read the index instead of going through all keys
  bool any_address = false;      // its sessions are polled by a command, not by HTTP
};

struct SessionsAddArgs {
  std::string id;
  std::string address;
  std::optional<core::Duration> every{};  // nothing: 10s
  bool replace = false;
  FleetTarget target{};
};

struct SessionsChangeArgs {
  enum class What : std::uint8_t { remove, pause, resume };
  What what{};
  std::string id{};
  FleetTarget target{};
};

struct SessionsLsArgs {
  bool json = false;
  FleetTarget target{};
};

struct StatusArgs {
  bool json = false;
  bool watch = false;
  bool all = false;
  FleetTarget target{};
};

struct ExplainArgs {
  std::string id;
  FleetTarget target{};
};

struct PollArgs {
  std::string exec{};  // else HTTP GET
  std::optional<core::Duration> ttl{};
  std::optional<core::Duration> renew{};
  std::optional<core::Duration> timeout{};
  unsigned weight = 1;
  bool strict = false;
  std::optional<std::string> id{};
  bool local_redirects = false;
  std::string http_ca{};
  LogStyle log{};  // without a format: text on a terminal, JSON elsewhere
  HttpArgs http{};
  FleetTarget target{};
};

// The endpoint alone, against the stores.
struct WebArgs {
  HttpArgs http{};
  std::string lock_prefix = "redlock:";
  FleetTarget target{};
};

struct DemoArgs {
  bool plain = false;
  std::optional<unsigned> seconds{};  // it ends when its story is told, and has failed if that takes longer
  std::optional<NodeArgs> nodes{};    // nothing: on a private Redis
};

// Help or the version was asked for: print this, and that is all.
struct Text {
  std::string text;
};

using Args =
    std::variant<RunArgs, ElectArgs, InitArgs, ReconfigureArgs, DoctorArgs, RedisUpArgs, RedisDownArgs,
                 LockLsArgs, LockShowArgs, LockBreakArgs, SessionsAddArgs, SessionsChangeArgs, SessionsLsArgs,
                 StatusArgs, ExplainArgs, PollArgs, WebArgs, DemoArgs, Text>;

// Of the words behind the name of the program. The error is a sentence without secrets.
tl::expected<Args, std::string> parse_args(const std::vector<std::string>& words);

}  // namespace tenure::cli
