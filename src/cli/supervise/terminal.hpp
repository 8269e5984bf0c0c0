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

// Does the terminal listen to that group?
bool is_lent_to(pid_t group);

// Back to our own group, if that one still has it.
void take_terminal_back(pid_t group);

// Is a shell our parent that sees when we stop, and can continue us?
bool has_job_control();

// Stops our whole group, as Ctrl-Z would, and returns when it is continued. Returns at once where nobody could continue
// it: the kernel stops no group that no shell looks after. SIGTSTP and SIGCONT must be blocked: Signals sees to that.
void stop_own_group();
// The same for us alone, where the others of our group were told as well.
void stop_ourselves();

}  // namespace tenure::cli
