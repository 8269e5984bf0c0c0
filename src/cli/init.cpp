#include "cli/init.hpp"

#include <charconv>
#include <cstdio>
#include <string_view>

#include "cli/message.hpp"
#include "cli/refusal_text.hpp"
#include "core/record.hpp"
#include "core/text.hpp"
#include "redis/scripts.hpp"
#include "runtime/caller.hpp"
#include "runtime/instance_id.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

constexpr core::Duration timeout = std::chrono::seconds(5);
constexpr int version_min = 7;

Failure refusal(std::string detail) {
  return {core::Applied::no, core::FailureCode::server, std::move(detail)};
}

// One field of INFO, which has a "name:value" on each line.
std::string_view field(std::string_view info, std::string_view name) {
  for (std::size_t from = 0; from < info.size();) {
    const auto end = std::min(info.find("\r\n", from), info.size());
    const auto line = info.substr(from, end - from);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return line.substr(name.size() + 1);
    from = end + 2;
  }
  return {};
}

tl::expected<std::string, Failure> info(runtime::Caller& redis) {
  std::string text;
  for (const char* section : {"server", "replication", "cluster"}) {
    auto value = redis.call({"INFO", section});
    if (!value) return tl::unexpected(value.error());
    text += value->text;
  }
  return text;
}

// Which life of the server this is, or why Tenure cannot work with it.
tl::expected<std::string, Failure> life_of(std::string_view info) {
  const auto version = field(info, "redis_version");
  int major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  if (major < version_min) {
    return tl::unexpected(
        refusal("this is Redis " + core::printable(version, 20) + "; Tenure needs 7.0 or later"));
  }
  // One script touches several keys, and they have no common slot (T30).
  if (field(info, "cluster_enabled") == "1" || field(info, "redis_mode") == "cluster") {
    return tl::unexpected(refusal("this is a Redis Cluster, which does not work yet"));
  }
  const auto run_id = field(info, "run_id");
  const auto replication_id = field(info, "master_replid");
  if (run_id.empty() || replication_id.empty()) {
    return tl::unexpected(refusal("INFO says neither run_id nor master_replid: is this a Redis?"));
  }
  return std::string(run_id) + ":" + std::string(replication_id);
}

struct Made {
  bool made = false;
  std::string record;  // the new one, or the one that was there
};

tl::expected<Made, Failure> make_record(const Node& node) {
  auto redis = runtime::Caller::connect(node.address, timeout);
  if (!redis) return tl::unexpected(redis.error());
  const auto facts = info(*redis);
  if (!facts) return tl::unexpected(facts.error());
  const auto life = life_of(*facts);
  if (!life) return tl::unexpected(life.error());
  const std::string epoch = runtime::random_from_kernel().hex16();
  const auto value =
      redis->call({"EVAL", std::string(redis::init_script.body), "2", node.keyspace.record(),
                   node.keyspace.fence(), core::admission(node.keyspace.cap) + epoch + " " + *life});
  if (!value) return tl::unexpected(value.error());
  if (value->items.size() != 2) return tl::unexpected(refusal("its answer to init makes no sense"));
  return Made{value->items[0].text == "made", value->items[1].text};
}

std::string exists_text(const std::string& text) {
  const auto record = core::read_record(text);
  if (!record)
    return "it has something that is not a record of Tenure: \"" + core::printable(text, 60) + "\"";
  return "it has a record of Tenure already (" + core::printable(record->state, 60) + ", leases of at most " +
         core::shown(record->cap) + ")";
}

}  // namespace

int init(const InitArgs& args) {
  const auto node = choose_node(args.node);
  if (!node) {
    say(node.error());
    return number(ExitCode::usage);
  }
  const auto made = make_record(*node);
  if (!made) {
    say(failure_text(node->address, made.error()));
    return number(ExitCode::no_quorum);
  }
  if (!made->made) {
    say(redis::shown(node->address) + ": " + exists_text(made->record) + "; nothing was changed");
    return number(ExitCode::exists);
  }
  std::printf("made: this Redis is ready for Tenure (leases of at most %s)\n",
              core::shown(node->keyspace.cap).c_str());
  return finish_output();
}

}  // namespace tenure::cli
