#include "cli/doctor/node_findings.hpp"

#include <algorithm>

#include "cli/doctor/server_check.hpp"
#include "core/base/number.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

using Findings = std::vector<Finding>;

void add(Findings& all, Severity severity, std::string code, std::string what, std::string why,
         std::string advice) {
  all.push_back({severity, std::move(code), {}, std::move(what), std::move(why), std::move(advice)});
}

void could_not_look(Findings& all, const std::string& what, const core::Failure& failure) {
  const bool unknown = failure.code == core::FailureCode::unsupported;
  add(all, Severity::note, "could_not_look",
      "could not look: " + what + ": " + (unknown ? "the server does not know the command" : failure.detail),
      "nothing is known about it; leases may be well all the same",
      unknown ? "enable it there, if you want to know"
              : "allow it to the user of this check, if you want to know");
}

int number(std::string_view digits) { return core::read_number<int>(digits).value_or(0); }

void judge_server(Findings& all, const ServerInfo& info, PartOf part) {
  const auto why = unfit(info, part);
  if (!why) return;
  const bool old = info.version_major() < version_min;
  const char* code = old                 ? "version"
                     : info.is_cluster() ? "cluster"
                     : info.is_replica() ? "replica"
                                         : "no_run_id";
  add(all, Severity::error, code, *why,
      info.is_replica() ? "it takes no writes, and would count the same server twice beside its master"
                        : "the scripts that keep leases do not work there",
      info.is_replica()           ? "name its master, or an independent server"
      : info.is_cluster() && !old ? "name the Cluster by redis-cluster://, or use an independent Redis"
                                  : "use an independent Redis of version 7 or later");
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// Before what is said of its record: a server that is new and lacks a command is not to be initialized.
void judge_commands(Findings& all, const NodeFacts& node) {
  if (!node.missing || node.missing->commands.empty()) return;
  add(all, Severity::error, "commands", "the server does not know: " + listed(node.missing->commands),
      "without it leases fail, or waiting does",
      "enable it there (rename-command renames or disables commands), or use another server");
}

// F10
void judge_memory(Findings& all, const ServerInfo& info) {
  const auto policy = info.field("maxmemory_policy");
  if (policy.empty() || policy == "noeviction") return;
  const std::string when =
      info.field("maxmemory") == "0" ? ", once it is given a maxmemory" : ", when its memory is full";
  add(all, Severity::error, "eviction",
      "it throws keys away" + when + " (maxmemory-policy " + core::printable(policy, 40) + ")",
      "a lease that was thrown away is given to another while its owner still works",
      "CONFIG SET maxmemory-policy noeviction, and the same in its redis.conf");
}

void judge_min_replicas(Findings& all, const ServerInfo& info, const Settings& settings,
                        const std::vector<SentinelFacts>& sentinels, PartOf part) {
  const int replicas = number(info.field("connected_slaves"));
  // Those that are down for a while come back, and one of them may be promoted then.
  const int known = std::max(replicas, replicas_known(sentinels));
  if (settings.needs_replicas() && settings.min_replicas > replicas) {
    add(all, Severity::error, "min_replicas",
        "it takes no writes: min-replicas-to-write is " + std::to_string(settings.min_replicas) + ", and " +
            std::to_string(replicas) + (replicas == 1 ? " replica follows it" : " replicas follow it"),
        sentinels.empty() ? "nobody gets a lease there"
                          : "nobody gets a lease there, so that there are no two owners if it was replaced",
        sentinels.empty() ? "attach replicas, or lower min-replicas-to-write"
                          : "attach replicas; lower min-replicas-to-write only if those that are missing are "
                            "gone for good");
  } else if (part == PartOf::cluster && known < 2) {
    // Promoted, its only replica would take no writes before this one is back. A master of a Cluster that is cut off from most others
    // ends by itself (cluster-node-timeout).
  } else if (!settings.needs_replicas() && known > 0) {
    const bool off = settings.min_replicas == 0;
    const std::string how_many =
        std::to_string(replicas) +
        (known > replicas ? " of the " + std::to_string(known) + " that its Sentinels know" : "");
    add(all, Severity::warning, "min_replicas",
        "replicas follow it (" + how_many + "), and min-replicas-" +
            (off ? "to-write is 0" : "max-lag is 0, which turns min-replicas-to-write off"),
        "cut off from them it would go on granting beside a replica that was promoted: two owners",
        (off ? "CONFIG SET min-replicas-to-write " + std::to_string(replicas_for_majority(known))
             : "CONFIG SET min-replicas-max-lag 5 (seconds; not more than a failover takes)") +
            ", there and on its replicas, and the same in their redis.conf");
  }
}

void judge_writes(Findings& all, const ServerInfo& info, const NodeFacts& node, PartOf part) {
  if (info.field("aof_last_write_status") == "err" || info.field("rdb_last_bgsave_status") == "err") {
    add(all, Severity::warning, "disk", "its last write to disk failed",
        "such a server refuses writes, and with them leases, or loses them in a restart",
        "look at its log and at the space on its disk");
  }
  if (!info.is_replica() && node.settings)
    judge_min_replicas(all, info, *node.settings, node.sentinels, part);
}

void judge_persistence(Findings& all, const ServerInfo& info, const Asked<Settings>& settings) {
  if (info.field("aof_enabled") != "0" || !settings || !settings->save.empty()) return;
  add(all, Severity::note, "no_persistence", "it keeps nothing on disk",
      "after a restart it gives no new leases for a quarantine, a little longer than the cap; who holds one "
      "keeps "
      "it. That is safe",
      "appendonly yes would keep its record, but not spare the quarantine");
}

void judge_network(Findings& all, const NodeFacts& node, const Criteria& criteria) {
  if (!node.address.tls && !is_local(node.address)) {
    const bool secret = !node.address.password.empty() || !node.address.group.password.empty();
    add(all, secret ? Severity::warning : Severity::note, "plaintext",
        secret ? "its password and all commands go over the network in plain text"
               : "all commands go over the network in plain text, and it asks for no password",
        "whoever is on the way can read and forge leases", "use rediss://, or a network that you trust");
  }
  if (!node.round_trip || *node.round_trip * 2 < criteria.node_timeout) return;
  const bool hopeless = *node.round_trip >= criteria.node_timeout;
  add(all, hopeless ? Severity::error : Severity::warning, "round_trip",
      "a round trip takes " + core::to_text(std::chrono::ceil<std::chrono::milliseconds>(*node.round_trip)) +
          ", and a node counts as silent after " + core::to_text(criteria.node_timeout),
      hopeless ? "with this TTL its answers always come too late"
               : "with this TTL its answers often come too late",
      "use a longer TTL (a node has a tenth of it to answer, at most 1s), or a node that is nearer");
}

void judge_rights(Findings& all, const NodeFacts& node, const Criteria& criteria) {
  if (!node.missing) return could_not_look(all, "its access rights", node.missing.error());
  const auto& rights = node.missing->rights;
  if (rights.empty()) return;
  add(all, Severity::error, "rights", "the user may not use: " + listed(rights),
      "without it leases fail, or waiting does",
      "ACL SETUSER " + (node.address.user.empty() ? "default" : core::printable(node.address.user, 60)) +
          " " + rights_needed(criteria.keys) + (node.sentinels.empty() ? "" : " +role") +
          (criteria.part == PartOf::cluster ? " " + std::string(cluster_rights) : ""));
}

}  // namespace

bool is_local(const redis::Address& address) {
  const auto here = [](const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
  };
  const auto all_here = [&](const std::vector<redis::HostPort>& hosts) {
    return !hosts.empty() && std::ranges::all_of(hosts, here, &redis::HostPort::host);
  };
  return address.kind == redis::Address::Kind::unix_socket || here(address.host) ||
         all_here(address.group.sentinels) || all_here(address.seeds);
}

std::vector<Finding> findings_of(const NodeFacts& node, const Criteria& criteria) {
  Findings all;
  judge_commands(all, node);
  if (node.info) {
    judge_server(all, *node.info, criteria.part);
    judge_memory(all, *node.info);
    judge_writes(all, *node.info, node, criteria.part);
    judge_persistence(all, *node.info, node.settings);
  } else if (!is_about_command(node.info.error())) {
    could_not_look(all, "INFO", node.info.error());
  }
  if (!node.settings) could_not_look(all, "CONFIG", node.settings.error());
  if (!node.clock_ahead && !is_about_command(node.clock_ahead.error())) {
    could_not_look(all, "TIME", node.clock_ahead.error());
  }
  judge_network(all, node, criteria);
  const bool has_record = criteria.part == PartOf::nothing;
  if (has_record && (node.record || !is_about_command(node.record.error()))) {
    auto finding = record_finding(node, criteria);
    if (!finding) finding = fence_finding(node, criteria);
    if (finding) all.push_back(std::move(*finding));
  }
  judge_rights(all, node, criteria);
  return all;
}

}  // namespace tenure::cli
