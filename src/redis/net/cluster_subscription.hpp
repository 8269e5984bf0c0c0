// Messages of one channel from all masters of a Redis Cluster: a script there knows only who listens to the server where it runs.
// Every server hears of every message, so that each comes several times; it is given once.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "redis/net/cluster_map_search.hpp"
#include "redis/net/cluster_view.hpp"
#include "redis/net/subscriber.hpp"
#include "runtime/net/ready_set.hpp"
#include "runtime/store/subscription.hpp"

namespace tenure::redis {

class ClusterSubscription : public runtime::Subscription {
 public:
  // Address and TLS live longer than this.
  ClusterSubscription(const Address& address, std::string channel, const runtime::Tls& tls, SharedView view,
                      Subscriber::Read read);

  void open(core::Time now, core::Random& random) override;
  void on_ready(core::Time now, core::Random& random, std::vector<runtime::Message>& messages) override;
  void on_timer(core::Time now, core::Random& random) override;
  void close() override;

  runtime::Awaited awaited() const override;
  std::optional<core::Time> wake() const override;
  // All masters that are known.
  bool listening() const override;

 private:
  // To one master.
  struct Ear {
    runtime::ReadySet::Key key = 0;
    Address address{};
    std::optional<Subscriber> subscriber{};
  };
  struct Given {
    std::string text;
    core::Time at{};
    std::set<runtime::ReadySet::Key> by{};  // what has brought it so far
  };

  // Hears the masters that the map names, and no others.
  void follow_map(core::Time now, core::Random& random);
  void search(core::Time now);
  void step_search(core::Time now);
  bool is_new(const std::string& text, runtime::ReadySet::Key by);
  void watch();

  const Address& address_;
  std::string channel_;
  const runtime::Tls& tls_;
  SharedView view_;
  Subscriber::Read read_;
  bool opened_ = false;
  runtime::ReadySet ready_;
  std::map<std::string, std::unique_ptr<Ear>> ears_;  // by where
  runtime::ReadySet::Key last_key_ = 0;
  core::Time followed_ = core::long_ago;  // when the map was asked for by which they were chosen
  Lookups lookups_;
  std::optional<ClusterMapSearch> search_{};
  core::Time search_began_{};
  std::optional<core::Time> search_due_{};  // the last one has failed
  std::deque<Given> given_;
  core::Time now_{};
  std::uint64_t connection_ = runtime::next_connection();
};

}  // namespace tenure::redis
