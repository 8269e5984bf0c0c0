// What people paste means what we meant.
#include "cli/shell_word.hpp"

#include <gtest/gtest.h>

#include "cli/nodes/advice.hpp"

namespace tenure::cli {
namespace {

TEST(ShellWord, WhatNoShellChangesStaysAsItIs) {
  for (const std::string text : {"redis://10.0.0.5:6379/0", "/etc/ssl/ca.pem", "my-app:", "50%", "a,b@c+d"}) {
    EXPECT_EQ(shell_word(text), text);
  }
}

TEST(ShellWord, WhatAShellWouldChangeIsQuoted) {
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("my files/ca.pem"), "'my files/ca.pem'");
  EXPECT_EQ(shell_word("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_word("$HOME;`ls` \\ \"*\" ~ #"), R"('$HOME;`ls` \ "*" ~ #')");
  EXPECT_EQ(shell_word("redis://[::1]:6379/0"), "'redis://[::1]:6379/0'");
  EXPECT_EQ(shell_word("unix:///redis.sock?db=3"), "'unix:///redis.sock?db=3'");
  EXPECT_EQ(shell_word("größe"), "'größe'");
}

TEST(ShellWord, WhatATerminalWouldObeyIsEscaped) {
  EXPECT_EQ(shell_word("a\nb's\\c\x1b"), R"($'a\x0ab\'s\\c\x1b')");
  EXPECT_EQ(shell_word("\xff"), R"($'\xff')");
}

TEST(ShellWord, PathsInAdviceAreQuotedAndNeverCut) {
  const std::string path = "/home/ann/my files/" + std::string(300, 'x') + "/ca.pem";
  const Nodes nodes{.addresses = {redis::parse_url("rediss://[::1]").value()},
                    .keyspace = {.prefix = "my app:"},
                    .tls_options = {.ca_file = path, .key_file = "/etc/key.pem"}};
  EXPECT_EQ(node_options(nodes), " --redis 'rediss://[::1]:6379/0' --prefix 'my app:' --tls-ca '" + path +
                                     "' --tls-key /etc/key.pem");
}

// It stands in double quotes, so that the shell puts the password in; nothing else may mean anything to it there.
TEST(ShellWord, OnlyThePasswordIsPutIntoAdviceByTheShell) {
  const Nodes nodes{.addresses = {redis::parse_url("redis://$(id)`\"\\!:secret@a").value(),
                                  redis::parse_url("unix://:secret@/tmp/$HOME`\"\\!.sock").value()}};
  const std::string advice = how_to_init(nodes);
  const std::string start = "TENURE_REDIS=\"";
  const auto at = advice.find(start) + start.size();
  std::string urls = advice.substr(at, advice.rfind('"') - at);
  const std::string password = "$REDIS_PASSWORD";
  for (const auto& address : nodes.addresses) {
    ASSERT_NE(urls.find(password), std::string::npos) << redis::to_text(address);
    urls.erase(urls.find(password), password.size());
  }
  EXPECT_EQ(urls.find_first_of("$`\"\\!"), std::string::npos) << urls;
  EXPECT_EQ(urls.find("secret"), std::string::npos) << urls;
}

}  // namespace
}  // namespace tenure::cli
