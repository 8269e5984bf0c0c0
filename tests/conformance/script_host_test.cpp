#include "sim/redis/script_host.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "sim/redis/redis_model.hpp"

namespace tenure::sim {
namespace {

namespace fs = std::filesystem;

class AScriptDirectory : public testing::Test {
 protected:
  AScriptDirectory() {
    std::string name = (fs::temp_directory_path() / "tenure-scripts-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory for the test");
    dir = name;
  }
  ~AScriptDirectory() override { fs::remove_all(dir); }

  void write(const std::string& file, const std::string& text) { std::ofstream(dir / file) << text; }
  std::string refused() {
    try {
      const ScriptHost host(dir);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  fs::path dir;
};

TEST_F(AScriptDirectory, ReplacesAScriptThatIsStillCalledByItsOldNames) {
  write("release.lua", "#!lua flags=allow-oom\nreturn 'another'");
  ScriptHost host(dir);
  RedisModel node(host);
  const auto another = redis::Value::string("another");
  EXPECT_EQ(node.run({"EVAL", std::string(redis::release_script.body), "0"}, 0), another);
  EXPECT_EQ(node.run({"EVALSHA", std::string(redis::release_script.sha1), "0"}, 0), another);
}

TEST_F(AScriptDirectory, LeavesTheOtherScriptsAsTheyAre) {
  write("release.lua", "return 'another'");
  ScriptHost host(dir);
  RedisModel node(host);
  EXPECT_EQ(
      node.run(
          {"EVAL", std::string(redis::renew_script.body), "2", "record", "key", "60000 1 ", "5", "value"}, 0),
      redis::Value::array({redis::Value::of(0)}));
}

TEST_F(AScriptDirectory, IsRefusedWhereItWouldChangeNothing) {
  EXPECT_NE(refused().find("no script in it"), std::string::npos);
  write("relaese.lua", "return 1");
  EXPECT_NE(refused().find("relaese.lua: there is no script of that name"), std::string::npos);
  fs::remove_all(dir);
  EXPECT_NE(refused(), "");
}

TEST_F(AScriptDirectory, IsRefusedWithAScriptThatIsNotLua) {
  write("renew.lua", "#!lua\n\nnot Lua");
  EXPECT_NE(refused().find("renew.lua: user_script:3:"), std::string::npos) << refused();
}

TEST(AScriptHost, LeavesNothingOfOneCallToTheNext) {
  ScriptHost host;
  RedisModel node(host);
  node.run({"EVAL", "return #KEYS", "3", "a", "b", "c", "d"}, 0);
  EXPECT_EQ(node.run({"EVAL", "return {#KEYS, #ARGV, KEYS[2] or 'none'}", "1", "a"}, 0),
            redis::Value::array({redis::Value::of(1), redis::Value::of(0), redis::Value::string("none")}));
}

TEST(AScriptHost, NamesTheScriptAndTheLineOfAnError) {
  ScriptHost host;
  RedisModel node(host);
  node.run({"LPUSH", "record", "a"}, 0);
  const auto answer = node.run(
      {"EVAL", std::string(redis::init_script.body), "2", "record", "fence", "60000", "1", "e", "1"}, 0);
  EXPECT_TRUE(answer.text.starts_with("WRONGTYPE Operation against a key")) << answer.text;
  EXPECT_NE(answer.text.find(" script: " + std::string(redis::init_script.sha1) + ", on @user_script:7."),
            std::string::npos)
      << answer.text;
}

}  // namespace
}  // namespace tenure::sim
