// Whatever Redis answers to whatever was asked: a reply that the core can use, or a failure in words.
#include "core/base/check.hpp"
#include "fuzz/replies.hpp"
#include "fuzz/target.hpp"
#include "fuzz/values.hpp"
#include "redis/beat_text.hpp"
#include "redis/cluster/redirection.hpp"
#include "redis/cluster/slot_map.hpp"
#include "redis/grant_text.hpp"
#include "redis/record_text.hpp"
#include "redis/script_call.hpp"
#include "redis/sentinel.hpp"
#include "redis/url_parts.hpp"

namespace tenure::fuzz {

namespace {

using core::must;

// What stands in a key, a record or a message may have been written by anybody.
void try_text(std::string_view text) {
  const core::Holder holder = redis::read_holder(text);
  must(text.starts_with(holder.owner), "an owner is how the value of its key begins");
  must(!holder.waits || holder.token == 0, "who waits has no token");
  if (const auto grant = redis::read_stamp(text)) {
    must(redis::stamp(*grant) == text, "a stamp is written in one way only");
  }

  if (const auto record = redis::read_record(text)) {
    must(!record->epoch.empty() && record->epoch.find(' ') == std::string::npos, "an epoch is one word");
    must(record->terms.cap >= core::Ttl::zero(), "a cap is no less than nothing");
    must(text.starts_with(redis::admission(record->terms, record->epoch)) || text.starts_with('0'),
         "a record begins with what admits to it");
  }
  if (const auto beat = redis::read_beat(text)) {
    must(text.starts_with(redis::beat_opening(beat->boot)), "a beat begins with whose it is");
    must(beat->weight > 0 && beat->weight <= core::weight_max, "a weight is one that is allowed");
  }
  if (const auto wake_up = redis::read_wake_up(text)) {
    must(wake_up->after >= core::Duration::zero() &&
             wake_up->after <= redis::turns_max * redis::turn_of_waiter,
         "a wake-up is for soon");
    must(text.ends_with(redis::stamp(wake_up->ticket)), "a wake-up ends with its ticket");
  }
}

void try_texts(const redis::Value& value) {
  try_text(value.text);
  for (const auto& item : value.items) try_texts(item);
}

// Of a Sentinel that was asked for the master, and of a server that was asked for its role.
void try_search(const redis::Value& value) {
  redis::SentinelGroup group;
  group.master = "mymaster";
  if (const auto master = redis::read_master(group, {value})) {
    must(!master->host.empty() && master->port != 0, "a master has an address");
    must(redis::parse_url("redis://" + redis::to_text(*master)).has_value(),
         "a master has an address that can be dialled");
  } else {
    expect_shown_safely(master.error());
  }
  if (const auto role = redis::read_role({}, {value}); !role) expect_shown_safely(role.error());
}

bool can_be_dialled(redis::HostPort place) {
  if (place.host.empty()) place.host = "asked";
  return place.port != 0 && redis::parse_url("redis://" + redis::to_text(place)).has_value();
}

// Of a node of a Cluster, whatever it was asked.
void try_cluster(const redis::Value& value) {
  if (const auto redirection = redis::read_redirection(value)) {
    const bool elsewhere = redirection->kind == redis::Redirection::Kind::moved ||
                           redirection->kind == redis::Redirection::Kind::ask;
    must(redirection->slot < redis::slots, "a slot is one of those that there are");
    must(!elsewhere || can_be_dialled(redirection->to), "a redirection leads somewhere");
  }
  const auto map = redis::read_slot_map(value);
  if (!map) return expect_shown_safely(map.error());
  std::size_t served = 0;
  for (std::size_t slot = 0; slot < redis::slots; ++slot) {
    if (const auto* master = map->master_of(static_cast<redis::Slot>(slot))) {
      must(can_be_dialled(*master), "who serves a slot has an address");
      served += 1;
    }
  }
  must(served == map->served(), "what is served is counted");
  must(redis::agreed({&*map, 1}).served() == served, "one view agrees with itself");
}

}  // namespace

void try_input(std::string_view input) {
  while (const auto line = next_line(input)) {
    const auto value = read_value(*line, input);
    if (!value) continue;
    try_texts(*value);
    try_search(*value);
    try_cluster(*value);
    for (const auto& [name, request] : requests())
      expect_usable(request, redis::script_reply(request, *value));
    if (const auto published = redis::published(*value); !published) expect_shown_safely(published.error());
  }
}

}  // namespace tenure::fuzz
