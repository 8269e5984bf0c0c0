// What a request needs while it is carried out: calls, what all connections know, and the record that its connection was admitted
// with.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consul/net/session_maker.hpp"
#include "consul/net/shared.hpp"
#include "consul/net/talk.hpp"
#include "consul/record_text.hpp"

namespace tenure::consul {

// The record as a connection has seen it last.
struct Standing {
  std::optional<StoredRecord> stored{};  // nullopt: it was not admitted yet
  std::string text{};
  Index index = 0;

  core::FoundRecord found() const { return {stored ? std::optional(stored->record) : std::nullopt, text}; }
};

struct Desk {
  Owner owner{};
  Talk& talk;
  SessionMaker& maker;
  Shared& shared;
  Standing& standing;
  std::vector<core::Record>& admitted;  // what is to be told of admissions
  bool& wrote;                          // the request may have given something by now
  core::Time now{};                     // when it was asked

  const Keys& keys() const { return shared.place().keys; }
  // May we be given something there?
  bool is_open() const {
    return standing.stored && standing.stored->record.open &&
           standing.stored->record.terms == shared.place().terms;
  }
};

// Nothing was asked for that could have been given.
inline core::Failure before_all(core::Failure failure) {
  failure.applied = core::Applied::no;
  return failure;
}

using Done = tl::expected<void, core::Failure>;

// Reads the record, writes one where there is none, and begins a quarantine where the data went back; because somebody has seen
// that, or by what we have seen of tokens.
enum class WentBack : std::uint8_t { unknown, seen };
Task<Done> admit(Desk desk, WentBack back = WentBack::unknown);
// Somebody's word that this Consul is new. False: it has a record that says more.
Task<tl::expected<bool, core::Failure>> found(Desk desk);
Task<core::Reply> open(Desk desk, core::OpenRequest request);

// A session that was made or renewed after the request was asked, so that it lasts for all of that TTL from then on.
Task<tl::expected<std::string, core::Failure>> session_for(Desk desk, core::Ttl ttl, std::string owner);
// False: it lives no more.
Task<tl::expected<bool, core::Failure>> renew_session(Desk desk, std::string id);

// Deletes the key where it is as it was seen. False: it is not.
Task<tl::expected<bool, core::Failure>> remove(Desk desk, Entry entry);

Task<core::Reply> acquire(Desk desk, core::AcquireRequest request);
Task<core::Reply> renew(Desk desk, core::RenewRequest request);
Task<core::Reply> reassert(Desk desk, core::ReassertRequest request);
Task<core::Reply> release(Desk desk, core::ReleaseRequest request);
Task<core::Reply> look(Desk desk, core::LookRequest request);

}  // namespace tenure::consul
