// The connection to one API server: requests of the core as tasks on Leases. Those on one name are done one after the other, in the order
// in which they were asked (T12); names do not wait for each other.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "http_client/http_calls.hpp"
#include "kubernetes/lease_task.hpp"
#include "kubernetes/net/shared.hpp"
#include "runtime/store/connection.hpp"

namespace tenure::kubernetes {

class KubernetesLink : public runtime::Connection {
 public:
  // The record is that of every connection: an API server forgets nothing, and asks nobody for terms. What is shared lives longer.
  KubernetesLink(core::NodeIndex node, core::Record record, core::Duration clock_ahead, Shared& shared);

  void ask(core::RequestId id, core::Request request, core::Time now, runtime::News& news) override;
  void flush(runtime::News& news) override;
  void on_ready(core::Time now, runtime::News& news) override;
  void drop(const core::Failure& why, runtime::News& news) override;
  void give_up(core::RequestId id, const core::Failure& why, runtime::News& news) override;

  runtime::Awaited awaited() const override { return calls_.awaited(); }
  bool waiting() const override { return !questions_.empty(); }
  bool carries(core::RequestId id) const override { return questions_.contains(id); }

 private:
  // What was asked, and what has come of it for each of its names.
  struct Question {
    core::Request request;
    std::vector<std::optional<Outcome>> outcomes{};
    std::size_t open = 0;
    bool sent = false;
  };
  // One name of a question.
  struct Errand {
    core::RequestId id{};
    std::size_t index = 0;
    LeaseTask task;
    ApiCall call{};  // under way
    std::optional<http_client::HttpCallId> under{};
    bool asked_again = false;  // with another token
  };
  using Queue = std::deque<Errand>;

  bool answered_at_once(core::RequestId id, const core::Request& request, core::Time now,
                        runtime::News& news);
  void add_errands(core::RequestId id, runtime::News& news);
  void begin_some(runtime::News& news);
  void take_step(const std::string& object, Step step, runtime::News& news);
  void send(const std::string& object, runtime::News& news);
  void hear(http_client::HttpNews news_of_call, runtime::News& news);
  void end(const std::string& object, Outcome outcome, runtime::News& news);
  void note(const Errand& errand, const Question& question, const Outcome& outcome);
  void tell(core::RequestId id, runtime::News& news);

  core::NodeIndex node_;
  core::Record record_;
  core::Duration clock_ahead_;
  Shared& shared_;
  http_client::HttpCalls calls_;
  bool admitted_ = false;
  std::map<core::RequestId, Question> questions_{};
  std::map<std::string, Queue> queues_{};  // by object; the first of each is under way or in next_
  std::map<http_client::HttpCallId, std::string> under_way_{};  // for which object
  std::deque<std::string> next_{};                              // objects whose first errand is to begin
  std::uint64_t last_call_ = 0;
};

}  // namespace tenure::kubernetes
