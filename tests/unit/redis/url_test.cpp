#include "redis/url.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>

namespace tenure::redis {
namespace {

using namespace std::string_literals;

Address parsed(std::string_view url) {
  const auto address = parse_url(url);
  EXPECT_TRUE(address) << address.error();
  return address.value_or(Address{});
}

std::string error_of(std::string_view url) {
  const auto address = parse_url(url);
  EXPECT_FALSE(address) << "accepted: " << url;
  return address ? "" : address.error();
}

void expect_error(std::string_view url, std::string_view part) {
  EXPECT_NE(error_of(url).find(part), std::string::npos) << url << " gave: " << error_of(url);
}

TEST(Url, AHostAloneHasThePortAndDatabaseOfAnyRedis) {
  const Address expected{.host = "localhost"};
  EXPECT_EQ(parsed("redis://localhost"), expected);
  EXPECT_EQ(parsed("redis://localhost/"), expected);
  EXPECT_EQ(parsed("REDIS://localhost:6379/0"), expected);
}

TEST(Url, EveryPartIsRead) {
  EXPECT_EQ(
      parsed("redis://ann:secret@db.example.com:7000/12"),
      (Address{.host = "db.example.com", .port = 7000, .user = "ann", .password = "secret", .database = 12}));
}

TEST(Url, APasswordNeedsNoUserAndAUserNoPassword) {
  EXPECT_EQ(parsed("redis://:secret@h"), (Address{.host = "h", .password = "secret"}));
  EXPECT_EQ(parsed("redis://ann@h"), (Address{.host = "h", .user = "ann"}));
}

TEST(Url, TlsIsAskedForByTheScheme) {
  EXPECT_EQ(parsed("rediss://h:1"), (Address{.host = "h", .port = 1, .tls = true}));
}

TEST(Url, AnIpv6AddressStandsInBrackets) {
  EXPECT_EQ(parsed("redis://[::1]"), (Address{.host = "::1"}));
  EXPECT_EQ(parsed("redis://u:p@[fe80::1]:7000/3"),
            (Address{.host = "fe80::1", .port = 7000, .user = "u", .password = "p", .database = 3}));
  expect_error("redis://::1:6379", "brackets");
  expect_error("redis://[::1", "]");
  expect_error("redis://[::1]x", "]");
  expect_error("redis://[]", "\"[]\": not an IPv6 address");
  expect_error("redis://[localhost]:1", "\"[localhost]\": not an IPv6 address");
}

TEST(Url, AUnixSocketIsAPath) {
  const auto at = [](std::string path) {
    return Address{.kind = Address::Kind::unix_socket, .path = std::move(path)};
  };
  EXPECT_EQ(parsed("unix:///run/redis.sock"), at("/run/redis.sock"));
  EXPECT_EQ(parsed("unix:///run/my%20redis@1.sock"), at("/run/my redis@1.sock"));
  Address expected = at("/run/redis.sock");
  expected.user = "ann";
  expected.password = "a/b";
  expected.database = 4;
  EXPECT_EQ(parsed("unix://ann:a%2Fb@/run/redis.sock?db=4"), expected);
}

TEST(Url, UserAndPasswordArePercentDecoded) {
  const Address address = parsed("redis://a%3Ab:p%40%2F%3f%23%25%C3%A9@h");
  EXPECT_EQ(address.user, "a:b");
  EXPECT_EQ(address.password, "p@/?#%é");
}

TEST(Url, APasswordMayHoldBareAtSignsAndColons) { EXPECT_EQ(parsed("redis://u:a@b:c@h").password, "a@b:c"); }

TEST(Url, ABadPortIsNamedAndShownIfItIsDigits) {
  for (const auto* port : {"99999", "0", "65536", "", "4294967297", "99999999999999999999"}) {
    expect_error("redis://h:"s + port, "port \""s + port + "\": not 1-65535");
  }
  for (const auto* port : {"x", "-1", "+80", "80x", " 80", "0x50"}) {
    expect_error("redis://u:pw@h:"s + port, "the port after host \"h\" is not a number 1-65535");
  }
}

TEST(Url, ABadDatabaseIsNamedAndTheValueShown) {
  expect_error("redis://h/x", "database \"x\": not a number");
  expect_error("redis://h/-1", "database \"-1\"");
  expect_error("redis://h/1/2", "database \"1/2\"");
  expect_error("redis://h/99999999999", "database \"99999999999\"");
  expect_error("unix:///s?db=x", "database \"x\"");
  expect_error("unix:///s?db=", "database \"\"");
}

TEST(Url, ABadSchemeIsNamedAndTheValueShown) {
  expect_error(
      "http://h",
      "scheme \"http\": not redis, rediss, redis-sentinel, rediss-sentinel, redis-cluster, rediss-cluster "
      "or unix");
  expect_error("://h", "scheme \"\"");
  expect_error("localhost:6379", "no scheme");
  expect_error("redis:/h", "no scheme");
  expect_error("", "empty");
}

TEST(Url, ABadHostIsNamedAndTheValueShown) {
  expect_error("redis://", "host is empty");
  expect_error("redis://:6379", "host is empty");
  expect_error("redis:///0", "host is empty");
  expect_error("redis://u:pw@", "host is empty");
  expect_error("redis://a b", "host \"a b\": not a host name");
  expect_error("redis://h%41", "host \"h%41\"");
  expect_error("redis://" + std::string(254, 'h'), "254 bytes");
}

TEST(Url, ABadPathIsNamed) {
  expect_error("unix://", "path of the socket is empty");
  expect_error("unix:///", "path of the socket is empty");
  expect_error("unix://?db=1", "path of the socket is empty");
  expect_error("unix://run/redis.sock", "third slash");
  expect_error("unix:///a%00b", "control byte");
  expect_error("unix:///a%zz", "two hex digits");
  expect_error("unix:///a#b", "%23");
  EXPECT_EQ(parsed("unix:///" + std::string(106, 'a')).path.size(), 107u);
  expect_error("unix:///" + std::string(107, 'a'), "108 bytes long, at most 107");
}

TEST(Url, AStrayQueryOrFragmentIsRefusedWithoutItsValue) {
  expect_error("redis://h/0?db=1", "query has \"db\"");
  expect_error("redis://h?password=hunter2", "query has \"password\"");
  expect_error("unix:///s?password=hunter2", "query has \"password\"");
  expect_error("redis://h#x", "#");
}

TEST(Url, ControlBytesAndHugeAddressesAreRefused) {
  for (const auto& bad : {"redis://h\n"s, "redis://h\0x"s, "redis://\x1b[31mh"s, "redis://h\x7f"s}) {
    EXPECT_EQ(error_of(bad), "bad Redis address: it has a control byte");
  }
  expect_error("redis://" + std::string(4089, 'a'), "4097 bytes long: at most 4096");
  expect_error("redis://u%0A:p@h", "user name has a control byte");
}

TEST(Url, WhatAnErrorShowsIsSafeToPrint) {
  expect_error("redis://\xff\x9b", "\\xff");
  EXPECT_EQ(error_of("redis://\xff\x9b").find('\xff'), std::string::npos);
}

TEST(Url, NoErrorShowsAnythingOfThePassword) {
  for (const auto* url : {
           "redis://ann:hunter2@",          // no host
           "redis://ann:hunter2@h:99999",   // bad port
           "redis://ann:hunter2@h/x",       // bad database
           "redis://ann:hunter2@h?x=1",     // stray query
           "redis://ann:hunter2@a b",       // bad host
           "redis://ann:hunter2@::1",       // IPv6 without brackets
           "redis://ann:hunter2%zz@h",      // bad escape
           "redis://ann%zz:hunter2@h",      // bad escape in front of it
           "redis://ann:hun/hunter2@h",     // a bare slash ends the host part
           "redis://ann:hunter2/x@h",       //
           "redis://ann:hunter2?x@h",       //
           "redis://ann:hunter2#x@h",       //
           "redis://ann:1/hunter2@h",       //
           "redis://:hunter2",              // the host was forgotten
           "redis://ann:hunter2",           //
           "redis://ann:x:hunter2",         //
           "redis://ann@x.org:hunter2",     // and the name has an @
           "redis://ann:x@y:hunter2",       // or the password has one
           "ann:hunter2@h",                 // the scheme was forgotten
           "ann:hunter2@h://x",             //
           "http://ann:hunter2@h",          //
           "unix://ann:hunter2@h/s",        // a host where none belongs
           "unix://ann:hunter2/s",          //
           "unix://ann:hunter2/x@/s",       //
           "unix://ann:hunter2@/",          //
           "unix://ann:hunter2@/s?x",       //
           "unix://ann:hunter2%@/s",        //
           "redis://ann:hunter2@h\n",       // a control byte
           "redis://h/0?password=hunter2",  // a secret where others put it
       }) {
    EXPECT_EQ(error_of(url).find("hunter2"), std::string::npos) << error_of(url);
    EXPECT_EQ(error_of(url).find("hun"), std::string::npos) << error_of(url);
  }
}

TEST(Url, AnAddressIsShownWithoutItsPassword) {
  EXPECT_EQ(to_text(parsed("redis://h")), "redis://h:6379/0");
  EXPECT_EQ(to_text(parsed("redis://ann:hunter2@h:7000/3")), "redis://ann:***@h:7000/3");
  EXPECT_EQ(to_text(parsed("redis://:hunter2@h")), "redis://:***@h:6379/0");
  EXPECT_EQ(to_text(parsed("rediss://[::1]")), "rediss://[::1]:6379/0");
  EXPECT_EQ(to_text(parsed("unix:///run/redis.sock")), "unix:///run/redis.sock");
  EXPECT_EQ(to_text(parsed("unix://ann:hunter2@/run/r%20s.sock?db=2")),
            "unix://ann:***@/run/r%20s.sock?db=2");
}

TEST(Url, AUserAloneIsHiddenToo) { EXPECT_EQ(to_text(parsed("redis://hunter2@h")), "redis://***@h:6379/0"); }

TEST(Url, WhatIsShownWithoutSecretsIsTheSameAddress) {
  for (const auto* url :
       {"redis://h", "rediss://h:1/5", "redis://[::1]:2", "unix:///a%25b%3Fc%23d?db=3", "unix:///é"}) {
    EXPECT_EQ(parsed(to_text(parsed(url))), parsed(url));
  }
}

TEST(Url, AWholeUrlReadsAsTheSameAddressWithItsSecrets) {
  for (const auto* url : {"redis://h", "redis://:p%40ss%2Fw%3Aord@h:1/5", "rediss://ann:secret@[::1]:2",
                          "unix://ann:se%23cret@/a%25b?db=3", "redis://ann@h"}) {
    EXPECT_EQ(parsed(whole_url(parsed(url))), parsed(url)) << url;
  }
}

TEST(Url, RandomTextNeverCrashes) {
  constexpr std::string_view alphabet = "redis://unix@:[]%2F?#db=0.\x01\xff";
  std::mt19937 random(1);  // NOLINT: the same text in every run
  for (int round = 0; round < 50'000; ++round) {
    std::string url = round % 2 == 0 ? "redis://" : "unix://";
    for (std::size_t i = random() % 30; i > 0; --i) url += alphabet[random() % alphabet.size()];
    const auto address = parse_url(url);
    if (!address || !address->user.empty() || !address->password.empty()) continue;
    EXPECT_EQ(parse_url(to_text(*address)).value(), *address) << url;
  }
}

}  // namespace
}  // namespace tenure::redis
