#include "redis/encode.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "redis/reader.hpp"

namespace tenure::redis {
namespace {

std::string encoded(const std::vector<std::string>& args) {
  std::string out;
  append_command(out, args);
  return out;
}

TEST(Encode, ACommandIsAnArrayOfStringsWithTheirLengths) {
  EXPECT_EQ(encoded({"SET", "key", "value"}), "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$5\r\nvalue\r\n");
}

TEST(Encode, AnEmptyArgumentKeepsItsPlace) {
  EXPECT_EQ(encoded({"GET", ""}), "*2\r\n$3\r\nGET\r\n$0\r\n\r\n");
}

TEST(Encode, CommandsFollowOneAnotherInOneBuffer) {
  std::string out = "kept";
  append_command(out, std::vector<std::string>{"PING"});
  append_command(out, std::vector<std::string>{"PING"});
  EXPECT_EQ(out, "kept*1\r\n$4\r\nPING\r\n*1\r\n$4\r\nPING\r\n");
}

TEST(Encode, BytesThatLookLikeRespStayInsideTheirArgument) {
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  const std::vector<std::string> args{"SET", "a\r\n*1\r\n$8\r\nFLUSHALL\r\n", every_byte,
                                      std::string(100'000, '$')};

  Reader reader;
  reader.feed(encoded(args));
  const auto value = reader.next();

  ASSERT_TRUE(value && *value);
  ASSERT_EQ((*value)->items.size(), args.size());
  for (std::size_t i = 0; i < args.size(); ++i) EXPECT_EQ((*value)->items[i], Value::string(args[i]));
  EXPECT_FALSE(reader.next().value());
}

}  // namespace
}  // namespace tenure::redis
