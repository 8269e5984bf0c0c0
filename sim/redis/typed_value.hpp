// For the commands of Redis: what a key holds, if it is of the type that a command is for.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "sim/redis/commands.hpp"

namespace tenure::sim {

inline constexpr std::string_view wrong_type =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view syntax_error = "ERR syntax error";
inline constexpr auto integer_max = std::numeric_limits<std::int64_t>::max();

inline Keyspace::Entry* find(const CommandCall& call) {
  return call.server.data.find(call.args[1], call.now);
}

// What the key holds, for the commands of one type.
template <class Type>
struct TypedValue {
  Type* value = nullptr;  // null: nothing there, or
  bool answered = false;  // something else, which is an error
};

template <class Type>
TypedValue<Type> find_typed(const CommandCall& call) {
  Keyspace::Entry* entry = find(call);
  if (entry == nullptr) return {};
  if (auto* value = entry->as<Type>()) return {value, false};
  call.reply.error(wrong_type);
  return {nullptr, true};
}

// A new one where nothing is. Null: answered.
template <class Type>
Type* find_or_make(const CommandCall& call) {
  const auto found = find_typed<Type>(call);
  if (found.value != nullptr || found.answered) return found.value;
  return &call.server.data.put(call.args[1]).value.template emplace<Type>();
}

inline void reply_length(const CommandCall& call, std::size_t length) {
  call.reply.integer(static_cast<std::int64_t>(length));
}

// A list or a hash that becomes empty is gone.
template <class Type>
void drop_if_empty(const CommandCall& call, const Type& elements) {
  if (elements.empty()) call.server.data.erase(call.args[1], call.now);
}

}  // namespace tenure::sim
