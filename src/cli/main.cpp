// The tenure program: reads the command line and calls the one subcommand, here or in the program of fleets.
#include "cli/doctor/doctor.hpp"
#include "cli/fleet_program.hpp"
#include "cli/lock/lock.hpp"
#include "cli/nodes/chosen_store.hpp"
#include "cli/nodes/init.hpp"
#include "cli/nodes/reconfigure.hpp"
#include "cli/redis_up/redis_up.hpp"
#include "cli/supervise/elect.hpp"
#include "cli/supervise/run.hpp"
#include "core/base/overload.hpp"

namespace {

using namespace tenure::cli;

// What needs libpq or libcurl is in the other program.
bool needs_fleet_program(const Args& args) {
  return std::visit(tenure::core::Overload{
      [](const auto& wish)
        requires requires { names_another_than_redis(wish.nodes); }
                 { return names_another_than_redis(wish.nodes); },
                 [](const auto& wish)
                   requires requires { wish.target.nodes; }
      { return names_another_than_redis(wish.target.nodes); },
      [](const auto& /*wish*/) { return false; },
  },
                    args);
}

int perform(const Args& args, const CommandLine& line) {
  if (needs_fleet_program(args)) return become_fleet_program(line);
  return std::visit(tenure::core::Overload{
                        [](const RunArgs& wish) { return run(wish); },
                        [](const ElectArgs& wish) { return elect(wish); },
                        [](const InitArgs& wish) { return init(wish); },
                        [](const ReconfigureArgs& wish) { return reconfigure(wish); },
                        [](const DoctorArgs& wish) { return doctor(wish); },
                        [](const RedisUpArgs& wish) { return redis_up(wish); },
                        [](const RedisDownArgs& wish) { return redis_down(wish); },
                        [](const LockLsArgs& wish) { return lock_ls(wish); },
                        [](const LockShowArgs& wish) { return lock_show(wish); },
                        [](const LockBreakArgs& wish) { return lock_break(wish); },
                        [&](const OfFleet auto& /*wish*/) { return become_fleet_program(line); },
                        [](const Text& /*text*/) { return number(ExitCode::done); },
                    },
                    args);
}

}  // namespace

int main(int argc, char** argv) { return run_program(argc, argv, {.perform = perform}); }
