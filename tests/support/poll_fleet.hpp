// Instances of `tenure poll`, each a process, and the server that they poll, which judges them by its own log. For tests that
// link http_target.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/tenure_program.hpp"
#include "core/lease/grant.hpp"
#include "http_target/http_target.hpp"
#include "redis/grant_text.hpp"
#include "redis/script_call.hpp"
#include "runtime/boot_clock.hpp"
#include "support/nodes.hpp"

namespace tenure::test {

struct PollFleetOptions {
  std::size_t nodes = 1;
  bool apart = false;  // sessions, beats and results on a Redis of their own
  int sessions = 9;
  std::chrono::milliseconds interval{4'000};
  std::string path = "/";  // of the target
  Words words{"--ttl", "3s"};
  core::Ttl cap = cap_default;
};

class PollFleet {
 public:
  using Ids = std::vector<std::string>;
  using Leases = std::map<std::string, core::Holder>;
  using Visit = http_target::HttpTarget::Visit;

  explicit PollFleet(const PollFleetOptions& options = {})
      : nodes(options.nodes, options.cap), options_(options) {
    if (options.apart) data_ = std::make_unique<RedisServer>();
    for (int i = 1; i <= options.sessions; ++i) sessions_.push_back("s-" + std::to_string(i));
    add_sessions();
  }

  RedisServer& data() { return data_ ? *data_ : nodes[0]; }
  const Ids& sessions() const { return sessions_; }
  void add_sessions() {
    for (const auto& id : sessions_) {
      data().command({"SET", "session:" + id,
                      R"({"address": ")" + target->url(options_.path) + R"(", "interval_ms": )" +
                          std::to_string(options_.interval.count()) + "}"});
    }
  }

  // As "tenure sessions" would.
  void say_sessions_changed() { data().command({"PUBLISH", redis::Keyspace::changes("poll:"), "sessions"}); }

  // Where all instances look; or another way there.
  Words place() const {
    Words urls;
    for (const auto& address : nodes.addresses()) urls.push_back(redis::to_text(address));
    return place(urls);
  }
  Words place(const Words& urls) const {
    Words words = redis_options(urls) + Words{"--ttl-max", std::to_string(nodes.cap().count()) + "ms"};
    if (data_) words = words + Words{"--data", data_->url()};
    return words;
  }
  Process& start(const std::string& id) { return start(id, place()); }
  Process& start(const std::string& id, const Words& where) {
    auto& process = instances_[id];
    process = start_tenure(Words{"poll", "--id", id} + options_.words + where);
    return *process;
  }
  Process& operator[](const std::string& id) { return *instances_.at(id); }
  // The last of them is ready when all of them are.
  void start_all(const Ids& ids) {
    for (const auto& id : ids) start(id);
    ASSERT_TRUE(wait_until([&] { return shared_by(ids); }, std::chrono::seconds(15))) << told();
  }

  // Who owns what, by most of the nodes.
  Leases leases() {
    std::vector<std::string> command{"MGET"};
    for (const auto& id : sessions_) command.push_back("poll:lease:" + id);
    std::map<std::pair<std::string, std::string>, std::size_t> votes;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto values = nodes[node].command(command).items;
      for (std::size_t i = 0; i < values.size(); ++i) votes[{sessions_.at(i), values[i].text}] += 1;
    }
    Leases leases;
    for (const auto& [vote, count] : votes) {
      const auto holder = redis::read_holder(vote.second);
      if (count > nodes.size() / 2 && !vote.second.empty() && !holder.waits && holder.token != 0)
        leases[vote.first] = holder;
    }
    return leases;
  }
  std::string lease_value(const std::string& session) {
    return nodes[0].command({"GET", "poll:lease:" + session}).text;
  }
  std::map<std::string, std::size_t> shares() {
    std::map<std::string, std::size_t> shares;
    for (const auto& [session, holder] : leases()) shares[holder.owner] += 1;
    return shares;
  }
  // Do these and no others have all sessions, within one of an even share?
  bool shared_by(const Ids& ids) {
    const auto now = shares();
    std::size_t all = 0;
    for (const auto& [id, count] : now) {
      if (std::ranges::find(ids, id) == ids.end()) return false;
      if (count < sessions_.size() / ids.size() || count > (sessions_.size() + ids.size() - 1) / ids.size())
        return false;
      all += count;
    }
    return all == sessions_.size();
  }
  bool owned_by(const Ids& ids) {
    const auto now = leases();
    return now.size() == sessions_.size() && std::ranges::all_of(now, [&](const auto& it) {
             return std::ranges::find(ids, it.second.owner) != ids.end();
           });
  }

  // Which sessions have been polled since then, by a visit that passes.
  template <class Passes>
  std::set<std::string> polled(core::Time since, const Passes& passes) const {
    std::set<std::string> polled;
    for (const auto& visit : target->visits()) {
      if (visit.began >= since && passes(visit)) polled.insert(visit.session);
    }
    return polled;
  }
  std::set<std::string> polled(core::Time since) const {
    return polled(since, [](const Visit&) { return true; });
  }
  bool all_are_polled(core::Time since, std::chrono::milliseconds within = std::chrono::seconds(10)) const {
    return wait_until([&] { return polled(since).size() == sessions_.size(); }, within);
  }

  // What the instances have said, as JSON: how many lines name this event, of that session.
  std::size_t said(const std::string& id, const std::string& event, const std::string& session = {}) const {
    std::istringstream lines(instances_.at(id)->out());
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) {
      const bool same = has(line, R"("event": ")" + event + '"');
      if (same && (session.empty() || has(line, R"("session": ")" + session + '"'))) count += 1;
    }
    return count;
  }
  // How often anybody has taken it.
  std::size_t times_taken(const std::string& session) const {
    std::size_t count = 0;
    for (const auto& [id, process] : instances_) count += said(id, "lease_acquired", session);
    return count;
  }
  std::string told() const {
    std::string all;
    for (const auto& [id, process] : instances_) {
      const std::string out = process->out();
      all += "--- " + id + '\n' + out.substr(out.size() - std::min<std::size_t>(out.size(), 3'000));
      all += process->err();
    }
    return all;
  }

  // Nobody was there while another was, tokens grew, and each was of one instance.
  void judge() const {
    const auto visits = target->visits();
    EXPECT_GT(visits.size(), 0U);
    EXPECT_EQ(http_target::overlaps(visits), 0U) << told();
    std::map<std::pair<std::string, std::uint64_t>, std::string> whose;
    for (const auto& visit : visits) {
      const auto [it, first] = whose.try_emplace({visit.session, visit.token}, visit.instance);
      EXPECT_EQ(it->second, visit.instance) << visit.session << " with one token " << visit.token;
    }
  }

  Nodes nodes;
  std::unique_ptr<http_target::HttpTarget> target = http_target::HttpTarget::open().value();

 private:
  PollFleetOptions options_;
  std::unique_ptr<RedisServer> data_;
  Ids sessions_;
  std::map<std::string, std::unique_ptr<Process>> instances_;
};

}  // namespace tenure::test
