// What the command lines of several commands have in common. Brings CLI11 along, which takes long to compile: only for
// the files that read command lines.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "cli/args/args.hpp"
#include "cli/nodes/nodes.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

using Parsed = tl::expected<Args, std::string>;

Parsed refuse(std::string why);

// Nothing when there is more to do: otherwise the help page, or the error.
std::optional<Parsed> read_words(CLI::App& app, std::span<const std::string> words, std::string_view help);

// CLI11 calls what these add after it has read all words.
void add_duration(CLI::App& app, const std::string& option, std::optional<core::Duration>& target);
// An empty one is a script's variable that was never set, and not the same as none.
void add_text(CLI::App& app, const std::string& option, std::string& target);
void add_node_options(CLI::App& app, NodeArgs& nodes);
// What they amount to together is checked by http_error().
void add_http_options(CLI::App& app, HttpArgs& http);

// Of a command that has commands of its own, like "ls, show and break": it got none of them.
Parsed refuse_subcommand(const std::string& command, const std::string& known, const std::string& given);

}  // namespace tenure::cli
