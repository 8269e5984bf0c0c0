#include "kubernetes/net/credentials.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/directory.hpp"

namespace tenure::test {
namespace {

std::string header_of(kubernetes::Credentials& credentials) {
  const auto header = credentials.header();
  if (!header) return header.error().detail;
  return header->value_or("none");
}

TEST(Credentials, ATokenFileThatIsEmptyOrAwayForAMomentKeepsTheToken) {
  const Directory directory("token");
  const std::string path = directory.path() / "token";
  std::ofstream(path) << " first\n";
  kubernetes::Credentials credentials({}, path);
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer first");
  std::ofstream(path) << "\n";
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer first");
  std::ofstream(path).close();
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer first");
  EXPECT_FALSE(credentials.renew());
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer first");
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer first");
  std::ofstream(path) << "second\n";
  EXPECT_EQ(header_of(credentials), "Authorization: Bearer second");
}

TEST(Credentials, AFileWithoutATokenIsNone) {
  const Directory directory("token");
  const std::string path = directory.path() / "token";
  for (const auto* text : {"", "\n", "two words", "a\r\nb"}) {
    std::ofstream(path) << text;
    kubernetes::Credentials credentials({}, path);
    EXPECT_NE(header_of(credentials).find("there is no token"), std::string::npos) << text;
  }
}

// Nobody waits for a pipe that nobody writes to.
TEST(Credentials, ATokenFileIsARegularFile) {
  const Directory directory("token");
  const std::string path = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  kubernetes::Credentials credentials({}, path);
  EXPECT_NE(header_of(credentials).find("no regular file"), std::string::npos);
  kubernetes::Credentials of_directory({}, directory.path().string());
  EXPECT_NE(header_of(of_directory).find("no regular file"), std::string::npos);
}

}  // namespace
}  // namespace tenure::test
