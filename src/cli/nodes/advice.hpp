// What to do about what the library says, in words of the program: options to give, and commands to paste.
#pragma once

#include <optional>
#include <string>

#include "cli/nodes/nodes.hpp"
#include "core/base/time.hpp"
#include "runtime/text/set_text.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

// To be read behind the library's message, which says what to do: with which options. Empty where there are none. How to make nodes
// ready that are new stands behind "if it is new".
std::string advice_on(const std::optional<NotOpen>& not_open, const std::string& how_to_init);

// What to do about a node that belongs to another set of nodes than ours; without a full stop.
std::string set_advice(const runtime::SetText& text);

// The sentence, with the option behind it where it is about a TTL over the cap.
std::string naming_cap(std::string sentence, std::optional<core::Duration> ttl, core::Ttl cap);

// ": tenure init --redis URL …", to be read behind "if it is new" and pasted into a shell: a secret is not shown, and
// comes from a variable.
std::string how_to_init(const Nodes& nodes);

// " --prefix … --node-set … --ttl-max …", where they are not the usual.
std::string common_options(const redis::Keyspace& keyspace, const std::string& set_name);

// " --redis URL … --prefix …", as another command of ours takes them in a shell; without secrets.
std::string node_options(const Nodes& nodes);

}  // namespace tenure::cli
