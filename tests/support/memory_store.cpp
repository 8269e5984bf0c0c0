#include "support/memory_store.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/overload.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/net/event_descriptor.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::test {

using core::Grant;
using core::KeyAnswer;
using core::Ttl;
using runtime::boot_now;

namespace {

constexpr Ttl turn_of_waiter{250};

// What one side puts in and the other takes out, when its descriptor is readable.
template <class Item>
class Inbox {
 public:
  void put(Item item) {
    items_.push_back(std::move(item));
    eventfd_write(ready_.get(), 1);
  }
  std::deque<Item> take() {
    eventfd_t count = 0;
    eventfd_read(ready_.get(), &count);
    return std::exchange(items_, {});
  }
  void wake() { eventfd_write(ready_.get(), 1); }
  int fd() const { return ready_.get(); }

 private:
  runtime::Descriptor ready_ = runtime::make_event_descriptor();
  std::deque<Item> items_;
};

struct Answer {
  core::RequestId id{};
  core::Reply reply;
};
struct Dialogue {
  Inbox<Answer> answers;
  core::Terms terms;
  std::string epoch;  // that it was admitted to
  bool broken = false;
};
struct Channel {
  Inbox<runtime::Message> messages;
  std::string name;  // of an owner, or of a fleet
  bool broken = false;
};

const core::Failure broke{core::Applied::perhaps, core::FailureCode::closed, "the store has gone away"};

}  // namespace

// All of it with the mutex locked.
struct MemoryStore::Server {
  struct Lease {
    Grant grant;
    core::Token token = 0;
    core::Time ends{};
    bool kept = false;  // for a waiter, by its ticket
  };
  struct Instance {
    core::Beat beat;
    core::Time ends{};
    std::vector<core::SessionHash> owned{};
  };

  explicit Server(core::Terms wanted) : terms(std::move(wanted)) { begin("new", true); }

  void begin(const std::string& why, bool open) {
    fence = std::max<core::Token>(fence, static_cast<core::Token>(runtime::wall_now_ms()) * 1000);
    record = {terms,
              "epoch" + std::to_string(++epochs),
              open,
              runtime::wall_now_ms(),
              runtime::wall_now_ms(),
              terms.cap,
              why};
  }

  core::FoundRecord found() const {
    return {record, record.epoch + (record.open ? " open" : " quarantined")};
  }

  // To an epoch, and by the same terms.
  bool admitted(const Dialogue& by) const { return by.terms == terms && by.epoch == record.epoch; }

  Lease* find(const std::string& key) {
    const auto it = leases.find(key);
    if (it == leases.end()) return nullptr;
    if (boot_now() < it->second.ends) return &it->second;
    leases.erase(it);
    return nullptr;
  }

  core::Reply answer(const core::Request& request, const Dialogue& by) {
    return std::visit([&](const auto& it) { return reply(it, by); }, request);
  }

  core::Reply reply(const core::AcquireRequest& it, const Dialogue& by) {
    if (!record.open || !admitted(by)) return core::NotOpen{found()};
    Lease* lease = find(it.key);
    auto& queue = queues[it.key];
    const auto place = it.ticket ? std::ranges::find(queue, *it.ticket) : queue.end();
    if (lease != nullptr && lease->grant == it.grant && !lease->kept) {
      lease->ends = boot_now() + it.ttl;
      return core::Granted{lease->token};
    }
    if (lease != nullptr && !(lease->kept && it.ticket == lease->grant)) {
      core::Held held{{std::string(lease->grant.owner()), lease->kept ? 0 : lease->token, lease->kept},
                      left(lease->ends)};
      if (it.ticket) {
        held.ahead = static_cast<int>(place - queue.begin());
        if (place == queue.end()) queue.push_back(*it.ticket);
      }
      return held;
    }
    if (place != queue.end()) queue.erase(place);
    const bool mints_proposal =
        it.proposal > fence && it.proposal <= static_cast<core::Token>(runtime::wall_now_ms()) * 1000;
    fence = mints_proposal ? it.proposal : fence + 1;
    leases[it.key] = {it.grant, fence, boot_now() + it.ttl};
    return core::Granted{fence};
  }

  core::Reply reply(const core::ConfirmRequest& it, const Dialogue&) {
    Lease* lease = find(it.key);
    if (lease == nullptr) return core::KeyAnswers{KeyAnswer::missing};
    if (lease->kept || lease->grant != it.grant) return core::KeyAnswers{KeyAnswer::foreign};
    lease->token = it.token;
    fence = std::max(fence, it.token);
    return core::KeyAnswers{KeyAnswer::done};
  }

  core::Reply reply(const core::RenewRequest& it, const Dialogue& by) {
    if (by.terms != terms) return core::NotOpen{found()};
    core::KeyAnswers answers;
    for (const core::Holding& item : it.items) {
      Lease* lease = find(item.key);
      const bool ours =
          lease != nullptr && !lease->kept && lease->grant == item.grant && lease->token == item.token;
      if (ours) lease->ends = boot_now() + it.ttl;
      answers.push_back(lease == nullptr ? KeyAnswer::missing : ours ? KeyAnswer::done : KeyAnswer::foreign);
    }
    return answers;
  }

  core::Reply reply(const core::ReassertRequest& it, const Dialogue& by) {
    if (!admitted(by)) return core::NotOpen{found()};
    core::KeyAnswers answers;
    for (const core::Holding& item : it.items) {
      const Lease* lease = find(item.key);
      const bool install = lease == nullptr
                               ? it.heal || !record.open
                               : lease->grant == item.grant || (!record.open && lease->token <= item.token);
      if (install) {
        leases[item.key] = {item.grant, item.token, boot_now() + it.ttl};
        fence = std::max(fence, item.token);
      }
      answers.push_back(install            ? KeyAnswer::done
                        : lease == nullptr ? KeyAnswer::missing
                                           : KeyAnswer::foreign);
    }
    return answers;
  }

  core::Reply reply(const core::ReleaseRequest& it, const Dialogue&) {
    auto& queue = queues[it.key];
    if (it.ticket) std::erase(queue, *it.ticket);
    Lease* lease = find(it.key);
    if (lease == nullptr) return core::KeyAnswers{KeyAnswer::missing};
    const bool ours = lease->kept ? it.ticket == lease->grant : lease->grant == it.grant;
    if (!ours) return core::KeyAnswers{KeyAnswer::foreign};
    leases.erase(it.key);
    if (it.wake) pass_on(it.key);
    return core::KeyAnswers{KeyAnswer::done};
  }

  // Whoever waits and listens is called, and the name kept for it a moment.
  void pass_on(const std::string& key) {
    auto& queue = queues[key];
    while (!queue.empty()) {
      const Grant ticket = queue.front();
      queue.pop_front();
      if (!tell(std::string(ticket.owner()), runtime::WakeUp{ticket, {}})) continue;
      leases[key] = {ticket, 0, boot_now() + turn_of_waiter, true};
      return;
    }
  }

  bool tell(const std::string& channel, const runtime::Message& message) {
    bool heard = false;
    for (const auto& it : channels) {
      if (it->name != channel || it->broken) continue;
      it->messages.put(message);
      heard = true;
    }
    return heard;
  }

  core::Reply reply(const core::OpenRequest& it, const Dialogue&) {
    if (record.epoch != it.epoch || record.made_ms != it.made_ms) return core::NotOpen{found()};
    record.open = true;
    return core::Opened{};
  }

  static core::Reply reply(const core::ClockRequest&, const Dialogue&) {
    return core::NodeClock{std::chrono::milliseconds(runtime::wall_now_ms())};
  }

  core::Reply reply(const core::LookRequest& it, const Dialogue&) {
    core::KeyStates states;
    for (const std::string& key : it.keys) {
      core::KeyState state;
      if (const Lease* lease = find(key)) {
        state = {core::Holder{std::string(lease->grant.owner()), lease->token, lease->kept}, lease->grant,
                 left(lease->ends)};
      }
      state.waiters = static_cast<std::int64_t>(queues[key].size());
      states.push_back(std::move(state));
    }
    return states;
  }

  core::Reply reply(const core::BeatRequest& it, const Dialogue&) {
    auto& fleet = fleets[it.fleet];
    std::erase_if(fleet, [](const auto& member) { return member.second.ends <= boot_now(); });
    const auto known = fleet.find(it.id);
    if (known != fleet.end() && known->second.beat.boot != it.beat.boot) {
      return core::IdTaken{left(known->second.ends)};
    }
    if (it.ttl == Ttl::zero()) {
      if (fleet.erase(it.id) > 0) tell(it.fleet, core::FleetChange::instances);
    } else {
      if (known == fleet.end()) tell(it.fleet, core::FleetChange::instances);
      fleet[it.id] = {it.beat, boot_now() + it.ttl, it.owned};
    }
    core::LiveMembers live;
    for (const auto& [id, member] : fleet) {
      live.members.push_back(
          {id, member.beat.weight, member.beat.owned, left(member.ends), member.beat.digest});
    }
    return live;
  }

  core::Reply reply(const core::ListsRequest& it, const Dialogue&) {
    const auto& fleet = fleets[it.fleet];
    core::Lists lists;
    for (const std::string& id : it.ids) {
      const auto found = fleet.find(id);
      const bool lives = found != fleet.end() && found->second.ends > boot_now();
      lists.push_back(lives ? std::optional(found->second.owned) : std::nullopt);
    }
    return lists;
  }

  void break_connections() const {
    for (const auto& dialogue : dialogues) {
      dialogue->broken = true;
      dialogue->answers.wake();
    }
    for (const auto& channel : channels) {
      channel->broken = true;
      channel->messages.wake();
    }
  }

  static Ttl left(core::Time ends) { return std::chrono::ceil<Ttl>(ends - boot_now()); }

  std::mutex mutex;
  const core::Terms terms;
  core::Record record;
  int epochs = 0;
  core::Token fence = 0;
  std::map<std::string, Lease> leases;
  std::map<std::string, std::deque<Grant>> queues;
  std::map<std::string, std::map<std::string, Instance>> fleets;  // by what their keys begin with
  std::vector<std::shared_ptr<Dialogue>> dialogues;
  std::vector<std::shared_ptr<Channel>> channels;
  bool hangs = false;
  bool away = false;
  std::vector<std::pair<std::shared_ptr<Dialogue>, Answer>> unsaid;  // while it does
};

namespace {

using Server = MemoryStore::Server;

class MemoryConnection : public runtime::Connection {
 public:
  MemoryConnection(core::NodeIndex node, core::Terms terms, std::shared_ptr<Server> server)
      : node_(node), terms_(std::move(terms)), server_(std::move(server)) {}
  ~MemoryConnection() override { leave(); }

  void ask(core::RequestId id, core::Request request, core::Time, runtime::News&) override {
    unsent_.push_back({id, std::move(request)});
  }

  void flush(runtime::News& news) override {
    if (unsent_.empty()) return;
    const std::lock_guard lock(server_->mutex);
    if (!dialogue_) connect(news);
    for (auto& [id, request] : std::exchange(unsent_, {})) {
      waiting_.push_back(id);
      Answer answer{id, server_->answer(request, *dialogue_)};
      // Who was admitted to an epoch that is over asks to be admitted again.
      if (std::holds_alternative<core::NotOpen>(answer.reply)) admit(news);
      if (server_->hangs) {
        server_->unsaid.emplace_back(dialogue_, std::move(answer));
      } else {
        dialogue_->answers.put(std::move(answer));
      }
    }
  }

  void on_ready(core::Time, runtime::News& news) override {
    if (!dialogue_) return;
    std::unique_lock lock(server_->mutex);
    for (Answer& answer : dialogue_->answers.take()) {
      std::erase(waiting_, answer.id);
      news.answers.push_back({answer.id, std::move(answer.reply)});
    }
    const bool broken = dialogue_->broken;
    lock.unlock();
    if (broken) drop(broke, news);
  }

  void drop(const core::Failure& why, runtime::News& news) override {
    for (const core::RequestId id : std::exchange(waiting_, {})) news.answers.push_back({id, why});
    for (const auto& asked : std::exchange(unsent_, {})) {
      news.answers.push_back({asked.id, core::Failure{core::Applied::no, why.code, why.detail}});
    }
    leave();
  }

  runtime::Awaited awaited() const override {
    if (!dialogue_) return {};
    return {dialogue_->answers.fd(), POLLIN, connection_};
  }
  bool waiting() const override { return !waiting_.empty() || !unsent_.empty(); }
  bool carries(core::RequestId id) const override {
    return std::ranges::find(waiting_, id) != waiting_.end() ||
           std::ranges::find(unsent_, id, &Asked::id) != unsent_.end();
  }

 private:
  struct Asked {
    core::RequestId id{};
    core::Request request;
  };

  void connect(runtime::News& news) {
    dialogue_ = std::make_shared<Dialogue>();
    dialogue_->terms = terms_;
    connection_ = runtime::next_connection();
    server_->dialogues.push_back(dialogue_);
    admit(news);
  }
  void admit(runtime::News& news) {
    if (dialogue_->epoch == server_->record.epoch) return;
    dialogue_->epoch = server_->record.epoch;
    news.admitted.emplace_back(node_, server_->record);
  }
  void leave() {
    if (!dialogue_) return;
    const std::lock_guard lock(server_->mutex);
    std::erase(server_->dialogues, std::exchange(dialogue_, nullptr));
  }

  core::NodeIndex node_;
  core::Terms terms_;
  std::shared_ptr<Server> server_;
  std::shared_ptr<Dialogue> dialogue_;
  std::uint64_t connection_ = 0;
  std::vector<Asked> unsent_;
  std::vector<core::RequestId> waiting_;
};

class MemorySubscription : public runtime::Subscription {
 public:
  MemorySubscription(std::string name, std::shared_ptr<Server> server)
      : name_(std::move(name)), server_(std::move(server)) {}
  ~MemorySubscription() override { close(); }

  void open(core::Time, core::Random&) override {
    if (channel_) return;
    channel_ = std::make_shared<Channel>();
    channel_->name = name_;
    connection_ = runtime::next_connection();
    const std::lock_guard lock(server_->mutex);
    server_->channels.push_back(channel_);
  }
  void on_ready(core::Time, core::Random&, std::vector<runtime::Message>& messages) override {
    if (!channel_) return;
    std::unique_lock lock(server_->mutex);
    for (auto& message : channel_->messages.take()) messages.push_back(std::move(message));
    const bool broken = channel_->broken;
    lock.unlock();
    if (broken) close();
  }
  void on_timer(core::Time, core::Random&) override {}
  void close() override {
    if (!channel_) return;
    const std::lock_guard lock(server_->mutex);
    std::erase(server_->channels, std::exchange(channel_, nullptr));
  }

  runtime::Awaited awaited() const override {
    if (!channel_) return {};
    return {channel_->messages.fd(), POLLIN, connection_};
  }
  std::optional<core::Time> wake() const override { return std::nullopt; }
  bool listening() const override { return channel_ != nullptr; }

 private:
  std::string name_;
  std::shared_ptr<Server> server_;
  std::shared_ptr<Channel> channel_;
  std::uint64_t connection_ = 0;
};

class MemoryNode : public runtime::Node {
 public:
  MemoryNode(core::Terms terms, std::shared_ptr<Server> server)
      : terms_(std::move(terms)), server_(std::move(server)) {}

  std::string name() const override { return "memory"; }
  std::string shown(const core::Grant& grant, core::Token token) const override {
    return std::string(grant.owner()) + " " + std::to_string(token);
  }
  std::unique_ptr<runtime::Connection> connect(core::NodeIndex node, core::Duration /*patience*/) override {
    return std::make_unique<MemoryConnection>(node, terms_, server_);
  }
  std::unique_ptr<runtime::Subscription> wake_ups(const std::string& owner) override {
    return std::make_unique<MemorySubscription>(owner, server_);
  }
  std::unique_ptr<runtime::Subscription> changes(const std::string& fleet) override {
    return std::make_unique<MemorySubscription>(fleet, server_);
  }

 private:
  core::Terms terms_;
  std::shared_ptr<Server> server_;
};

class OpenedMemory : public runtime::Store {
 public:
  explicit OpenedMemory(std::shared_ptr<Server> server)
      : Store({"memory"}, server->terms), server_(std::move(server)) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override {
    return {std::make_shared<MemoryNode>(terms(), server_)};
  }
  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    const std::string key = prefix + name;
    if (key.starts_with("own/")) return tl::unexpected("the name " + name + " is the store's own");
    return "lock/" + key;
  }
  std::string name_in(std::string key) const override {
    if (key.starts_with("lock/")) key.erase(0, 5);
    return key;
  }
  tl::expected<std::string, std::string> fleet_keys(const std::string& fleet) const override {
    if (fleet.empty()) return tl::unexpected(std::string("the fleet has no name"));
    return "fleet/" + fleet + "/";
  }
  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string& url,
                                                           const Tls& tls) const override {
    if (!url.empty()) return tl::unexpected(std::string("nothing is apart from the memory"));
    if (tls != Tls{}) return tl::unexpected(std::string("TLS is set up, and there is no address"));
    return runtime::DataPlace{{"memory:", {}, true}, nullptr};
  }
  runtime::NotOpenText not_open_text(const core::Refusal&, runtime::Patience,
                                     std::optional<core::Duration>) const override {
    return {"memory: it has forgotten its leases", NotOpen{NotOpen::Why::quarantine}};
  }
  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return failures;
  }
  runtime::Answers<core::KeyState> look(const std::string& key, core::Duration) const override {
    const std::lock_guard lock(server_->mutex);
    if (server_->away) return {tl::unexpected(nowhere)};
    return {std::get<core::KeyStates>(server_->reply(core::LookRequest{{key}}, {})).front()};
  }
  runtime::Answers<core::Duration> ping(core::Duration) const override {
    const std::lock_guard lock(server_->mutex);
    if (server_->away) return {tl::unexpected(nowhere)};
    return {core::Duration(1)};
  }

 private:
  static inline const core::Failure nowhere{core::Applied::no, core::FailureCode::unreachable,
                                            "the store is not there"};
  std::shared_ptr<Server> server_;
};

}  // namespace

MemoryStore::MemoryStore(core::Terms terms) : server_(std::make_shared<Server>(std::move(terms))) {}
MemoryStore::~MemoryStore() = default;

std::shared_ptr<runtime::Node> MemoryStore::node() { return node(server_->terms); }
std::shared_ptr<runtime::Node> MemoryStore::node(const core::Terms& terms) {
  return std::make_shared<MemoryNode>(terms, server_);
}

std::shared_ptr<const runtime::Store> MemoryStore::open() const {
  return std::make_shared<OpenedMemory>(server_);
}

void MemoryStore::go_away() {
  const std::lock_guard lock(server_->mutex);
  server_->away = true;
}

void MemoryStore::lose_everything() {
  const std::lock_guard lock(server_->mutex);
  server_->leases.clear();
  server_->queues.clear();
  server_->fleets.clear();
  server_->unsaid.clear();
  server_->begin("unknown", false);
  server_->break_connections();
}

void MemoryStore::break_connections() {
  const std::lock_guard lock(server_->mutex);
  server_->unsaid.clear();
  server_->break_connections();
}

void MemoryStore::hang() {
  const std::lock_guard lock(server_->mutex);
  server_->hangs = true;
}

void MemoryStore::go_on() {
  const std::lock_guard lock(server_->mutex);
  server_->hangs = false;
  for (auto& [dialogue, answer] : std::exchange(server_->unsaid, {}))
    dialogue->answers.put(std::move(answer));
}

}  // namespace tenure::test
