// T31: the check of a user's rights knows every command that the scripts run.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "redis/scripts.hpp"

namespace tenure::redis {
namespace {

TEST(Rights, EveryCommandOfTheScriptsIsChecked) {
  const std::regex call("call\\('([A-Z]+)'");
  const std::string checked(rights_script.body);
  std::set<std::string> commands;
  for (const Script& script : {acquire_script, confirm_script, renew_script, release_script, reassert_script,
                               admit_script, open_script, init_script, look_script}) {
    const std::string body(script.body);
    for (std::sregex_iterator it(body.begin(), body.end(), call), end; it != end; ++it)
      commands.insert((*it)[1]);
  }
  EXPECT_GT(commands.size(), 14U);
  for (const auto& command : commands) {
    EXPECT_NE(checked.find("'" + command + "'"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace tenure::redis
