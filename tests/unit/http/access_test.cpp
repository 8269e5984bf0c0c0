// Who is let in: hosts, tokens, and the file that holds one.
#include "http/access.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "http/host_check.hpp"
#include "http/token.hpp"
#include "support/directory.hpp"

namespace tenure::http {
namespace {

using Verdict = Access::Verdict;

const std::string token = "0123456789abcdef";

TEST(HostCheck, LoopbackNamesAndAddressesAreThisMachine) {
  for (const auto* host : {"localhost", "LOCALHOST:9090", "localhost.", "localhost.:80", "127.0.0.1",
                           "127.0.0.1:9090", "127.9.9.9:1", "[::1]", "[::1]:9090"}) {
    EXPECT_TRUE(is_own_host(host, {"127.0.0.1", 9090}, "web-1")) << host;
  }
}

TEST(HostCheck, NamesOfOthersAreNot) {
  for (const auto* host :
       {"", ":9090", "evil.example", "evil.example:9090", "localhost.evil.example", "127.0.0.1.evil.example",
        "10.0.0.1:9090", "[::2]", "web-1.evil.example", "[", "[]", "0.0.0.0", "localhost@evil.example"}) {
    EXPECT_FALSE(is_own_host(host, {"127.0.0.1", 9090}, "web-1")) << host;
  }
}

TEST(HostCheck, TheAddressThatIsListenedOnIsThisMachineAndSoIsItsName) {
  EXPECT_TRUE(is_own_host("10.0.0.1:9090", {"10.0.0.1", 9090}, ""));
  EXPECT_TRUE(is_own_host("[fe80:0:0::1]:9090", {"fe80::1", 9090}, ""));
  EXPECT_TRUE(is_own_host("Web-1:9090", {"10.0.0.1", 9090}, "web-1"));
  EXPECT_TRUE(is_own_host("web-1:9090", {"10.0.0.1", 9090}, "web-1.example.org"));
  EXPECT_TRUE(is_own_host("web-1.example.org", {"10.0.0.1", 9090}, "web-1.example.org"));
  EXPECT_FALSE(is_own_host("10.0.0.2:9090", {"10.0.0.1", 9090}, ""));
}

TEST(HostCheck, WhoListensEverywhereIsCalledByAnyAddressAndByNoName) {
  EXPECT_TRUE(is_own_host("10.0.0.2:9090", {"0.0.0.0", 9090}, ""));
  EXPECT_TRUE(is_own_host("[fe80::1]", {"::", 9090}, ""));
  EXPECT_FALSE(is_own_host("evil.example", {"0.0.0.0", 9090}, ""));
}

TEST(Token, IsShownAsABearerAndWhole) {
  EXPECT_TRUE(shows_token("Bearer " + token, token));
  EXPECT_TRUE(shows_token("bearer " + token, token));
  for (const std::string& header :
       std::vector<std::string>{std::string(), std::string("Bearer"), std::string("Bearer "), token,
                                "Basic " + token, "Bearer " + token.substr(1), "Bearer " + token + "0",
                                "Bearer  " + token, "Bearer 0123456789abcdeF", "Bearer x123456789abcdef"}) {
    EXPECT_FALSE(shows_token(header, token)) << header;
  }
}

TEST(Access, WithoutATokenWhoNamesThisMachineSeesEverything) {
  const Access access{"", {"127.0.0.1", 1}, ""};
  EXPECT_EQ(access.admit({"localhost", ""}), Verdict::trusted);
  EXPECT_EQ(access.admit({"evil.example", ""}), Verdict::wrong_host);
  EXPECT_EQ(access.admit({"evil.example", "Bearer "}), Verdict::wrong_host);
}

TEST(Access, WithATokenWhoShowsItMayUseAnyName) {
  const Access access{token, {"10.0.0.1", 1}, ""};
  EXPECT_EQ(access.admit({"tenure.example.org", "Bearer " + token}), Verdict::trusted);
  EXPECT_EQ(access.admit({"10.0.0.1", "Bearer " + token}), Verdict::trusted);
  EXPECT_EQ(access.admit({"10.0.0.1", "Bearer wrong"}), Verdict::everybody);
  EXPECT_EQ(access.admit({"10.0.0.1", ""}), Verdict::everybody);
  EXPECT_EQ(access.admit({"tenure.example.org", "Bearer wrong"}), Verdict::wrong_host);
}

TEST(Access, APageOfAnotherSiteMayAskForNothingUnlessItShowsTheToken) {
  const Access open{"", {"127.0.0.1", 1}, ""};
  const Access closed{token, {"127.0.0.1", 1}, ""};
  for (const auto* site : {"cross-site", "same-site"}) {
    EXPECT_EQ(open.admit({"localhost", "", site}), Verdict::foreign_page);
    EXPECT_EQ(closed.admit({"localhost", "", site}), Verdict::foreign_page);
    EXPECT_EQ(closed.admit({"localhost", "Bearer " + token, site}), Verdict::trusted);
  }
  for (const auto* site : {"", "same-origin", "none"}) {
    EXPECT_EQ(open.admit({"localhost", "", site}), Verdict::trusted) << site;
  }
}

class TokenFileTest : public testing::Test {
 protected:
  std::string write(const std::string& text, mode_t mode = 0600) const {
    const std::string path = directory.path() / "token";
    std::ofstream(path) << text;
    chmod(path.c_str(), mode);
    return path;
  }

  test::Directory directory{"token"};
};

TEST_F(TokenFileTest, HoldsOneLine) {
  for (const auto& text : {token, token + "\n", token + "\r\n"}) {
    const auto file = read_token_file(write(text));
    ASSERT_TRUE(file) << file.error();
    EXPECT_EQ(file->token, token);
    EXPECT_FALSE(file->exposed);
  }
}

TEST_F(TokenFileTest, OneThatOthersCanReadIsExposed) {
  EXPECT_TRUE(read_token_file(write(token, 0640))->exposed);
  EXPECT_TRUE(read_token_file(write(token, 0604))->exposed);
}

TEST_F(TokenFileTest, OneThatIsNoneIsRefusedAndNotShown) {
  for (const std::string& text : std::vector<std::string>{
           std::string(), std::string("secret\n"), token + "\n" + token, token + " x", "\n" + token,
           std::string(513, 'x'), std::string(5'000, 'x'), token + "\x80"}) {
    const auto file = read_token_file(write(text));
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error().find("secret"), std::string::npos) << file.error();
    EXPECT_EQ(file.error().find(token), std::string::npos) << file.error();
  }
  EXPECT_FALSE(read_token_file(directory.path() / "nothing"));
}

}  // namespace
}  // namespace tenure::http
