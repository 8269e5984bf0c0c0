// What a client does in a world whose node is a Redis Cluster: the shipped router decides whom it asks what, and here are its
// connections, and what the servers say of who serves which slot.
#include <algorithm>
#include <utility>

#include "core/base/check.hpp"
#include "sim/world/client.hpp"

namespace tenure::sim {

namespace {

const core::Failure closed{core::Applied::perhaps, core::FailureCode::closed, "closed"};
const core::Failure no_map{core::Applied::no, core::FailureCode::unreachable,
                           "no server says who serves what"};

// The shortest time that has this patience.
Duration at_least(int patience) { return std::chrono::milliseconds(std::int64_t{1} << (patience - 1)); }

}  // namespace

std::size_t Client::counter_of(std::size_t node, const std::string& key) const {
  return shared_.cluster != nullptr ? shared_.cluster->node_of(key) : node;
}

Client::ClusterLine& Client::cluster_line_for(const core::Send& send) {
  const int patience = core::patience_of(send);
  for (ClusterLine& line : cluster_lines_) {
    if (line.patience == patience) return line;
  }
  const redis::Router::Us us{
      {"", shared_.plan.password ? "secret" : "", 0},
      setup_.keyspace,
      [this] { return redis::Introduction{random_.hex16(), wall_.read(shared_.schedule.now()).ms()}; },
      seen_.front()};
  // As long as the runtime waits, in the measure of this world.
  const redis::Router::Limits limits{shared_.plan.timing.ttl / 4, at_least(patience) * 3 / 4};
  return cluster_lines_.emplace_back(ClusterLine{patience, redis::Router(us, limits)});
}

// Says what there is to say, and asks who serves what, if that is wanted.
void Client::go_on(ClusterLine& line) {
  for (const auto server : line.router.stirred()) {
    ClusterLine::Wire& wire = line.wires[server];
    if (!wire.connection) {
      dial(line, server);
    } else {
      say(line, server);
    }
  }
  if (line.router.wants_map() && !line.asks_map) ask_map(line);
  arm_timer(line);
}

void Client::dial(ClusterLine& line, redis::Router::ServerId server) {
  ClusterLine::Wire& wire = line.wires[server];
  const std::uint64_t number = ++wire.number;
  const std::size_t to = Cluster::server_at(line.router.where(server));
  wire.connection =
      shared_.network.connect(index_, to, [this, &line, server, number, alive = std::weak_ptr(alive_)] {
        if (alive.expired()) return;
        when_running([this, &line, server, number] {
          const ClusterLine::Wire& dialled = line.wires[server];
          if (number != dialled.number || !dialled.connection) return;
          line.router.on_open(server);
          say(line, server);
        });
      });
}

void Client::say(ClusterLine& line, redis::Router::ServerId server) {
  const ClusterLine::Wire& wire = line.wires[server];
  for (auto& command : line.router.take_commands(server)) {
    shared_.network.send(wire.connection, std::move(command),
                         [this, &line, server, number = wire.number, alive = std::weak_ptr(alive_)](
                             const redis::Command&, const redis::Value& value) {
                           if (alive.expired()) return;
                           when_running([this, &line, server, number, value] {
                             if (number == line.wires[server].number && line.wires[server].connection)
                               hear(line, server, value);
                           });
                         });
  }
}

void Client::hear(ClusterLine& line, redis::Router::ServerId server, const redis::Value& value) {
  redis::Router::Heard heard;
  const auto used = line.router.on_value(server, value, now(), heard);
  take(line, heard);
  if (!used) hang_up(line, server, closed);
}

void Client::take(ClusterLine& line, redis::Router::Heard& heard) {
  line.router.flush();
  go_on(line);
  tell(heard);
}

void Client::tell(const redis::Router::Heard& heard) {
  for (const auto& it : heard.admitted) {
    agent_.on_admitted(0, it.record, now(), it.part);
    arm_timer();
  }
  for (const auto& answer : heard.answers) on_answer(answer);
}

// What it carried has failed.
void Client::hang_up(ClusterLine& line, redis::Router::ServerId server, const core::Failure& why) {
  if (!line.wires[server].connection) return;
  line.wires[server].connection.reset();
  redis::Router::Heard heard;
  line.router.on_end(server, why, now(), heard);
  take(line, heard);
}

// Told as it was when the servers were asked. Now and then nobody answers, or only as late as anybody waits for that; or those who
// answer have not heard yet who serves some of the slots now.
void Client::ask_map(ClusterLine& line) {
  line.asks_map = true;
  const bool bad = !shared_.network.is_calm() && has(shared_.plan.faults, Fault::delay);
  const bool lost = bad && random_.below(8) == 0;
  std::optional<std::size_t> still;
  if (bad && random_.below(4) == 0) still = random_.below(shared_.cluster->servers());
  const core::Time asked = now();
  Duration length = shared_.plan.delay_usual * 2;
  if (lost || (bad && random_.below(4) == 0))
    length = random_.between(Duration::zero(), at_least(line.patience) / 2);
  shared_.schedule.in(
      length, [this, &line, lost, asked, map = shared_.cluster->map(still), alive = std::weak_ptr(alive_)] {
        if (alive.expired()) return;
        when_running([this, &line, lost, asked, map] {
          line.asks_map = false;
          redis::Router::Heard heard;
          if (lost) {
            line.router.on_no_map(no_map, now(), heard);
          } else {
            line.router.on_map(map, asked, now(), heard);
          }
          take(line, heard);
        });
      });
}

void Client::arm_timer(ClusterLine& line) {
  const auto wake = line.router.wake();
  if (!wake) return;
  const TrueTime when = std::max(clock_.when(*wake), shared_.schedule.now());
  if (line.timer && *line.timer <= when) return;
  line.timer = when;
  shared_.schedule.at(when, [this, &line, when, alive = std::weak_ptr(alive_)] {
    if (alive.expired() || line.timer != when) return;
    line.timer.reset();
    when_running([this, &line] { on_timer(line); });
  });
}

void Client::on_timer(ClusterLine& line) {
  redis::Router::Heard heard;
  const auto servers = line.router.overdue(now(), heard);
  take(line, heard);
  for (const auto server : servers) hang_up(line, server, core::silence);
}

// Some of its connections to that server, or all.
void Client::on_server_closed(std::size_t server) {
  std::vector<std::pair<ClusterLine*, redis::Router::ServerId>> open;
  for (ClusterLine& line : cluster_lines_) {
    for (const auto& [id, wire] : line.wires) {
      if (wire.connection && Cluster::server_at(line.router.where(id)) == server)
        open.emplace_back(&line, id);
    }
  }
  if (open.size() > 1 && random_.below(4) == 0) {
    std::swap(open.front(), open[random_.below(open.size())]);
    open.resize(1);
  }
  std::vector<std::uint64_t> numbers;
  for (const auto& [line, id] : open) numbers.push_back(line->wires.at(id).number);
  when_running([this, server, open, numbers, subscription = subscriptions_[server].number] {
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto& [line, id] = open[i];
      if (line->wires[id].number == numbers[i]) hang_up(*line, id, closed);
    }
    if (subscription == subscriptions_[server].number) close_subscription(server);
  });
}

}  // namespace tenure::sim
