// The tenure program: reads the command line and calls the one subcommand.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "cli/args/args.hpp"
#include "cli/demo/demo.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/fleet/explain.hpp"
#include "cli/fleet/poll.hpp"
#include "cli/fleet/sessions.hpp"
#include "cli/fleet/status.hpp"
#include "cli/lock/lock.hpp"
#include "cli/message.hpp"
#include "cli/nodes/init.hpp"
#include "cli/nodes/reconfigure.hpp"
#include "cli/redis_up/redis_up.hpp"
#include "cli/secrets.hpp"
#include "cli/supervise/descriptors.hpp"
#include "cli/supervise/elect.hpp"
#include "cli/supervise/run.hpp"

namespace {

using namespace tenure::cli;

// Started with a closed stdin, stdout or stderr, a socket could take its number, and messages would go to
// Redis.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number: this one
  }
}

int dispatch(const Args& args) {
  if (const auto* text = std::get_if<Text>(&args)) {
    std::fputs(text->text.c_str(), stdout);
    return finish_output();
  }
  if (const auto* args_of_run = std::get_if<RunArgs>(&args)) return run(*args_of_run);
  if (const auto* args_of_elect = std::get_if<ElectArgs>(&args)) return elect(*args_of_elect);
  if (const auto* args_of_reconfigure = std::get_if<ReconfigureArgs>(&args)) {
    return reconfigure(*args_of_reconfigure);
  }
  if (const auto* args_of_doctor = std::get_if<DoctorArgs>(&args)) return doctor(*args_of_doctor);
  if (const auto* args_of_up = std::get_if<RedisUpArgs>(&args)) return redis_up(*args_of_up);
  if (const auto* args_of_down = std::get_if<RedisDownArgs>(&args)) return redis_down(*args_of_down);
  if (const auto* args_of_ls = std::get_if<LockLsArgs>(&args)) return lock_ls(*args_of_ls);
  if (const auto* args_of_show = std::get_if<LockShowArgs>(&args)) return lock_show(*args_of_show);
  if (const auto* args_of_break = std::get_if<LockBreakArgs>(&args)) return lock_break(*args_of_break);
  if (const auto* args_of_add = std::get_if<SessionsAddArgs>(&args)) return sessions_add(*args_of_add);
  if (const auto* args_of_change = std::get_if<SessionsChangeArgs>(&args)) {
    return sessions_change(*args_of_change);
  }
  if (const auto* args_of_ls = std::get_if<SessionsLsArgs>(&args)) return sessions_ls(*args_of_ls);
  if (const auto* args_of_status = std::get_if<StatusArgs>(&args)) return status(*args_of_status);
  if (const auto* args_of_poll = std::get_if<PollArgs>(&args)) return poll(*args_of_poll);
  if (const auto* args_of_demo = std::get_if<DemoArgs>(&args)) return demo(*args_of_demo);
  if (const auto* args_of_explain = std::get_if<ExplainArgs>(&args)) return explain(*args_of_explain);
  return init(std::get<InitArgs>(args));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    hide_secrets(argc, argv);
    fill_standard_descriptors();
    const auto args = parse_args(words);
    if (!args) {
      say(args.error());
      return number(ExitCode::usage);
    }
    return dispatch(*args);
  } catch (const std::system_error& error) {
    const auto hint = descriptors_hint(error.code().value());
    return fail(ExitCode::own_error, std::string(hint ? "" : "internal error: ") + error.what() +
                                         (hint ? "; " + *hint : std::string()));
  } catch (const std::exception& error) {
    say(std::string("internal error: ") + error.what());
    return number(ExitCode::own_error);
  }
}
