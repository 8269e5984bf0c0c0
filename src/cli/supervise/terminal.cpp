#include "cli/supervise/terminal.hpp"

#include <unistd.h>

namespace tenure::cli {

bool has_terminal() { return tcgetpgrp(STDIN_FILENO) == getpgrp(); }

bool lends_terminal_at_once() { return has_terminal() && isatty(STDOUT_FILENO) == 1; }

void lend_terminal(pid_t group) { tcsetpgrp(STDIN_FILENO, group); }

void take_terminal_back(pid_t group) {
  if (tcgetpgrp(STDIN_FILENO) == group) tcsetpgrp(STDIN_FILENO, getpgrp());
}

}  // namespace tenure::cli
