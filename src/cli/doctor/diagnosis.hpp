// How a set of nodes is: what is shown of each one, of whatever kind of store it is, and what there is to say about them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "cli/doctor/sentinel_facts.hpp"
#include "core/base/time.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"

namespace tenure::cli {

enum class Status : std::uint8_t { healthy, degraded, no_quorum };

// What only a PostgreSQL has. Nothing where it is not known.
struct PostgresqlShown {
  std::optional<bool> tls{};
  std::optional<bool> pooled{};  // something stands between us and the server
  std::optional<int> schema{};   // version of the schema tenure; 0: there is none
};

// What only a master has that Sentinels name.
struct SentinelsShown {
  std::string name{};                 // by which they know it
  std::string master{};               // host and port, as most of them say; empty: none says anything
  std::vector<SentinelFacts> each{};  // in the order of the address
  std::optional<core::Duration> down_after{};           // until the slowest takes the master for dead
  std::optional<std::vector<ReplicaFacts>> replicas{};  // nothing: not known
  std::optional<int> min_replicas{};                    // min-replicas-to-write of the master
  std::optional<core::Duration> max_lag{};              // its min-replicas-max-lag
  core::Duration quarantine{};                          // of whoever is promoted

  // From the death of a master until new leases are granted, but for the vote, which takes a second or so.
  std::optional<core::Duration> without_new_leases() const {
    if (!down_after) return std::nullopt;
    return *down_after + quarantine;
  }
};

// How many slots of a Redis Cluster have which kind of record.
struct SlotCounts {
  std::size_t open = 0;
  std::size_t quarantined = 0;
  std::size_t absent = 0;
  std::size_t restarted = 0;  // of another life of the server: quarantined when a client comes
  std::size_t other = 0;      // of another cap or set, or no record of Tenure

  std::size_t all() const { return open + quarantined + absent + restarted + other; }
  SlotCounts& operator+=(const SlotCounts& more);
};

struct ReplicaShown {
  std::string place{};                // host and port
  std::optional<std::string> down{};  // why it does not answer
  std::optional<core::Duration> round_trip{};
};

struct MasterShown {
  std::string place{};
  std::size_t slots = 0;
  std::optional<std::string> down{};  // then nothing below is known, but who follows it
  std::string version{};
  std::optional<core::Duration> round_trip{};
  std::optional<int> min_replicas{};  // min-replicas-to-write
  std::optional<SlotCounts> records{};
  std::vector<ReplicaShown> replicas{};
};

// What only a Redis Cluster has.
struct ClusterShown {
  std::string state{};  // cluster_state; empty: not known
  std::size_t slots_served = 0;
  std::vector<MasterShown> masters{};

  SlotCounts records() const;
};

struct NodeShown {
  std::string name{};                           // its address, without secrets
  std::string place{};                          // the same, or "on port 6379"
  std::optional<core::Failure> down{};          // then nothing below is known
  std::string version{};                        // "Redis 7.0.15"; empty: not known
  std::string role{};                           // empty: not known
  std::optional<core::Duration> round_trip{};   // the median of some
  std::optional<core::Duration> clock_ahead{};  // of this machine's wall clock
  std::optional<core::FoundRecord> record{};    // nothing: it cannot be read
  std::optional<PostgresqlShown> postgresql{};
  std::optional<SentinelsShown> sentinels{};  // also of one that is down
  std::optional<ClusterShown> cluster{};
};

struct Diagnosis {
  std::string kind{};         // "Redis"
  std::string how_to_init{};  // to be read behind "if it is new"
  std::vector<NodeShown> nodes{};
  std::vector<Finding> findings{};  // the worst first

  std::size_t quorum() const;
  // Would it give a lease to us at this moment?
  bool healthy(std::size_t node) const;
  std::size_t healthy_count() const;
  Status status() const;
  bool has(Severity severity) const;
  // What keeps a node that is up from being healthy, or nothing.
  const Finding* worst(std::size_t node) const;
  // Does no node at all have a record?
  bool all_new() const;

  void add(std::size_t node, std::vector<Finding> its_findings);
  // All findings are there: puts the worst first, and says how to make nodes ready that are all new.
  void conclude();
};

}  // namespace tenure::cli
