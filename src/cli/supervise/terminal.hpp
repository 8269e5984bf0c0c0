// The terminal that we were started from, lent to the command while it runs.
// A terminal listens to one process group, and the command has one of its own.
#pragma once

#include <sys/types.h>

namespace tenure::cli {

// Is stdin a terminal that listens to our group?
bool has_terminal();

// Does the command get it at once? Not in a pipeline: the terminal belongs to the pager at its end.
bool lends_terminal_at_once();

// Safe in a forked child. The caller must not be stopped by SIGTTOU: Signals sees to that.
void lend_terminal(pid_t group);

// Back to our own group, if that one still has it.
void take_terminal_back(pid_t group);

}  // namespace tenure::cli
