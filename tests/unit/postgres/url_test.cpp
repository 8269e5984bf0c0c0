// URLs of PostgreSQL, as far as they are looked at without libpq.
#include "postgres/url.hpp"

#include <gtest/gtest.h>

namespace tenure::postgres {
namespace {

TEST(PostgresUrl, IsToldByItsScheme) {
  EXPECT_TRUE(is_url("postgresql://h/d"));
  EXPECT_TRUE(is_url("postgres://h/d"));
  EXPECT_FALSE(is_url("redis://h"));
  EXPECT_FALSE(is_url("host=h dbname=d"));
}

TEST(PostgresUrl, WithoutPasswordsIsTheSameOtherwise) {
  EXPECT_EQ(without_passwords("postgresql://a:b@h/d"), "postgresql://a@h/d");
  EXPECT_EQ(without_passwords("postgresql://a:b:c@h:5/d?x=1"), "postgresql://a@h:5/d?x=1");
  EXPECT_EQ(without_passwords("postgresql://a:b?c@h/d"), "postgresql://a@h/d");
  EXPECT_EQ(without_passwords("postgresql://:b@/d?host=/x"), "postgresql://@/d?host=/x");
  EXPECT_EQ(without_passwords("postgresql://h:5/d?password=b"), "postgresql://h:5/d");
  EXPECT_EQ(without_passwords("postgresql://h:5/d?password=b&x=1"), "postgresql://h:5/d?x=1");
  EXPECT_EQ(without_passwords("postgresql://h/d?x=1&password=b&sslpassword=c"), "postgresql://h/d?x=1");
  EXPECT_EQ(without_passwords("postgresql://h/d?x=1&password=b&y=2"), "postgresql://h/d?x=1&y=2");
  for (const char* without : {"postgresql://h:5/d", "postgresql://a@h:5,i:6/d?sslmode=verify-full",
                              "postgresql:///d?host=/x&options=-c%20a", "postgresql://[::1]:5/d"}) {
    EXPECT_EQ(without_passwords(without), without);
  }
}

}  // namespace
}  // namespace tenure::postgres
