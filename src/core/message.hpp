// What the core asks of a node, and what it hears back. Both interpreters, the runtime and the
// simulator, speak in these; src/redis turns them into scripts and replies.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/grant.hpp"

namespace tenure::core {

// Which of the configured nodes, counted from 0.
using NodeIndex = std::uint32_t;

// One request to one node, never used again; a reply names the request that it answers (S13).
enum class RequestId : std::uint64_t {};

// Redis counts a TTL in whole milliseconds.
using Ttl = std::chrono::milliseconds;

struct AcquireRequest {
  std::string key;
  Grant grant;
  Ttl ttl{};
};

struct RenewRequest {
  struct Item {
    std::string key;
    std::string value;  // the whole value: a grant that lapsed and was set again has another token (T10)
  };
  Ttl ttl{};
  std::vector<Item> items;
};

struct ReleaseRequest {
  std::string key;
  Grant grant;
};

using Request = std::variant<AcquireRequest, RenewRequest, ReleaseRequest>;

struct Granted {
  Token token = 0;
};

struct Held {
  Holder holder;
  Ttl left{};  // negative: the key has no expiry, so Tenure did not write it
};

// The node's record does not allow grants to this client: absent, quarantined or another cap.
struct NotOpen {
  std::string record;
};

// What a node found for one key of a batch.
enum class KeyAnswer : std::uint8_t {
  done,     // it showed the caller's value, and was renewed or deleted
  missing,  // there is no such key
  foreign,  // it shows something else, and was left alone
};

using KeyAnswers = std::vector<KeyAnswer>;

// Could the request have changed the node?
enum class Applied : std::uint8_t { no, perhaps };

enum class FailureCode : std::uint8_t {
  unreachable,
  timed_out,
  closed,
  auth,
  no_permission,
  loading,
  read_only,
  misconf,
  out_of_memory,
  busy_script,
  cluster,
  protocol,
  server,
};

struct Failure {
  Applied applied = Applied::perhaps;
  FailureCode code = FailureCode::server;
  std::string detail;  // a sentence for a person; never a secret
};

// A node that has not answered in time. It may have done all that it was asked (S10).
inline const Failure silence{Applied::perhaps, FailureCode::timed_out, "no answer in time"};
// A node that answered something else than it was asked.
inline const Failure misfit{Applied::perhaps, FailureCode::protocol, "the reply does not fit the request"};

using Reply = std::variant<Granted, Held, NotOpen, KeyAnswers, Failure>;

}  // namespace tenure::core
