#include "cli/doctor/sentinel_facts.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "redis/net/caller.hpp"
#include "redis/sentinel.hpp"
#include "redis/url_parts.hpp"
#include "runtime/engine/at_once.hpp"

namespace tenure::cli {

namespace {

constexpr std::size_t shown_max = 200;
// How such an error begins.
constexpr std::string_view no_quorum = "NOQUORUM";
// Nobody means to wait for longer, and nanoseconds cannot count much more.
constexpr std::chrono::milliseconds down_after_max = std::chrono::years(100);

std::string_view field_in(const redis::Value& fields, std::string_view name) {
  for (std::size_t i = 0; i + 1 < fields.items.size(); i += 2) {
    if (fields.items[i].text == name) return fields.items[i + 1].text;
  }
  return {};
}

// Of "ip=127.0.0.1,port=6380,state=online,offset=14,lag=0".
std::string_view part_of(std::string_view line, std::string_view name) {
  for (std::size_t from = 0; from < line.size();) {
    const auto end = std::min(line.find(',', from), line.size());
    const auto part = line.substr(from, end - from);
    if (part.starts_with(name) && part.substr(name.size()).starts_with('='))
      return part.substr(name.size() + 1);
    from = end + 1;
  }
  return {};
}

SentinelFacts ask(const redis::HostPort& where, const redis::Address& address, const runtime::Tls& tls,
                  core::Duration timeout) {
  SentinelFacts facts{.place = redis::to_text(where)};
  redis::Address sentinel;
  sentinel.host = where.host;
  sentinel.port = where.port;
  sentinel.tls = address.tls;
  sentinel.user = address.group.user;
  sentinel.password = address.group.password;
  auto redis = redis::Caller::connect(sentinel, timeout, tls);
  if (!redis) {
    facts.down = redis.error();
    return facts;
  }
  // Who we are has been said by now.
  redis::SentinelGroup group = address.group;
  group.user.clear();
  group.password.clear();
  const auto answers = redis->call_all(redis::master_question(group));
  const auto master = answers ? redis::read_master(group, *answers) : tl::unexpected(answers.error());
  if (!master) {
    facts.down = master.error();
    return facts;
  }
  facts.master = redis::to_text(*master);
  if (const auto fields = redis->call({"SENTINEL", "MASTER", group.master})) note_master(facts, *fields);
  if (const auto quorum =
          redis->call_all(std::vector<redis::Command>{{"SENTINEL", "CKQUORUM", group.master}})) {
    facts.no_quorum = no_quorum_in(quorum->front());
  }
  return facts;
}

}  // namespace

void note_master(SentinelFacts& facts, const redis::Value& fields) {
  const auto after =
      core::read_number<std::chrono::milliseconds::rep>(field_in(fields, "down-after-milliseconds"));
  if (after && *after <= down_after_max.count()) facts.down_after = std::chrono::milliseconds(*after);
  facts.replicas = core::read_number<int>(field_in(fields, "num-slaves")).value_or(0);
  facts.other_sentinels = core::read_number<int>(field_in(fields, "num-other-sentinels")).value_or(0);
}

std::optional<std::string> no_quorum_in(const redis::Value& answer) {
  std::string_view why = answer.text;
  if (!why.starts_with(no_quorum)) return std::nullopt;
  why.remove_prefix(no_quorum.size());
  why.remove_prefix(std::min(why.find_first_not_of(' '), why.size()));
  return core::printable(why.empty() ? no_quorum : why, shown_max);
}

std::vector<SentinelFacts> look_at_sentinels(const redis::Address& address, const runtime::Tls& tls,
                                             core::Duration timeout) {
  const auto& sentinels = address.group.sentinels;
  std::vector<SentinelFacts> facts(sentinels.size());
  runtime::at_once(facts.size(), [&](std::size_t i) { facts[i] = ask(sentinels[i], address, tls, timeout); });
  return facts;
}

int replicas_known(const std::vector<SentinelFacts>& sentinels) {
  int known = 0;
  for (const SentinelFacts& it : sentinels) known = std::max(known, it.replicas);
  return known;
}

std::vector<ReplicaFacts> replicas_in(const ServerInfo& info) {
  std::vector<ReplicaFacts> replicas;
  const auto written = core::read_number<std::int64_t>(info.field("master_repl_offset")).value_or(0);
  for (int i = 0;; ++i) {
    const auto line = info.field("slave" + std::to_string(i));
    if (line.empty()) return replicas;
    ReplicaFacts replica;
    replica.place = core::printable(part_of(line, "ip"), shown_max) + ":" +
                    core::printable(part_of(line, "port"), shown_max);
    replica.online = part_of(line, "state") == "online";
    const auto read = core::read_number<std::int64_t>(part_of(line, "offset")).value_or(0);
    replica.bytes_behind = std::max<std::int64_t>(0, written - read);
    replicas.push_back(std::move(replica));
  }
}

}  // namespace tenure::cli
