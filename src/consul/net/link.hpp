// The connection to one Consul: a record that its client was admitted with, and requests under way, each a coroutine. Those that name
// the same key follow each other, and others go at the same time.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "consul/net/desk.hpp"
#include "consul/net/observer.hpp"
#include "consul/turns.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::consul {

class Link : public runtime::Connection {
 public:
  Link(core::NodeIndex node, std::shared_ptr<Shared> shared);
  ~Link() override { end_all(); }

  void ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) override;
  void flush(runtime::News& news) override;
  void on_ready(core::Time now, runtime::News& news) override;
  void drop(const core::Failure& why, runtime::News& news) override;
  // Requests do not share what carries them, so that the others go on.
  void give_up(core::RequestId id, const core::Failure& why, runtime::News& news) override;

  runtime::Awaited awaited() const override;
  bool waiting() const override { return !asked_.empty(); }
  bool carries(core::RequestId id) const override;

 private:
  // What a request may be given, or may leave with us though it was to take that back.
  struct Wanted {
    std::string key;
    core::Grant grant;
    core::Ttl ttl{};
    bool release = false;
  };
  static std::vector<Wanted> wanted_of(const core::Request& request);
  struct Asked {
    core::RequestId id{};
    core::Request request;
    std::vector<std::string> keys;
    std::vector<Wanted> wanted;
    core::Time now{};
    bool wrote = false;
    std::optional<Task<core::Reply>> work{};  // once it is under way
  };
  using Place = std::list<Asked>::iterator;

  Desk desk_for(Owner owner, bool& wrote, core::Time now);
  void begin_admission();
  void begin(Asked& asked);
  // Begins what may go, and tells what is done, until nothing of that is left.
  void go_on(runtime::News& news);
  bool begin_those_who_may();
  bool tell_those_done(runtime::News& news);
  void end_admission(runtime::News& news);
  void end(Place asked, core::Reply reply, runtime::News& news);
  void doubt(const Asked& asked, core::Applied applied);
  void end_all();

  core::NodeIndex node_;
  std::shared_ptr<Shared> shared_;
  Standing standing_{};
  std::vector<core::Record> admitted_{};
  SessionMaker maker_{};
  Talk talk_;
  Observer observer_{talk_};
  Turns turns_{};
  std::list<Asked> asked_{};  // in their order
  std::optional<Task<Done>> admission_{};
  bool admission_wrote_ = false;
};

}  // namespace tenure::consul
