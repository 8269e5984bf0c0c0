// The tenure-fleet program: the commands for which tenure becomes it. Nobody need start it directly.
#include "cli/demo/demo.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/fleet/explain.hpp"
#include "cli/fleet/poll.hpp"
#include "cli/fleet/sessions.hpp"
#include "cli/fleet/status.hpp"
#include "cli/fleet_program.hpp"
#include "cli/lock/lock.hpp"
#include "cli/message.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/supervise/elect.hpp"
#include "cli/supervise/run.hpp"
#include "cli/web/web.hpp"
#include "core/base/overload.hpp"

namespace {

using namespace tenure::cli;

int perform(const Args& args, const CommandLine& /*line*/) {
  return std::visit(tenure::core::Overload{
                        [](const SessionsAddArgs& wish) { return sessions_add(wish); },
                        [](const SessionsChangeArgs& wish) { return sessions_change(wish); },
                        [](const SessionsLsArgs& wish) { return sessions_ls(wish); },
                        [](const StatusArgs& wish) { return status(wish); },
                        [](const ExplainArgs& wish) { return explain(wish); },
                        [](const PollArgs& wish) { return poll(wish); },
                        [](const WebArgs& wish) { return web(wish); },
                        [](const DemoArgs& wish) { return demo(wish); },
                        // Of those of tenure itself only what is asked of a PostgreSQL comes here.
                        [](const RunArgs& wish) { return run(wish); },
                        [](const ElectArgs& wish) { return elect(wish); },
                        [](const InitArgs& wish) { return postgresql_init(wish); },
                        [](const DoctorArgs& wish) { return doctor(wish); },
                        [](const LockLsArgs& wish) { return lock_ls(wish); },
                        [](const LockShowArgs& wish) { return lock_show(wish); },
                        [](const LockBreakArgs& wish) { return postgresql_lock_break(wish); },
                        [](const ReconfigureArgs& wish) { return postgresql_reconfigure(wish); },
                        [](const auto& /*wish*/) {
                          return fail(
                              ExitCode::usage,
                              "tenure-fleet is the part of tenure for sessions, polls and PostgreSQL; "
                              "start tenure instead");
                        },
                    },
                    args);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {.read = words_handed_over, .perform = perform});
}
