// What the program says: messages for people on stderr, one line each, "tenure: …"; data on stdout.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "cli/exit_code.hpp"
#include "tenure/log.hpp"
#include "tenure/refusal.hpp"

namespace tenure::cli {

// In one write, so that the lines of several programs on one terminal stay whole. A text of several lines gets
// "tenure: " before each. Where the library speaks of an option of TLS, the option is named behind it. Commands that stay
// say what happens as events of their log instead (log.hpp), of which this is the one for all else.
void say(std::string_view text);

// Says it, as the event that ends the program, and gives the number of the exit code.
int fail(ExitCode code, std::string_view sentence);
// With what a refusal says to machines.
int fail(ExitCode code, const Refusal& why, std::string_view sentence);
// For a line of the log.
LogField exit_code_field(int code);

// Writes a line to stdout at once, for a command that stays. Before each piece of it `may_write` waits for the reader, for
// as long as its caller wants to. False when the line was not taken whole: the wait gave up, or the write failed.
bool write_line(std::string line, const std::function<bool()>& may_write);

// The exit code of a command whose output is complete: an own error when it could not be written.
int finish_output(ExitCode code = ExitCode::done);

}  // namespace tenure::cli
