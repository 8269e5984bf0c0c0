// The functions of the schema answer like the scripts, and leave the same behind, so that what is proved about the scripts in the
// simulator holds on PostgreSQL.
#include <gtest/gtest.h>

#include <cstdlib>

#include "postgres_crowd.hpp"
#include "postgres_sequence.hpp"

namespace tenure::conformance {
namespace {

// How many histories there are, of how many steps, and how many requests both sides answer in them at least: time that goes by is a
// step without one, and a history begins with several.
struct Extent {
  std::uint64_t seeds;
  int steps;
  std::uint64_t requests_min;
};
constexpr Extent of_sequences{220, 60, 14'500};
constexpr Extent of_crowds{440, 16, 10'500};
static_assert(of_sequences.requests_min + of_crowds.requests_min >= 25'000);

// Every kind of answer that there can be.
constexpr auto answers = {
    "acquire: granted",
    "acquire: a repeat",
    "acquire: a proposal",
    "acquire: another token",
    "acquire: what was kept",
    "acquire: held",
    "acquire: kept",
    "acquire: queued",
    "acquire: quarantined",
    "acquire: other record",
    "acquire: no record",
    "acquire: restored",
    "confirm: done",
    "confirm: missing",
    "confirm: foreign",
    "renew: done",
    "renew: missing",
    "renew: foreign",
    "renew: other record",
    "renew: quarantined",
    "reassert: done",
    "reassert: missing",
    "reassert: foreign",
    "reassert: other record",
    "reassert: quarantined",
    "reassert: no record",
    "reassert: restored",
    "release: done",
    "release: missing",
    "release: foreign",
    "release: kept for a waiter",
    "release: others told when to look",
    "open: opened",
    "open: quarantined",
    "open: other record",
    "look: held",
    "look: kept",
    "look: nothing",
    "look: waited for",
    "break: 1",
    "break: 2",
    "break: 0",
    "break: -1",
    "admit: as it was",
    "admit: of other terms",
    "admit: opened",
    "admit: restarted",
    "admit: restored",
    "admit: unknown",
    "init: made",
    "init: left",
    "reconfigure: made",
    "reconfigure: left",
    "beat: version",
    "beat: id",
    "lists: list",
    "lists: no list",
};

// A history of so many steps. Gives what differed, or nothing.
template <class History>
std::string run(PostgresTwins& twins, std::uint64_t seed, int steps, Tally& tally) {
  History history(twins, seed, tally);
  std::string differs = history.begin();
  for (int step = 0; step < steps && differs.empty(); ++step) differs = history.step();
  return differs;
}

class PostgresConformance : public ::testing::Test {
 protected:
  // By the schema as it ships. With TENURE_SEED=… that one alone, of which no tally is to be expected.
  template <class History>
  void run_all(const Extent& extent) {
    real_.install(SteppedPostgres::shipped_schema());
    PostgresTwins twins(real_, host_, PostgresSequence::owners());
    const char* chosen = std::getenv("TENURE_SEED");
    const std::uint64_t first = chosen != nullptr ? std::strtoull(chosen, nullptr, 10) : 1;
    const std::uint64_t last = chosen != nullptr ? first : extent.seeds;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const std::string differs = run<History>(twins, seed, extent.steps, tally_);
      ASSERT_TRUE(differs.empty()) << differs << "\nseed " << seed << "; TENURE_SEED=" << seed
                                   << " replays it alone";
    }
    RecordProperty("steps", std::to_string(twins.steps()));
    RecordProperty("messages", std::to_string(twins.messages()));
    EXPECT_GT(twins.messages(), 0U);
    if (chosen != nullptr) GTEST_SKIP() << "one seed of all";
    EXPECT_GE(twins.steps(), extent.requests_min);
  }

  SteppedPostgres real_;
  sim::ScriptHost host_;
  Tally tally_;
};

TEST_F(PostgresConformance, RandomHistoriesGoTheSameWayAsOnRedis) {
  run_all<PostgresSequence>(of_sequences);
  if (IsSkipped() || HasFailure()) return;
  for (const char* answer : answers) EXPECT_GT(tally_[answer], 0) << answer;
}

TEST_F(PostgresConformance, TurnsOfLongQueuesComeTheSameWayAsOnRedis) {
  run_all<PostgresCrowd>(of_crowds);
  if (IsSkipped() || HasFailure()) return;
  for (const auto* outcome :
       {"waits", "passes it on", "is called", "takes its turn", "one of those told leaves"}) {
    EXPECT_GT(tally_[outcome], 0) << outcome;
  }
}

// With the shortest leases: who is far behind looks later than twice the cap, because all look one after the other.
TEST_F(PostgresConformance, WhoLooksWhenItIsToldToKeepsItsPlaceInALongQueue) {
  real_.install(SteppedPostgres::shipped_schema());
  PostgresTwins twins(real_, host_, PostgresSequence::owners());
  constexpr core::Ttl cap{500};
  constexpr int waiters = 120;
  const core::Grant holder("web-0", 1);
  PostgresTwins::Client client{.terms = {cap, "1"}};
  twins.reset();
  ASSERT_EQ(twins.init({"e1", twins.now_ms()}, client.terms), "");
  client.epoch = "e1";
  ASSERT_EQ(twins.ask(core::AcquireRequest{"redlock:a", holder, cap}, client), "");
  const core::RenewRequest renewal{cap, {{"redlock:a", holder, twins.fence()}}};
  std::vector<std::int64_t> looks_at(waiters, twins.now_ms());
  for (int tick = 0; tick < 300; ++tick) {
    if (tick % 10 == 0) {
      ASSERT_EQ(twins.ask(renewal, client), "");
    }
    for (int waiter = 0; waiter < waiters; ++waiter) {
      std::int64_t& due = looks_at.at(static_cast<std::size_t>(waiter));
      if (twins.now_ms() < due) continue;
      const core::Grant ticket("web-1", static_cast<std::uint64_t>(waiter));
      const core::AcquireRequest look{"redlock:a", ticket.with(1000), cap, ticket};
      ASSERT_EQ(twins.ask(look, client), "");
      const auto* held = std::get_if<core::Held>(&twins.reply());
      ASSERT_TRUE(held != nullptr && held->ahead == waiter) << twins.said();
      // As core/lease/acquisition does.
      due = twins.now_ms() + held->left.value().count() + 10 * std::int64_t{waiter};
    }
    twins.step(core::Ttl(10));
  }
}

// A bug that somebody might write into the schema, in one place or in two.
struct Bug {
  const char* what;
  const char* text;
  const char* instead;
  const char* other_text = nullptr;
  const char* instead_of_other = nullptr;
};

const std::vector<Bug> bugs{
    {"a renewal compares no token", "AND l.token = i.token", ""},
    {"a release compares no nonce", "ELSIF l.owner <> by_owner OR l.nonce <> by_nonce THEN",
     "ELSIF l.owner <> by_owner THEN"},
    {"a release calls nobody", " AND NOT l.awaited", ""},
    {"a lease that has not ended is given to who does not wait",
     "l.ends OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()", "l.ends IS NOT NULL"},
    {"a lease that has not ended is given to who waits",
     "IF l.ends > clock_timestamp() THEN\n    IF l.owner = by_owner",
     "IF false THEN\n    IF l.owner = by_owner"},
    {"a grant is put back over another's in an open node", "(NOT r.open AND l.token <= tokens[i]);",
     "(l.token <= tokens[i]);", "OR (NOT r.open AND l.token <= tokens[i])) THEN",
     "OR l.token <= tokens[i]) THEN"},
    {"what is kept goes to anybody who waits", "IF called OR place <= over THEN", "IF true THEN"},
    {"who came last is served first", "ORDER BY q.place OFFSET", "ORDER BY q.place DESC OFFSET"},
    {"who is last now is not told instead", "CONTINUE WHEN w.name IS NULL;", "EXIT WHEN w.name IS NULL;"},
    {"a confirmation compares no grant", "IF l.kept OR l.owner <> by_owner OR l.nonce <> by_nonce THEN",
     "IF l.kept THEN"},
    {"a token is minted ahead of the time", " AND proposal <= tenure.now_us()", ""},
    {"who was admitted before a quarantine is given leases", " OR r.epoch <> of_epoch", ""},
    {"a mark takes the token of what it breaks", "greatest(mark_token, l.token + 1)", "mark_token"},
    {"who leaves the queue still counts as told", "SET told = l.told - 1", "SET told = l.told"},
    {"data that went back is not noticed", "drawn < seen OR drawn <", "drawn <"},
    {"a waiter that does not listen keeps its place", "THEN RETURN false; END IF;\n  RETURN pg_notify",
     "THEN NULL; END IF;\n  RETURN pg_notify"},
};

// Empty where the text does not stand there once.
std::string replaced(std::string schema, std::string_view text, const char* instead) {
  const auto at = schema.find(text);
  if (at == std::string::npos || at != schema.rfind(text)) return "";
  return schema.replace(at, text.size(), instead);
}

std::string with(const Bug& bug, std::string schema) {
  schema = replaced(std::move(schema), bug.text, bug.instead);
  if (bug.other_text != nullptr) schema = replaced(std::move(schema), bug.other_text, bug.instead_of_other);
  return schema;
}

// What is compared is worth something only if it can differ.
TEST_F(PostgresConformance, FindsBugsThatArePlantedInTheSchema) {
  constexpr std::uint64_t steps_max = 8'000;
  std::string found;
  for (const Bug& bug : bugs) {
    const std::string schema = with(bug, SteppedPostgres::shipped_schema());
    ASSERT_NE(schema, "") << bug.what << ": \"" << bug.text << "\" is not in the schema, or more than once";
    real_.install(schema);
    PostgresTwins twins(real_, host_, PostgresSequence::owners());
    std::string differs;
    for (std::uint64_t seed = 1; differs.empty() && twins.steps() < steps_max; ++seed) {
      differs = run<PostgresCrowd>(twins, seed, 16, tally_);
      if (differs.empty()) differs = run<PostgresSequence>(twins, seed, 60, tally_);
    }
    EXPECT_NE(differs, "") << bug.what << ": not found in " << twins.steps() << " steps";
    // An error would not be a bug of that kind.
    EXPECT_EQ(differs.find("failure: "), std::string::npos) << bug.what << "\n" << differs;
    found += std::string(bug.what) + ": " + std::to_string(twins.steps()) + " steps; ";
  }
  RecordProperty("found", found);
}

}  // namespace
}  // namespace tenure::conformance
