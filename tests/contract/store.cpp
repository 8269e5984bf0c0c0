#include "contract/store.hpp"

#include <algorithm>
#include <utility>

#include "redis/net/redis_node.hpp"
#include "redis/net/redis_store.hpp"
#include "redis/url.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/wait_for.hpp"
#include "support/memory_store.hpp"
#include "support/nodes.hpp"
#include "support/redis_server.hpp"

namespace tenure::test {

using runtime::boot_now;

namespace {

class Memory : public Store {
 public:
  std::shared_ptr<runtime::Node> node() override { return store_.node(); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override { return store_.node(terms); }
  std::shared_ptr<const runtime::Store> open() override { return store_.open(); }
  LockName own_name() override { return {"own/", "name"}; }
  void lose_everything() override { store_.lose_everything(); }
  void go_away() override { store_.go_away(); }

 private:
  MemoryStore store_{terms()};
};

class Redis : public Store {
 public:
  Redis() { init(server_, terms().cap, terms().set); }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    const redis::Nodes nodes = nodes_of(terms);
    return redis::make_nodes(nodes.addresses, nodes.keyspace, nodes.tls).front();
  }
  std::shared_ptr<const runtime::Store> open() override { return redis::store_of(nodes_of(terms())); }
  LockName own_name() override { return {"tenure:", "fence"}; }
  void lose_everything() override { server_.restart(); }
  void go_away() override { server_.kill(); }

 private:
  redis::Nodes nodes_of(const core::Terms& terms) const {
    redis::Nodes nodes{{redis::parse_url(server_.url()).value()}};
    nodes.keyspace.cap = terms.cap;
    nodes.keyspace.set = terms.set;
    return nodes;
  }

  RedisServer server_;
};

template <class Kind>
std::unique_ptr<Store> make() {
  return std::make_unique<Kind>();
}

}  // namespace

std::vector<StoreKind> all_stores() { return {{"Memory", make<Memory>}, {"Redis", make<Redis>}}; }

core::Reply Asking::ask(core::Request request) { return end(begin(std::move(request))); }

core::RequestId Asking::begin(core::Request request) {
  const core::RequestId id{++last_id_};
  runtime::News news;
  connection_->ask(id, std::move(request), boot_now(), news);
  connection_->flush(news);
  note(news);
  return id;
}

core::Reply Asking::end(core::RequestId id) {
  const core::Time deadline = boot_now() + std::chrono::seconds(10);
  while (true) {
    const auto found = std::ranges::find(answers_, id, &runtime::News::Answer::id);
    if (found != answers_.end()) {
      core::Reply reply = std::move(found->reply);
      answers_.erase(found);
      return reply;
    }
    const runtime::Awaited awaited = connection_->awaited();
    if (!runtime::wait_for(awaited.fd, awaited.events, deadline)) return core::silence;
    runtime::News news;
    connection_->on_ready(boot_now(), news);
    note(news);
  }
}

void Asking::drop(const core::Failure& why) {
  runtime::News news;
  connection_->drop(why, news);
  note(news);
}

void Asking::note(runtime::News& news) {
  for (auto& answer : news.answers) answers_.push_back(std::move(answer));
  for (auto& [node, record] : news.admitted) admitted_ = std::move(record);
}

Hearing::Hearing(std::shared_ptr<runtime::Node> node, std::unique_ptr<runtime::Subscription> subscription)
    : node_(std::move(node)), subscription_(std::move(subscription)) {
  subscription_->open(boot_now(), random_);
  while (!subscription_->listening()) go_on(std::chrono::seconds(1));
}

std::optional<runtime::Message> Hearing::next(core::Duration within) {
  const core::Time deadline = boot_now() + within;
  while (messages_.empty() && boot_now() < deadline) go_on(deadline - boot_now());
  if (messages_.empty()) return std::nullopt;
  runtime::Message first = std::move(messages_.front());
  messages_.erase(messages_.begin());
  return first;
}

void Hearing::go_on(core::Duration within) {
  const runtime::Awaited awaited = subscription_->awaited();
  if (runtime::wait_for(awaited.fd, awaited.events, boot_now() + within)) {
    subscription_->on_ready(boot_now(), random_, messages_);
  }
}

}  // namespace tenure::test
