// Renewals are updates. They must leave the table of leases, and its index, as large as they were.
#include <gtest/gtest.h>

#include "postgres/contender.hpp"

namespace tenure::test {
namespace {

constexpr int names = 100;
constexpr int rounds = 200;
static_assert(names * rounds >= 20'000);

TEST(Bloat, TwentyThousandRenewalsLeaveTheTableOfLeasesAsLargeAsItWas) {
  // Room is made by whoever needs it on a page, and not by a vacuum that comes in time.
  PostgresServer server({.settings = {"autovacuum=off"}});
  set_up(server);
  Contender client(server);
  core::RenewRequest all{long_enough, {}};
  std::string done;
  for (int i = 0; i < names; ++i) {
    const std::string name = "job-" + std::to_string(i);
    ASSERT_EQ(client.acquire(name), "granted");
    all.items.push_back(client.holding(name));
    done += i == 0 ? "done" : " done";
  }
  const auto size = [&](const std::string& function) {
    return std::stoll(server.query("SELECT " + function + "('tenure.lease')"));
  };
  const auto table = size("pg_relation_size");
  const auto index = size("pg_indexes_size");
  const std::string first = server.query("SELECT min(ends) FROM tenure.lease");
  for (int i = 0; i < rounds; ++i) ASSERT_EQ(client.said_to(all), done);
  EXPECT_EQ(server.query("SELECT bool_and(ends > '" + first + "') FROM tenure.lease"), "t");
  EXPECT_LE(size("pg_relation_size"), table + 8 * 8192);
  EXPECT_EQ(size("pg_indexes_size"), index);
}

}  // namespace
}  // namespace tenure::test
