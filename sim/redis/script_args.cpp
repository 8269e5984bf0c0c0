#include "sim/redis/script_args.hpp"

#include <algorithm>
#include <array>

#include "core/base/check.hpp"
#include "redis/scripts.hpp"

namespace tenure::sim {

namespace {

using Kind = ScriptArgs::Kind;

struct Named {
  Kind kind;
  const redis::Script* script;
};
const std::array<Named, 10> kinds{{
    {Kind::acquire, &redis::acquire_script},
    {Kind::renew, &redis::renew_script},
    {Kind::release, &redis::release_script},
    {Kind::confirm, &redis::confirm_script},
    {Kind::reassert, &redis::reassert_script},
    {Kind::admit, &redis::admit_script},
    {Kind::open, &redis::open_script},
    {Kind::look, &redis::look_script},
    {Kind::beat, &redis::beat_script},
    {Kind::reconfigure, &redis::reconfigure_script},
}};

}  // namespace

ScriptArgs::ScriptArgs(const redis::Command& command)
    : keys(static_cast<std::size_t>(number(command.at(2)))) {
  const bool by_sha1 = command[0] == "EVALSHA";
  const auto found = std::ranges::find_if(
      kinds, [&](const Named& it) { return command[1] == (by_sha1 ? it.script->sha1 : it.script->body); });
  core::must(found != kinds.end(), "a client calls scripts of ours");
  kind = found->kind;
}

}  // namespace tenure::sim
