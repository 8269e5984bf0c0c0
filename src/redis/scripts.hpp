// The Lua scripts, embedded at build from scripts/*.lua, and the names of the keys beside the leases.
#pragma once

#include <string>
#include <string_view>

namespace tenure::redis {

struct Script {
  std::string_view name;
  std::string_view sha1;  // what EVALSHA calls it by
  std::string_view body;
};

extern const Script acquire_script;
extern const Script confirm_script;
extern const Script renew_script;
extern const Script release_script;
extern const Script reassert_script;
extern const Script admit_script;
extern const Script open_script;
extern const Script init_script;
extern const Script reconfigure_script;
extern const Script publish_result_script;
extern const Script rights_script;
extern const Script look_script;
extern const Script break_script;
extern const Script find_leases_script;
extern const Script beat_script;
extern const Script session_put_script;
extern const Script session_remove_script;
extern const Script session_texts_script;
extern const Script results_script;

}  // namespace tenure::redis
