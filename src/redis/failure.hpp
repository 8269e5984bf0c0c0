// Says what an error reply of Redis means: whether the request may have taken effect, which kind of
// trouble it is, and a sentence that a person can act on.
// Only for errors that Redis raised; a script of ours must never return an error made by itself.
#pragma once

#include <string>
#include <string_view>

#include "core/message.hpp"

namespace tenure::redis {

core::Failure classify(std::string_view error_reply);

// Of a server whose INFO lacks run_id or master_replid: no lease may be kept there.
std::string no_life_text(std::string_view field);

}  // namespace tenure::redis
