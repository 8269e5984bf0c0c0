#include "poll/local_address.hpp"

#include <gtest/gtest.h>

namespace tenure::poll {
namespace {

TEST(LocalAddress, IsLoopbackLinkLocalOrUnspecifiedHoweverItIsWritten) {
  for (const char* address :
       {"127.0.0.1", "127.255.0.3", "0.0.0.0", "0.1.2.3", "169.254.169.254", "::1", "::", "fe80::1",
        "febf::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0"}) {
    EXPECT_TRUE(is_local(std::string(address))) << address;
  }
  for (const char* address :
       {"126.255.255.255", "128.0.0.1", "1.0.0.0", "169.253.1.1", "169.255.1.1", "10.0.0.1", "192.168.1.1",
        "::2", "fe7f::1", "fec0::1", "fd00::1", "::ffff:10.0.0.1", "2001:db8::1", "", "localhost"}) {
    EXPECT_FALSE(is_local(std::string(address))) << address;
  }
}

}  // namespace
}  // namespace tenure::poll
