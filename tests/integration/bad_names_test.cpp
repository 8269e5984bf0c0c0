// Names at every door of the library: taken as they are, or refused as wrong usage before Redis is asked anything.
#include <algorithm>

#include "integration/api.hpp"

namespace tenure::test {
namespace {

using namespace std::chrono_literals;
using Code = Refusal::Code;

const std::vector<std::string> bad_names{
    "",        "a\nb",     "a\r\nSET x y", std::string("a\0b", 3), std::string("\0", 1),
    "\x1b[2J", "\xff\xfe", "\xc3",         std::string(513, 'x'),  std::string(std::size_t{1} << 20, 'x')};

const std::vector<std::string> odd_names{"{a}",     "a*",
                                         "[a-z]?",  "'\"\\",
                                         "<b>&lt;", "$(true)",
                                         "KEYS[1]", "%s",
                                         "a b",     "#",
                                         "a#00#1",  "\xc3\xa4\xe2\x82\xac",
                                         "'..'",    std::string(512, 'x')};

class NamesTest : public ::testing::Test {
 protected:
  // Each of its words about the name is a refusal that a person can read.
  template <class Outcome>
  static void expect_usage(const Outcome& outcome, const std::string& name) {
    ASSERT_FALSE(outcome) << name.substr(0, 50);
    EXPECT_EQ(outcome.error().code, Code::usage) << outcome.error().message;
    EXPECT_FALSE(outcome.error().message.empty());
    EXPECT_LT(outcome.error().message.size(), 1'000U);
    EXPECT_TRUE(std::ranges::none_of(outcome.error().message, [](char letter) {
      return static_cast<unsigned char>(letter) < 0x20 || letter == '\x7f';
    })) << outcome.error().message;
  }

  Nodes nodes{1};
};

TEST_F(NamesTest, ThatAreBadAreRefusedAtEveryDoor) {
  const Client client = open(nodes);
  const auto before = nodes[0].command({"DBSIZE"}).integer;
  for (const auto& name : bad_names) {
    expect_usage(client.lock(name).try_acquire(), name);
    expect_usage(client.lock(name).acquire(Wait{.wait_max = 1s}), name);
    expect_usage(client.election(name), name);
    expect_usage(client.fleet(name), name);
    ClientOptions options = options_for(nodes, name);
    if (!name.empty()) expect_usage(Client::open(options), name);  // an empty id is none
    options.id.clear();
    options.prefix = name;
    expect_usage(Client::open(options), name);
    options.prefix = "tenure:";
    options.lock_prefix = name;
    expect_usage(Client::open(options), name);
  }
  EXPECT_EQ(nodes[0].command({"DBSIZE"}).integer, before);
}

TEST_F(NamesTest, ThatAreOddAreTakenAsTheyAre) {
  for (const auto& name : odd_names) {
    const Client client = open(nodes, name);
    auto lease = client.lock(name).try_acquire();
    ASSERT_TRUE(lease) << name << lease.error().message;
    EXPECT_TRUE(nodes[0].command({"GET", "redlock:" + name}).text.starts_with(name + "#")) << name;
    const auto refused = open(nodes).lock(name).try_acquire();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().holder->owner, name);
    EXPECT_TRUE(client.election(name)) << name;
    EXPECT_TRUE(client.fleet(name)) << name;
  }
  EXPECT_TRUE(wait_until([&] { return nodes[0].command({"KEYS", "redlock:*"}).items.empty(); }));
}

}  // namespace
}  // namespace tenure::test
