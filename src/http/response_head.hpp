// The status line and the headers of an answer: the same for all of them, so that no handler can forget what keeps browsers safe.
#pragma once

#include <string>

#include "http/routes.hpp"

namespace tenure::http {

// Up to and including the empty line.
std::string response_head(const Response& response, bool keep_alive);
// Of events that go on until the connection ends.
std::string stream_head();

}  // namespace tenure::http
