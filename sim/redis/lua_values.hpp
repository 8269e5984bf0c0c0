// How values cross the border between Redis and a script, in both directions, as Redis 7 does it.
#pragma once

#include <lua.hpp>

#include "redis/value.hpp"
#include "sim/redis/reply_sink.hpp"

namespace tenure::sim {

// Leaves the reply of a command on the stack: nil becomes false, a status {ok=…}, an error {err=…}.
class LuaSink final : public ReplySink {
 public:
  explicit LuaSink(lua_State* lua) : lua_(lua) {}

  void nil() override;
  void integer(std::int64_t number) override;
  void status(std::string_view text) override;
  void string(std::string_view text) override;
  void error(std::string_view text) override;
  void array(std::size_t items) override;

  bool failed() const { return failed_; }

 private:
  void pushed();

  lua_State* lua_;
  int items_ = 0;  // of the array that is being filled
  bool in_array_ = false;
  bool failed_ = false;
};

// What a script returned: the value at the top of the stack, which is popped. A number loses its
// fraction, a table ends at its first nil.
redis::Value pop_value(lua_State* lua);

// An error reply is one line.
std::string one_line(std::string_view text);

}  // namespace tenure::sim
