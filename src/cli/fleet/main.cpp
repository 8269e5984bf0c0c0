// The tenure-fleet program: the commands for which tenure becomes it. Nobody need start it directly.
#include "cli/demo/demo.hpp"
#include "cli/doctor/doctor.hpp"
#include "cli/fleet/explain.hpp"
#include "cli/fleet/poll.hpp"
#include "cli/fleet/sessions.hpp"
#include "cli/fleet/status.hpp"
#include "cli/fleet_program.hpp"
#include "cli/http_store/http_store.hpp"
#include "cli/lock/lock.hpp"
#include "cli/message.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "cli/postgresql/postgresql.hpp"
#include "cli/supervise/elect.hpp"
#include "cli/supervise/run.hpp"
#include "cli/web/web.hpp"
#include "core/base/overload.hpp"

namespace {

using namespace tenure::cli;

int perform(const Args& args, const CommandLine& /*line*/) {
  return std::visit(
      tenure::core::Overload{
          [](const SessionsAddArgs& wish) { return sessions_add(wish); },
          [](const SessionsChangeArgs& wish) { return sessions_change(wish); },
          [](const SessionsLsArgs& wish) { return sessions_ls(wish); },
          [](const StatusArgs& wish) { return status(wish); },
          [](const ExplainArgs& wish) { return explain(wish); },
          [](const PollArgs& wish) { return poll(wish); },
          [](const WebArgs& wish) { return web(wish); },
          [](const DemoArgs& wish) { return demo(wish); },
          // Of those of tenure itself only what is asked of another store than a Redis comes here.
          [](const RunArgs& wish) { return run(wish); },
          [](const ElectArgs& wish) { return elect(wish); },
          [](const InitArgs& wish) {
            return names_http_store(wish.nodes) ? http_store_init(wish) : postgresql_init(wish);
          },
          [](const DoctorArgs& wish) { return doctor(wish); },
          [](const LockLsArgs& wish) { return lock_ls(wish); },
          [](const LockShowArgs& wish) { return lock_show(wish); },
          [](const LockBreakArgs& wish) {
            return names_http_store(wish.target.nodes) ? http_store_lock_break(wish)
                                                       : postgresql_lock_break(wish);
          },
          [](const ReconfigureArgs& wish) {
            return names_http_store(wish.nodes) ? http_store_reconfigure(wish) : postgresql_reconfigure(wish);
          },
          [](const auto& /*wish*/) {
            return fail(ExitCode::usage,
                        "tenure-fleet is the part of tenure for sessions, polls and other stores than Redis; "
                        "start tenure instead");
          },
      },
      args);
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, {.read = words_handed_over, .perform = perform});
}
