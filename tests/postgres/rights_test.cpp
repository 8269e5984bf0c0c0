// The least rights by which all that a client asks for works, and by which an application may ask whether it still holds a name.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "postgres/contender.hpp"
#include "postgres/grants.hpp"
#include "postgres/net/asked_server.hpp"
#include "postgres/net/postgres_node.hpp"
#include "postgres/session_call.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;

using postgres::Use;

// "SELECT ON TABLE tenure.record", each alone.
std::vector<std::string> single_rights_in(Use use) {
  std::vector<std::string> rights;
  std::istringstream lines(postgres::grants(use, "web"));
  const std::string grant = "GRANT ";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(grant)) continue;
    const auto on = line.find(" ON ");
    const std::string object = line.substr(on, line.find(" TO ") - on);
    // At commas that are in no parentheses.
    std::string right;
    int depth = 0;
    for (const char letter : line.substr(grant.size(), on - grant.size()) + ",") {
      if (letter == '(') ++depth;
      if (letter == ')') --depth;
      if (letter == ',' && depth == 0) {
        rights.push_back(right.substr(right.find_first_not_of(' ')) + object);
        right.clear();
      } else {
        right += letter;
      }
    }
  }
  return rights;
}

// People copy them from there.
TEST(GuideToPostgresql, NamesTheRightsThatAreNeeded) {
  std::ifstream guide(std::string(paths::source_dir) + "/docs/postgresql.md");
  std::string found;
  for (std::string line; std::getline(guide, line);) {
    if (line.starts_with("GRANT ")) found += line + "\n";
  }
  EXPECT_EQ(found, postgres::grants(Use::leases, "web") + postgres::grants(Use::fleets, "web") +
                       postgres::grants(Use::fencing, "web"));
}

class Rights : public testing::Test {
 protected:
  Rights() {
    set_up(server.url_of("postgres"));
    server.execute("CREATE ROLE web LOGIN");
  }

  PostgresServer server;
};

class ForLeases : public Rights {
 protected:
  ForLeases() {
    server.execute(postgres::grants(Use::leases, "web"));
    // So many that they are swept.
    server.execute("ALTER TABLE tenure.lease SET (autovacuum_enabled = false)");
    server.execute(
        "INSERT INTO tenure.lease (name) SELECT repeat('x', 400) || i FROM generate_series(1, 400) i");
  }

  // All that a client can ask for, from a server that knows nothing of its prefix on; what that was answered, without order.
  std::set<std::string> all_answers() {
    const std::string prefix = "p" + std::to_string(++prefixes_) + ":";
    const std::vector<postgres::Address> addresses{postgres::parse_url(server.url_of("web")).value()};
    const postgres::Keyspace keyspace{.prefix = prefix, .cap = usual_terms.cap, .set = usual_terms.set};
    const auto node = postgres::make_nodes(addresses, keyspace).front();
    Contender one(node, prefix + "1");
    Contender two(node, prefix + "2");
    const std::string job = prefix + "job";
    const auto beat = [&](core::Ttl ttl) { return core::BeatRequest{prefix + "fleet:", "one", {}, ttl}; };

    std::set<std::string> answers;
    const auto note = [&](const std::string& said) { answers.insert(said); };
    note(one.acquire(job));
    note(one.open());
    note(one.acquire(job));
    note(two.acquire(job));
    note(two.wait(job));
    note(one.renew(job));
    note(one.said_to(core::ConfirmRequest{job, one.holding(job).grant, one.token(job)}));
    note(one.reassert(job));
    note(one.said_to(core::ReassertRequest{long_enough, true, {{job + "2", core::Grant("web", 1), 1}}}));
    note(one.release(job));
    note(two.wait(job));
    note(two.release(job));
    note(one.said_to(core::LookRequest{{job}}));
    note(one.said_to(core::ClockRequest{}));
    note(one.said_to(beat(long_enough)));
    note(one.said_to(beat(long_enough)));
    note(one.said_to(core::ListsRequest{prefix + "fleet:", {"one"}}));
    note(one.said_to(beat(core::Ttl(0))));
    return answers;
  }

 private:
  int prefixes_ = 0;
};

TEST_F(ForLeases, AreEnoughForAllThatAClientAsksAndNotWithOneLess) {
  const std::set<std::string> expected{"quarantined: unknown",
                                       "opened",
                                       "granted",
                                       "held by p1:1",
                                       "done",
                                       "1 states",
                                       "time",
                                       "1 live",
                                       "1 lists",
                                       "0 live"};
  EXPECT_EQ(all_answers(), expected);
  for (const std::string& right : single_rights_in(Use::leases)) {
    server.execute("REVOKE " + right + " FROM web");
    EXPECT_TRUE(all_answers().contains("no permission")) << "nothing needs " << right;
    server.execute("GRANT " + right + " TO web");
  }
  EXPECT_FALSE(all_answers().contains("no permission"));
}

// Also what was first asked for while the right was missing.
TEST_F(ForLeases, ThatAreGivenLaterAreFoundByTheSameConnection) {
  Contender client(server.url_of("web"));
  ASSERT_EQ(client.acquire(), "granted");
  server.execute("REVOKE USAGE ON SCHEMA tenure FROM web");
  EXPECT_EQ(client.renew(), "no permission");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  EXPECT_NE(client.failure().detail.find("tenure"), std::string::npos) << client.failure().detail;
  server.execute("GRANT USAGE ON SCHEMA tenure TO web");
  // It was prepared while it was not allowed, and so it was not.
  EXPECT_EQ(client.renew(), "closed");
  EXPECT_EQ(client.failure().applied, core::Applied::no);
  EXPECT_EQ(client.renew(), "done") << client.failure().detail;
}

class ForFleets : public Rights {
 protected:
  ForFleets() {
    server.execute(postgres::grants(Use::leases, "web"));
    server.execute(postgres::grants(Use::fleets, "web"));
  }

  // All that an instance, and whoever writes sessions, asks for, in a fleet that nobody knows yet; what was answered.
  std::set<std::string> all_answers() {
    const std::string fleet = "f" + std::to_string(++fleets_);
    const auto asked = postgres::server_at(postgres::parse_url(server.url_of("web")).value(), 10s);
    std::set<std::string> answers;
    const auto note = [&](const postgres::Call& call) {
      const auto rows = asked->ask(call);
      answers.insert(rows                                                    ? "done"
                     : rows.error().code == core::FailureCode::no_permission ? "no permission"
                                                                             : rows.error().detail);
    };
    const postgres::NewResult result{"s", "", 1, "{}", 1, 1};
    note(postgres::session_put_call(fleet, {"s", "{}"}, std::nullopt));
    note(postgres::session_put_call(fleet, {"s", "{ }"}, "{}"));
    note(postgres::sessions_call(fleet, 0, 10));
    note(postgres::session_text_call(fleet, "s", 10));
    note(postgres::publish_call(fleet, {&result, 1}));
    note(postgres::publish_call(fleet, {&result, 1}));
    note(postgres::results_call(fleet, {&result.session, 1}, 10));
    note(postgres::beats_call(fleet));
    note(postgres::session_remove_call(fleet, "s"));
    return answers;
  }

 private:
  int fleets_ = 0;
};

TEST_F(ForFleets, AreEnoughForAllThatAnInstanceAsksAndNotWithOneLess) {
  EXPECT_EQ(all_answers(), std::set<std::string>{"done"});
  for (const std::string& right : single_rights_in(Use::fleets)) {
    server.execute("REVOKE " + right + " FROM web");
    EXPECT_TRUE(all_answers().contains("no permission")) << "nothing needs " << right;
    server.execute("GRANT " + right + " TO web");
  }
  EXPECT_EQ(all_answers(), std::set<std::string>{"done"});
}

class ForFencing : public Rights {
 protected:
  ForFencing() { server.execute(postgres::grants(Use::fencing, "web")); }
};

TEST_F(ForFencing, AreEnoughToAskAndChangeNothingAndNotEnoughWithOneLess) {
  Contender holder(server.url_of("postgres"));
  ASSERT_EQ(holder.acquire(), "granted");
  const std::string token = std::to_string(holder.token());
  Application writer(server.url_of("web"));
  EXPECT_EQ(writer.query("SELECT tenure.holds('job', " + token + ")"), "t");
  EXPECT_EQ(writer.error("SELECT tenure.fence('job', " + token + ")"), "");
  EXPECT_NE(writer.error("SELECT tenure.fence('job', 1)").find("TN002"), std::string::npos);
  for (const char* forbidden : {"DELETE FROM tenure.lease", "UPDATE tenure.lease SET ends = 'infinity'",
                                "UPDATE tenure.lease SET token = 1", "SELECT owner FROM tenure.lease",
                                "SELECT nextval('tenure.fence')",
                                "SELECT tenure.clock(), tenure.open('tenure:', 60000, '1', 'e0', 1)"}) {
    EXPECT_NE(writer.error(forbidden).find("permission denied"), std::string::npos) << forbidden;
  }
  for (const std::string& right : single_rights_in(Use::fencing)) {
    server.execute("REVOKE " + right + " FROM web");
    EXPECT_NE(writer.error("SELECT tenure.holds('job', " + token + ")").find("permission denied"),
              std::string::npos)
        << "it does not need " << right;
    server.execute("GRANT " + right + " TO web");
  }
}

}  // namespace
}  // namespace tenure::test
