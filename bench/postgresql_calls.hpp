// The statements of the floors on PostgreSQL: the plainest lock with a time that is still one, and Tenure's own functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/lease/grant.hpp"
#include "postgresql.hpp"
#include "postgresql_floor.hpp"

namespace tenure::bench {

// A row is inserted, or taken over when its time is over, and deleted.
class InsertDelete {
 public:
  // Of each connection.
  static void prepare(PostgresFloor& by) {
    by.execute(
        "SET client_min_messages = warning; CREATE TABLE IF NOT EXISTS by_hand (name text PRIMARY KEY, owner "
        "text NOT NULL, ends timestamptz "
        "NOT NULL)");
    by.prepare("take",
               "INSERT INTO by_hand AS h VALUES ($1, $2, clock_timestamp() + interval '30 s') "
               "ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, ends = excluded.ends "
               "WHERE h.ends < clock_timestamp()");
    by.prepare("give", "DELETE FROM by_hand WHERE name = $1 AND owner = $2");
    by.prepare("give sooner",
               "DELETE FROM by_hand WHERE name = $1 AND owner = $2 "
               "AND set_config('synchronous_commit', 'off', true) IS NOT NULL");
  }
  explicit InsertDelete(std::string name) : name_(std::move(name)) {}
  Prepared acquire() {
    owner_ = "floor" + std::to_string(++nonce_);
    return {"take", {name_, owner_}, "1"};
  }
  Prepared release() const { return {"give", {name_, owner_}, "1"}; }

 private:
  std::string name_;
  std::string owner_;
  std::uint64_t nonce_ = 0;
};

// The same, with a DELETE that waits for no disk, as no release of Tenure does: a crash may forget it, and the name is then
// taken until its time is over.
class InsertDeleteSooner : public InsertDelete {
 public:
  using InsertDelete::InsertDelete;
  Prepared release() const {
    Prepared it = InsertDelete::release();
    it.name = "give sooner";
    return it;
  }
};

// The same functions with the same arguments as Tenure's.
class SameFunctions {
 public:
  // Of each connection.
  static void prepare(PostgresFloor& by) {
    const SameFunctions any("any", {});
    by.prepare("acquire", std::string(any.acquire_call().statement));
    by.prepare("release", std::string(any.release_call().statement));
  }
  SameFunctions(const std::string& name, std::string epoch)
      : name_("redlock:" + name), epoch_(std::move(epoch)) {}
  Prepared acquire() {
    grant_ = core::Grant("floor", ++nonce_);
    return {"acquire", acquire_call().arguments, "granted"};
  }
  Prepared release() const { return {"release", release_call().arguments, "{1}"}; }

 private:
  static constexpr std::chrono::milliseconds ttl{30'000};

  // As one who has seen no token there.
  postgres::Call acquire_call() const {
    return postgres::call_of(core::AcquireRequest{name_, grant_, ttl}, Database::keyspace(), {epoch_});
  }
  postgres::Call release_call() const {
    return postgres::call_of(core::ReleaseRequest{name_, grant_}, Database::keyspace(), {epoch_});
  }

  std::string name_;
  std::string epoch_;
  core::Grant grant_;
  std::uint64_t nonce_ = 0;
};

}  // namespace tenure::bench
