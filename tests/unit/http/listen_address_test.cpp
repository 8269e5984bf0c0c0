#include "http/listen_address.hpp"

#include <gtest/gtest.h>

namespace tenure::http {
namespace {

TEST(ListenAddress, AnAddressAndAPortAreWhatTheySay) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:9090"), (ListenAddress{"127.0.0.1", 9090}));
  EXPECT_EQ(parse_listen_address("10.1.2.3:0"), (ListenAddress{"10.1.2.3", 0}));
  EXPECT_EQ(parse_listen_address("[::1]:9090"), (ListenAddress{"::1", 9090}));
  EXPECT_EQ(parse_listen_address("[0:0:0:0:0:0:0:1]:65535"), (ListenAddress{"::1", 65'535}));
}

TEST(ListenAddress, APortAloneIsOnLoopback) {
  for (const auto* text : {"9090", ":9090", "localhost:9090"}) {
    EXPECT_EQ(parse_listen_address(text), (ListenAddress{"127.0.0.1", 9090})) << text;
  }
}

TEST(ListenAddress, AStarMeansAllAddresses) {
  const auto all = parse_listen_address("*:9090");
  EXPECT_EQ(all, (ListenAddress{"0.0.0.0", 9090}));
  EXPECT_TRUE(all->is_unspecified());
  EXPECT_FALSE(all->is_loopback());
}

TEST(ListenAddress, EverythingElseIsRefusedInASentenceThatShowsIt) {
  for (const auto* text : {"",
                           ":",
                           "127.0.0.1",
                           "127.0.0.1:",
                           "127.0.0.1:x",
                           "127.0.0.1:-1",
                           "127.0.0.1:65536",
                           "127.0.0.1:9090 ",
                           " 9090",
                           "::1:9090",
                           "[::1]",
                           "[::1]9090",
                           "[127.0.0.1]:9090",
                           "[localhost]:9090",
                           "[]:9090",
                           "[*]:9090",
                           "web-1:9090",
                           "256.0.0.1:9090",
                           "127.1:9090",
                           "http://127.0.0.1:9090"}) {
    const auto parsed = parse_listen_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_TRUE(parsed.error().starts_with("\"" + std::string(text) + "\" is not an address"))
        << parsed.error();
  }
}

TEST(ListenAddress, LoopbackIsWhatOnlyThisMachineReaches) {
  for (const auto* ip : {"127.0.0.1", "127.8.9.10", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE((ListenAddress{ip, 1}.is_loopback())) << ip;
  }
  for (const auto* ip : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "::2", "::ffff:10.0.0.1", "127::1"}) {
    EXPECT_FALSE((ListenAddress{ip, 1}.is_loopback())) << ip;
  }
}

TEST(ListenAddress, IsWrittenAsItIsRead) {
  for (const auto* text : {"127.0.0.1:9090", "[::1]:9090", "[fe80::1]:0"}) {
    EXPECT_EQ(parse_listen_address(text)->text(), text);
  }
}

}  // namespace
}  // namespace tenure::http
