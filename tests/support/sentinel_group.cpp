#include "support/sentinel_group.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "support/redis_program.hpp"
#include "support/wait.hpp"

namespace tenure::test {

namespace {

constexpr int port_attempts = 20;
constexpr auto patience = std::chrono::seconds(30);

void must(bool come_true, const std::string& what) {
  if (!come_true) throw std::runtime_error("the Sentinel group: " + what);
}

}  // namespace

Sentinel::Sentinel(const std::vector<std::string>& lines, bool tls) : directory_(new_server_directory()) {
  for (int attempt = 0; attempt < port_attempts; ++attempt) {
    port_ = free_port();
    std::ofstream file(directory_ / "sentinel.conf");
    file << (tls ? "port 0\ntls-port " : "port ") << port_ << "\nbind 127.0.0.1\nunixsocket " << socket_path()
         << "\ndir " << directory_.string() << "\n";
    for (const auto& line : lines) file << line << "\n";
    file.close();
    if (launch()) return;
  }
  throw std::runtime_error("no port for a Sentinel");
}

Sentinel::~Sentinel() {
  process_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

bool Sentinel::launch() {
  process_ = std::make_unique<Process>(
      std::vector<std::string>{server_program(), directory_ / "sentinel.conf", "--sentinel"});
  const bool up = wait_until([this] {
    if (!process_->running()) return true;
    try {
      RedisConnection(socket_path()).command({"PING"});
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (up && process_->running()) return true;
  const std::string said = log();
  process_.reset();
  if (said.find("Address already in use") != std::string::npos) return false;
  throw std::runtime_error("the Sentinel does not start:\n" + said);
}

redis::Value Sentinel::command(const std::vector<std::string>& args) {
  RedisConnection connection(socket_path());
  if (!password.empty()) connection.command({"AUTH", password});
  return connection.command(args);
}

std::string Sentinel::field(const std::string& master, const std::string& name) {
  const auto fields = command({"SENTINEL", "MASTER", master}).items;
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    if (fields[i].text == name) return fields[i + 1].text;
  }
  return "";
}

void Sentinel::pause() {
  process_->send(SIGSTOP);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(process_->pid()), &info, WSTOPPED | WEXITED | WNOWAIT);
}

void Sentinel::resume() { process_->send(SIGCONT); }

void Sentinel::kill() { process_.reset(); }

void Sentinel::restart() {
  kill();
  must(launch(), "the port of a Sentinel was taken");
}

SentinelGroup::SentinelGroup() : SentinelGroup(Options{}) {}

SentinelGroup::SentinelGroup(Options options) : options_(std::move(options)) {
  RedisServer::Options server{
      .tcp = true, .tls = options_.tls, .arguments = {"--repl-diskless-sync-delay", "0"}};
  if (!options_.tls.empty()) server.arguments.insert(server.arguments.end(), {"--tls-replication", "yes"});
  if (!options_.password.empty()) {
    server.password = options_.password;
    server.arguments.insert(server.arguments.end(),
                            {"--requirepass", options_.password, "--masterauth", options_.password});
  }
  servers_.emplace_back(server);
  const std::string port = std::to_string(servers_.front().port());
  for (std::size_t i = 0; i < options_.replicas; ++i)
    servers_.emplace_back(server).command({"REPLICAOF", "127.0.0.1", port});
  wait_for_replication();

  const std::string of = std::string(" ") + name + " ";
  std::vector<std::string> lines{
      "sentinel monitor" + of + "127.0.0.1 " + port + " " + std::to_string(options_.sentinels / 2 + 1),
      "sentinel down-after-milliseconds" + of + "500", "sentinel failover-timeout" + of + "2000",
      "sentinel parallel-syncs" + of + "2"};
  if (!options_.password.empty()) lines.push_back("sentinel auth-pass" + of + options_.password);
  if (!options_.sentinel_password.empty()) {
    lines.push_back("requirepass " + options_.sentinel_password);
    lines.push_back("sentinel sentinel-pass " + options_.sentinel_password);
  }
  for (std::size_t i = 0; i + 1 < options_.tls.size(); i += 2) {
    lines.push_back(options_.tls[i].substr(2) + " " + options_.tls[i + 1]);
  }
  if (!options_.tls.empty()) lines.emplace_back("tls-replication yes");
  for (std::size_t i = 0; i < options_.sentinels; ++i) {
    Sentinel& sentinel = sentinels_.emplace_back(lines, !options_.tls.empty());
    sentinel.password = options_.sentinel_password;
    // They would find each other, and what has changed, only after seconds. (Who greets the others more often than that takes a
    // replica that one of them has just promoted for a stray master, and demotes it; and what a replica said of itself counts for
    // five times as long as between two pings, and is asked for once a second.)
    const auto said =
        sentinel.command({"SENTINEL", "DEBUG", "info-period", "200", "publish-period", "500", "ping-period",
                          "300", "ask-period", "100", "election-timeout", "1000"});
    must(said.text == "OK", "SENTINEL DEBUG: " + said.text);
  }
  wait_until_ready();
}

std::string SentinelGroup::url() const {
  std::string url = options_.tls.empty() ? "redis-sentinel://" : "rediss-sentinel://";
  if (!options_.password.empty()) url += ":" + options_.password + "@";
  for (std::size_t i = 0; i < sentinels_.size(); ++i) url += (i == 0 ? "" : ",") + sentinels_[i].place();
  url += "/0";
  if (!options_.sentinel_password.empty()) url += "?sentinel_password=" + options_.sentinel_password;
  return url + "#" + name;
}

RedisServer& SentinelGroup::master() {
  RedisServer* found = nullptr;
  const auto agree = [&] {
    std::optional<std::string> port;
    for (Sentinel& sentinel : sentinels_) {
      try {
        const std::string its = sentinel.field(name, "port");
        if (port && *port != its) return false;
        port = its;
      } catch (const std::runtime_error&) {
        continue;  // a dead one
      }
    }
    if (!port) return false;
    const auto it = std::ranges::find_if(
        servers_, [&](const RedisServer& server) { return std::to_string(server.port()) == *port; });
    if (it == servers_.end()) return false;
    found = &*it;
    return true;
  };
  must(wait_until(agree, patience), "the Sentinels do not agree on the master");
  return *found;
}

std::vector<RedisServer*> SentinelGroup::replicas() {
  const RedisServer& now = master();
  std::vector<RedisServer*> others;
  for (RedisServer& server : servers_) {
    if (&server != &now && std::ranges::find(dead_, server.port()) == dead_.end()) others.push_back(&server);
  }
  return others;
}

void SentinelGroup::wait_for_replication() {
  RedisServer& from = sentinels_.empty() ? servers_.front() : master();
  const auto count = static_cast<std::int64_t>(sentinels_.empty() ? servers_.size() - 1 : replicas().size());
  must(wait_until([&] { return from.command({"WAIT", std::to_string(count), "100"}).integer >= count; },
                  patience),
       "the replicas do not follow");
}

bool SentinelGroup::ready() {
  return std::ranges::all_of(sentinels_, [&](Sentinel& it) {
    return it.field(name, "flags") == "master" &&
           it.field(name, "num-slaves") == std::to_string(options_.replicas) &&
           it.field(name, "num-other-sentinels") == std::to_string(options_.sentinels - 1) &&
           it.command({"SENTINEL", "CKQUORUM", name})
               .text.starts_with("OK " + std::to_string(options_.sentinels)) &&
           std::ranges::all_of(it.command({"SENTINEL", "REPLICAS", name}).items,
                               [](const redis::Value& replica) {
                                 const auto field = [&](std::string_view wanted) -> std::string {
                                   for (std::size_t i = 0; i + 1 < replica.items.size(); i += 2) {
                                     if (replica.items[i].text == wanted) return replica.items[i + 1].text;
                                   }
                                   return "";
                                 };
                                 return field("flags") == "slave" && field("master-link-status") == "ok";
                               });
  });
}

void SentinelGroup::wait_until_ready() {
  must(wait_until([this] { return ready(); }, patience), "it does not become ready");
  wait_for_replication();
}

RedisServer& SentinelGroup::fail_over() {
  RedisServer& before = master();
  dead_.push_back(before.port());
  before.kill();
  let_replicas_go_on();
  must(wait_until([&] { return &master() != &before; }, patience), "there is no failover");
  RedisServer& after = master();
  must(wait_until([&] { return after.command({"ROLE"}).items.front().text == "master"; }, patience),
       "nobody was promoted");
  for (const std::string& key : lost_) {
    must(after.command({"EXISTS", key}).integer == 0,
         "nothing is lost: the promoted server has what was written after the replicas were stopped");
  }
  return after;
}

void SentinelGroup::stop_replicas() {
  RedisServer& from = master();
  const auto followers = replicas();
  for (RedisServer* replica : followers) replica->pause();
  // A stopped process still has what its kernel takes in, and would apply it when it goes on.
  const auto cut = from.command({"CLIENT", "KILL", "TYPE", "REPLICA"}).integer;
  must(cut == static_cast<std::int64_t>(followers.size()),
       "the master has other replicas than those that run");
  lost_.push_back("lost:" + std::to_string(lost_.size() + 1));
  must(from.command({"SET", lost_.back(), "1"}).text == "OK", "the master takes no writes");
}

void SentinelGroup::let_replicas_go_on() {
  for (RedisServer& server : servers_) {
    if (std::ranges::find(dead_, server.port()) == dead_.end()) server.resume();
  }
}

void SentinelGroup::restart_dead() {
  for (RedisServer& server : servers_) {
    if (std::ranges::find(dead_, server.port()) != dead_.end()) server.restart();
  }
  dead_.clear();
}

}  // namespace tenure::test
