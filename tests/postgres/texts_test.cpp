// Names of leases and owners are only ever data, whatever is in them, and in whatever encoding the database is.
#include <gtest/gtest.h>

#include <list>

#include "core/base/names.hpp"
#include "postgres/contender.hpp"

namespace tenure::test {
namespace {

std::string long_name() {
  std::string name;
  while (name.size() + 14 <= core::name_length_max) name += R"("\{},' NULL;$1)";
  return name + std::string(core::name_length_max - name.size(), '\\');
}

const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> texts{"'); DROP SCHEMA tenure CASCADE; --",
                                              "NULL",
                                              "null",
                                              "\"",
                                              "\\",
                                              "{",
                                              "}",
                                              "{}",
                                              ",",
                                              " ",
                                              "  two  spaces  ",
                                              "a\"b\\c{d}e,f g",
                                              "$1",
                                              "%s%d%n",
                                              "tenure_x\"; NOTIFY y; --",
                                              "/etc/passwd",
                                              "granted 1",
                                              "-1",
                                              "\xC3\xBC",
                                              long_name()};
  return texts;
}

// All that has a name in it, of all of them at once.
void expect_that_all_are_told_apart(const std::string& url, const std::vector<std::string>& texts) {
  Contender rival(url, "rival");
  core::RenewRequest all{long_enough, {}};
  core::LookRequest look{};
  std::list<Contender> holders;
  for (const std::string& text : texts) {
    Contender& holder = holders.emplace_back(url, text);
    ASSERT_EQ(holder.acquire(text), "granted") << text << ": " << holder.failure().detail;
    EXPECT_EQ(rival.acquire(text), "held by " + text);
    EXPECT_EQ(rival.wait(text), "held by " + text);
    all.items.push_back(holder.holding(text));
    look.keys.push_back(text);
  }
  const auto renewed = rival.ask(all);
  EXPECT_EQ(std::get<core::KeyAnswers>(renewed), core::KeyAnswers(texts.size(), core::KeyAnswer::done));
  const auto put_back = rival.ask(core::ReassertRequest{long_enough, false, all.items});
  EXPECT_EQ(std::get<core::KeyAnswers>(put_back), core::KeyAnswers(texts.size(), core::KeyAnswer::done));
  const auto looked = rival.ask(look);
  const auto& states = std::get<core::KeyStates>(looked);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(states[i].grant, all.items[i].grant) << texts[i];
    EXPECT_EQ(states[i].waiters, 1) << texts[i];
  }
  for (Contender& holder : holders) EXPECT_EQ(holder.release(holder.owner()), "done") << holder.owner();
}

TEST(Texts, OfNamesAndOwnersAreTakenLiterally) {
  PostgresServer server;
  set_up(server);
  std::vector<std::string> texts = odd_texts();
  texts.insert(texts.end(), {"\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x94\x92", "e\xCC\x81", "\xC3\xA9"});
  expect_that_all_are_told_apart(server.url(), texts);

  // An owner is told its wake-ups on a channel of its own.
  Contender holder(server, "holder");
  for (const std::string& text : texts) {
    const auto node = node_at(server.url());
    Hearing hearing(node, node->wake_ups(text));
    Contender waiter(node, text);
    ASSERT_EQ(holder.acquire(), "granted");
    ASSERT_EQ(waiter.wait(), "held by holder");
    ASSERT_EQ(holder.release(), "done");
    const auto message = hearing.next();
    ASSERT_TRUE(message) << text;
    EXPECT_EQ(std::get<runtime::WakeUp>(*message).ticket.owner(), text);
    ASSERT_EQ(waiter.wait(), "granted") << text;
    ASSERT_EQ(waiter.release(), "done");
  }
}

TEST(Texts, WorkInDatabasesOfOtherEncodingsOrAreRefusedWithASentence) {
  PostgresServer server;
  // From this one alone a database of another encoding can be made.
  server.execute("CREATE DATABASE template0 TEMPLATE template1");
  for (const char* encoding : {"LATIN1", "SQL_ASCII"}) {
    server.execute(
        "CREATE DATABASE odd TEMPLATE template0 OWNER tenure LC_COLLATE 'C' LC_CTYPE 'C' ENCODING '" +
        std::string(encoding) + "'");
    const std::string url = server.url_of("tenure", "odd");
    set_up(url);
    expect_that_all_are_told_apart(url, odd_texts());
    Contender client(url);
    const std::string said = client.acquire("\xE6\x97\xA5\xE6\x9C\xAC");
    if (std::string(encoding) == "LATIN1") {
      EXPECT_EQ(said, "server");
      EXPECT_EQ(client.failure().applied, core::Applied::no);
      EXPECT_NE(client.failure().detail.find("not in UTF-8"), std::string::npos) << client.failure().detail;
      EXPECT_EQ(client.acquire(), "granted") << "the connection goes on";
    } else {
      EXPECT_EQ(said, "granted") << "it takes every byte";
    }
    server.execute("DROP DATABASE odd WITH (FORCE)");
  }
}

}  // namespace
}  // namespace tenure::test
