// What the server's errors mean, by their SQLSTATE: the words are in the language of the server.
#pragma once

#include <string_view>

#include "core/message.hpp"

namespace tenure::postgres {

// Part of the words on a server that lacks the schema.
inline constexpr std::string_view init_makes_it = "tenure init makes it";

// Of a statement that failed: its transaction is rolled back, unless the connection went with it.
core::Failure classify(std::string_view sqlstate, std::string_view message);

// Of a connection that could not be made, by what libpq says of it in its verbose form: "… FATAL:  28P01: …".
core::Failure classify_connecting(std::string_view message);

}  // namespace tenure::postgres
