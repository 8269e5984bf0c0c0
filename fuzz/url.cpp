// What people type as the address of a Redis: it is read or refused, and no password is ever shown.
// A first line is tried as it stands; the others are what stands before and behind a password of ours.
#include "redis/url.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/check.hpp"
#include "fuzz/target.hpp"
#include "fuzz/values.hpp"

namespace tenure::fuzz {

namespace {

using core::must;
using redis::Address;

// Accepted is nothing longer; what is shown may be longer, by its percent signs.
constexpr std::size_t url_length_max = 4096;

void expect_shown_well(const Address& address) {
  const std::string text = redis::to_text(address);
  must(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }),
       "an address drives no terminal");

  Address other = address;
  other.password = address.password.empty() ? "" : "another";
  other.group.password = address.group.password.empty() ? "" : "another";
  must(redis::to_text(other) == text, "an address looks the same with another password");

  if (text.size() > url_length_max) return;
  const auto again = redis::parse_url(text);
  must(again.has_value(), "what is shown can be read");
  Address expected = address;
  // A user alone may be a password, and is hidden, too.
  if (address.password.empty()) expected.user = address.user.empty() ? "" : "***";
  expected.password = address.password.empty() ? "" : "***";
  expected.group.user = address.group.user.empty() ? "" : "***";
  expected.group.password = address.group.password.empty() ? "" : "***";
  must(*again == expected, "what is shown is the same address");
  // And so it stays.
  must(redis::to_text(*again) ==
           (address.password.empty() && !address.user.empty() ? text : redis::to_text(expected)),
       "what was shown is shown the same way");
}

void try_url(std::string_view url) {
  const auto address = redis::parse_url(url);
  if (address) {
    expect_shown_well(*address);
  } else {
    must(!address.error().empty(), "a refusal says why");
  }
}

constexpr std::string_view secret = "Hunter2-Pass.word_9";

void expect_hidden(const std::string& url) {
  const auto address = redis::parse_url(url);
  const std::string said = address ? redis::to_text(*address) : address.error();
  must(said.find(secret) == std::string::npos, "a password is in no message");
}

void try_secret(std::string_view user, std::string_view behind) {
  // Behind these it would be a database, a path or an IPv6 address, and no password by anybody's reading.
  if (user.find_first_of("/?#[,") != std::string_view::npos) return;
  // The fuzzer learns our password, and puts it where it is none.
  if (std::string(user).append(behind).find(secret) != std::string::npos) return;
  for (const std::string_view scheme :
       {"redis", "rediss", "redis-sentinel", "redis-cluster", "unix", "http", "REDIS"}) {
    const std::string before = std::string(scheme).append("://").append(user);
    expect_hidden(std::string(before).append(":").append(secret).append("@").append(behind));
    // Its host forgotten.
    expect_hidden(std::string(before).append(":").append(secret));
    expect_hidden(std::string(before).append(":").append(secret).append("/0"));
    expect_hidden(std::string(before).append(":").append(secret).append("@h/0#m"));
    expect_hidden(std::string(before).append(":").append(secret).append("/0#m"));
    expect_hidden(
        std::string(before).append("@h/0?sentinel_user=u&sentinel_password=").append(secret).append("#m"));
    expect_hidden(std::string(before).append("@h?sentinel_password=").append(secret));
    // The scheme forgotten.
    expect_hidden(std::string(user).append(":").append(secret).append("@").append(behind));
  }
}

}  // namespace

void try_input(std::string_view input) {
  const auto url = next_line(input);
  if (!url) return;
  try_url(*url);
  // Line ends are control bytes, which are refused everywhere.
  try_url(input);
  const auto user = next_line(input).value_or("");
  try_secret(user, next_line(input).value_or(""));
}

}  // namespace tenure::fuzz
