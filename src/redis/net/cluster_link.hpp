// The connections to the masters of one Redis Cluster, as one: made when there is something to ask, each closed for good after
// any doubt. What goes where is for the router to say; this moves the bytes.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "redis/cluster/router.hpp"
#include "redis/net/cluster_map_search.hpp"
#include "redis/net/cluster_view.hpp"
#include "redis/net/wire.hpp"
#include "runtime/net/ready_set.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::redis {

class ClusterLink : public runtime::Connection {
 public:
  // Address and TLS live longer than this. What is asked has at least that patience.
  ClusterLink(core::NodeIndex node, const Address& address, Router::Us us, const runtime::Tls& tls,
              SharedView view, core::Duration patience);

  void ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) override;
  void flush(runtime::News& news) override;
  void on_ready(core::Time now, runtime::News& news) override;
  void drop(const core::Failure& why, runtime::News& news) override;
  void give_up(core::RequestId id, const core::Failure& why, runtime::News& news) override;

  runtime::Awaited awaited() const override;
  bool waiting() const override { return router_.waiting(); }
  bool carries(core::RequestId id) const override { return router_.carries(id); }

 private:
  // To one server.
  struct Line {
    Line(const Address& to, const runtime::Tls& tls, core::Duration patience)
        : address(to), wire(address, tls, patience) {}
    Address address;
    Wire wire;
    core::Time used = core::long_ago;
  };

  Line& line_to(Router::ServerId server);
  void look_at_idle();
  // Whatever follows from what was said so far.
  void go_on(runtime::News& news);
  bool has_more_to_do() const;
  void tend_map();
  void step_search();
  void take_map(SlotMap map, core::Time asked);
  void speak(Router::ServerId server);
  void on_dialing(Router::ServerId server, Line& line);
  void hear(Router::ServerId server, Line& line);
  void end(Router::ServerId server, const core::Failure& why);
  void set_timer();
  void watch();
  void tell(runtime::News& news);

  core::NodeIndex node_;
  const Address& address_;
  const runtime::Tls& tls_;
  SharedView view_;
  core::Duration patience_;
  Router router_;
  Router::Heard heard_{};
  runtime::ReadySet ready_;
  std::map<Router::ServerId, std::unique_ptr<Line>> lines_;
  Lookups lookups_;
  std::optional<ClusterMapSearch> search_{};
  core::Time search_began_{};
  core::Time map_taken_ = core::long_ago;  // when the map was asked for that the router has
  runtime::Descriptor timer_;
  std::optional<core::Time> timer_due_{};
  core::Time now_{};
  std::uint64_t connection_ = runtime::next_connection();
};

}  // namespace tenure::redis
