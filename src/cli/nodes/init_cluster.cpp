#include "cli/nodes/init_cluster.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/doctor/node_findings.hpp"
#include "cli/doctor/server_check.hpp"
#include "cli/message.hpp"
#include "cli/nodes/cluster_masters.hpp"
#include "cli/nodes/init_nodes.hpp"
#include "cli/nodes/seen_node.hpp"
#include "cli/plural.hpp"
#include "core/base/text.hpp"
#include "redis/net/speech.hpp"
#include "redis/record_text.hpp"
#include "redis/scripts.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using core::FoundRecord;
using redis::Command;

using Report = std::function<void(const std::string& line)>;

std::string number_of_slots(std::size_t count) { return plural(count, "slot"); }

// A master that was looked at, and by which connection it can be changed.
struct SeenMaster {
  std::optional<redis::Caller> redis{};
  std::string life{};
  std::vector<FoundRecord> records{};  // one for each of its slots
};

// What stands in all slots together.
struct Tally {
  std::size_t absent = 0;
  std::size_t unused = 0;  // nobody has a lease there: no record, or one that only says that there was none
  std::size_t used = 0;
  std::size_t open = 0;             // of those that are used
  std::size_t lives_of_before = 0;  // likewise: written before the server was started or promoted
  std::optional<std::pair<redis::Slot, FoundRecord>> odd{};  // one of another set or cap, or no record at all
  bool all_of_one_init = true;                               // of those that are there
};

// By what the records of one init are known.
struct Begun {
  std::string epoch{};
  std::int64_t wall_ms = 0;

  bool operator==(const Begun&) const = default;
};

// All slots get a record that is closed before the first of them is opened, and all of one epoch. So an init that was
// interrupted is told from one that was completed before data was lost: as long as some slots have no record, none was opened,
// and nobody had a lease anywhere; and a slot that lost its record, and was used since, has an epoch of its own. For slots
// that are all closed or without a record we take the word of who calls this new, as of a single Redis.
class InitCluster {
 public:
  InitCluster(const redis::Nodes& nodes, const Report& report)
      : nodes_(nodes), report_(report), cluster_(nodes.addresses.front()), name_(redis::to_text(cluster_)) {}

  int run() {
    if (const auto why = find_masters()) return fail(ExitCode::no_quorum, name_ + ": " + *why);
    if (!look()) return number(ExitCode::no_quorum);
    const Tally tally = count();
    const bool is_interrupted = tally.used > 0 && tally.absent == 0 && tally.unused > 0 &&
                                tally.all_of_one_init && !tally.odd && tally.lives_of_before == 0;
    if (tally.used > 0 && !is_interrupted) return refuse(tally);
    // What was closed by an init that was interrupted before that goes on under its epoch.
    if (!begun_) begun_ = {runtime::random_from_kernel().hex16(), runtime::wall_now_ms()};
    if (!close_all() || !open_all()) return number(ExitCode::no_quorum);
    return report(tally);
  }

 private:
  std::optional<std::string> find_masters() {
    auto masters = find_all_masters(nodes_, change_timeout);
    if (!masters) return redis::diagnosed(cluster_, masters.error()).detail + "; nothing was changed";
    masters_ = std::move(*masters);
    seen_.resize(masters_.size());
    return std::nullopt;
  }

  bool look() {
    const auto looked =
        ask_masters<bool>(nodes_, masters_, change_timeout,
                          [&](redis::Caller& redis, std::size_t i) { return look_at(redis, i); });
    return all_answered(looked, "nothing was changed");
  }

  tl::expected<bool, Failure> look_at(redis::Caller& redis, std::size_t i) {
    const auto info = ask_info(redis, {"server", "replication", "cluster"});
    if (!info) return tl::unexpected(info.error());
    if (auto why = unfit(*info, PartOf::cluster)) {
      return tl::unexpected(Failure{core::Applied::no, core::FailureCode::server, std::move(*why)});
    }
    seen_[i].life = info->life();
    std::vector<Command> commands;
    for (const redis::Slot slot : masters_[i].slots) commands.push_back({"GET", of(slot).record()});
    auto records = call_each(redis, commands);
    if (!records) return tl::unexpected(std::move(records.error()));
    for (redis::Value& value : *records) {
      seen_[i].records.push_back(redis::found_record(std::move(value.text)));
    }
    seen_[i].redis = std::move(redis);
    return true;
  }

  Tally count() {
    Tally tally;
    std::optional<Begun> first;
    for (std::size_t i = 0; i < masters_.size(); ++i) {
      for (std::size_t j = 0; j < masters_[i].slots.size(); ++j) {
        const FoundRecord& record = seen_[i].records[j];
        if (record.absent()) {
          tally.absent += 1;
          tally.unused += 1;
          continue;
        }
        (is_new(record, terms()) ? tally.unused : tally.used) += 1;
        if (!record.read || record.read->terms != terms()) {
          if (!tally.odd) tally.odd = {masters_[i].slots[j], record};
          continue;
        }
        if (record.read->open) tally.open += 1;
        if (life_in(record.text) != seen_[i].life) tally.lives_of_before += 1;
        const Begun begun{record.read->epoch, record.read->wall_ms};
        if (!first) first = begun;
        tally.all_of_one_init = tally.all_of_one_init && begun == *first;
      }
    }
    if (tally.all_of_one_init && tally.lives_of_before == 0) begun_ = first;
    return tally;
  }

  int refuse(const Tally& tally) const {
    if (tally.odd) {
      return fail(ExitCode::exists, name_ + ": slot " + std::to_string(tally.odd->first) + ": " +
                                        exists_text(tally.odd->second, terms()) + "; nothing was changed");
    }
    const std::string wait = core::to_text(core::quarantine_length(terms().cap));
    if (tally.unused > 0) {
      return fail(ExitCode::exists,
                  name_ + ": slots without a record of Tenure, or that had none when a client came: " +
                      std::to_string(tally.unused) + "; slots with one: " + std::to_string(tally.used) +
                      ". So data was lost, or slots are new, and nothing was changed: each of them gives "
                      "leases by itself, " +
                      wait + " after a client has come to stay");
    }
    std::string text = name_ + ": it has records of Tenure already (" + std::to_string(tally.open) + " of " +
                       number_of_slots(redis::slots) + " are open, leases of at most " +
                       core::to_text(terms().cap) + "); nothing was changed";
    if (tally.open < redis::slots || tally.lives_of_before > 0) {
      text +=
          ", and there is nothing to do but wait: a server was started or promoted, and each of its slots "
          "gives new leases " +
          wait + " after a client has first used it. tenure doctor shows how many are left";
    }
    return fail(ExitCode::exists, text);
  }

  // Those without a record get one of a quarantine that we have begun, as if we were their first client.
  bool close_all() {
    return change([&](redis::Caller& redis, std::size_t i) {
      std::vector<Command> commands;
      for (std::size_t j = 0; j < masters_[i].slots.size(); ++j) {
        if (!seen_[i].records[j].absent()) continue;
        commands.push_back(redis::admit_call(introduction(), of(masters_[i].slots[j]), call_by(commands)));
        commands.back().emplace_back("0");  // we know of no token there
      }
      return call_each(redis, commands);
    });
  }

  bool open_all() {
    std::vector<std::size_t> made(masters_.size());
    const bool done =
        change([&](redis::Caller& redis, std::size_t i) -> tl::expected<std::vector<redis::Value>, Failure> {
          std::vector<Command> commands;
          for (std::size_t j = 0; j < masters_[i].slots.size(); ++j) {
            if (!is_new(seen_[i].records[j], terms())) continue;
            Command command = redis::init_call(introduction(), of(masters_[i].slots[j]));
            if (call_by(commands) == redis::CallBy::sha1) {
              command[0] = "EVALSHA";
              command[1] = std::string(redis::init_script.sha1);
            }
            commands.push_back(std::move(command));
          }
          auto answers = call_each(redis, commands);
          if (!answers) return answers;
          for (const redis::Value& answer : *answers) {
            if (answer.items.size() != 2) return tl::unexpected(core::misfit);
            made[i] += answer.items[0].text == "made" ? 1U : 0U;
          }
          return answers;
        });
    for (const std::size_t count : made) made_ += count;
    return done;
  }

  int report(const Tally& tally) const {
    const std::size_t there = redis::slots - made_;
    std::string line = "made: this Redis Cluster is ready for Tenure: " + number_of_slots(made_) + " on " +
                       plural(masters_.size(), "master") + " (leases of at most " +
                       core::to_text(terms().cap) + ")";
    if (there > 0) line += "; " + std::to_string(there) + " were there already";
    if (tally.used > 0) line += ", made by a tenure init that was interrupted";
    report_(line);
    return number(ExitCode::done);
  }

  template <class Change>
  bool change(const Change& change) {
    runtime::Answers<bool> answers(masters_.size());
    runtime::at_once(masters_.size(), [&](std::size_t i) {
      auto changed = change(*seen_[i].redis, i);
      if (changed) {
        answers[i] = true;
      } else {
        answers[i] = tl::unexpected(at_master(masters_[i].where, changed.error()));
      }
    });
    return all_answered(answers,
                        "some slots have no open record yet: run tenure init again, which completes it");
  }

  bool all_answered(const runtime::Answers<bool>& answers, const std::string& what_now) const {
    bool all = true;
    for (const auto& answer : answers) {
      if (answer) continue;
      say(name_ + ": " + answer.error().detail);
      all = false;
    }
    if (!all) say(what_now);
    return all;
  }

  redis::Keyspace of(redis::Slot slot) const { return nodes_.keyspace.of_slot(slot); }
  core::Terms terms() const { return nodes_.keyspace.terms(); }
  redis::Introduction introduction() const { return {begun_->epoch, begun_->wall_ms}; }

  // The first of many makes the script known.
  static redis::CallBy call_by(const std::vector<Command>& before) {
    return before.empty() ? redis::CallBy::body : redis::CallBy::sha1;
  }

  const redis::Nodes& nodes_;
  const Report& report_;
  const redis::Address& cluster_;
  std::string name_;
  std::vector<Master> masters_{};
  std::vector<SeenMaster> seen_{};  // of each of them
  std::optional<Begun> begun_{};    // what all records that we make have in common
  std::size_t made_ = 0;
};

}  // namespace

int init_cluster(const redis::Nodes& nodes, const std::function<void(const std::string& line)>& report) {
  return InitCluster(nodes, report).run();
}

}  // namespace tenure::cli
