// tenure-sim: runs simulated worlds and says what broke.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/number.hpp"
#include "sim/campaign.hpp"

namespace {

using namespace tenure::sim;

constexpr int usage_error = 64;
constexpr std::array<std::string_view, 5> profiles{"mixed", "usual", "tokens", "elections", "fleet"};

constexpr std::string_view help = R"(tenure-sim: the shipped protocol in simulated worlds with faults

  tenure-sim --runs N [options]   N worlds, one seed after the other; stops at the first violation
  tenure-sim --seed N [--trace]   one world; --trace prints every event

  --first N        the first seed of --runs (1)
  --faults LIST    none, all (the default) or names separated by commas:
                   delay loss duplicate partition oneway drift pause suspend crash flush slow close error skew
                   restart rollback wipe flushall; and two that break an assumption, so that S1, S4 and S12 are
                   not judged: remove, a key deleted by hand, and step, a clock that is set
  --nodes N        Redis nodes in a world, 1 to 9 (as each seed has it: 1 to 5)
  --profile P      mixed (the default), usual, tokens: holds shorter than a node timeout, 3 nodes or more;
                   elections: in every world, not in every third; or fleet: in every world, not in every eighth
  --scripts DIR    run DIR/<name>.lua in place of the embedded scripts
  --mutant M4      run a build with a seeded bug; ./dev mutants M4 makes it
  --jobs N         threads (one a core)

Examples
  tenure-sim --runs 3000
  tenure-sim --seed 42 --trace --faults partition,pause

Exit codes: 0 no violation, 1 a violation, 64 usage
)";

struct Options {
  CampaignOptions campaign{};
  std::string faults = "all";
  std::string scripts{};
  std::optional<std::uint64_t> seed{};
  std::string mutant{};
  std::string profile = "mixed";
  bool trace = false;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "tenure-sim: %s; see tenure-sim --help\n", why.c_str());
  std::exit(usage_error);
}

std::uint64_t number(std::string_view flag, std::string_view text) {
  const auto value = tenure::core::read_number<std::uint64_t>(text);
  if (!value) refuse(std::string(flag) + " \"" + std::string(text) + "\" is not a whole number");
  return *value;
}

Options read_options(const std::vector<std::string_view>& args) {
  Options options;
  options.campaign.jobs = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view flag = args[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 >= args.size()) refuse(std::string(flag) + " needs a value");
      return args[++i];
    };
    if (flag == "--seed") {
      options.seed = number(flag, value());
    } else if (flag == "--runs") {
      options.campaign.runs = number(flag, value());
    } else if (flag == "--first") {
      options.campaign.first_seed = number(flag, value());
    } else if (flag == "--jobs") {
      options.campaign.jobs = static_cast<unsigned>(std::clamp<std::uint64_t>(number(flag, value()), 1, 256));
    } else if (flag == "--faults") {
      options.faults = value();
    } else if (flag == "--scripts") {
      options.scripts = value();
    } else if (flag == "--mutant") {
      options.mutant = value();
    } else if (flag == "--trace") {
      options.trace = true;
    } else if (flag == "--nodes") {
      options.campaign.profile.nodes = number(flag, value());
      if (*options.campaign.profile.nodes < 1 || *options.campaign.profile.nodes > 9)
        refuse("--nodes: 1 to 9");
    } else if (flag == "--profile") {
      options.profile = value();
      if (std::ranges::find(profiles, options.profile) == profiles.end())
        refuse("--profile: mixed, usual, tokens, elections or fleet");
    } else if (flag == "--help" || flag == "-h") {
      std::fputs(help.data(), stdout);
      std::exit(0);
    } else {
      refuse("unknown option \"" + std::string(flag) + "\"");
    }
  }
  const auto faults = read_faults(options.faults);
  if (!faults) refuse("--faults \"" + options.faults + "\" names an unknown fault");
  options.campaign.faults = *faults;
  options.campaign.profile.elections = options.profile == "elections";
  options.campaign.profile.fleet = options.profile == "fleet";
  if (options.profile == "usual") options.campaign.profile.short_holds = false;
  if (options.profile == "tokens") options.campaign.profile.short_holds = true;
  if (options.profile == "tokens" && !options.campaign.profile.nodes) options.campaign.profile.nodes_min = 3;
  if (!options.scripts.empty()) options.campaign.scripts = options.scripts;
  if (options.trace && !options.seed) refuse("--trace goes with --seed");
  return options;
}

// A mutant is another build of this program, or other scripts for it, in build/mutants/<name>.
void become_mutant(const Options& options, char** argv) {
  namespace fs = std::filesystem;
  const fs::path self = fs::read_symlink("/proc/self/exe");
  const fs::path home = self.parent_path() / "mutants" / options.mutant;
  std::vector<std::string> args;
  for (char** arg = argv + 1; *arg != nullptr; ++arg) {
    if (std::string_view(*arg) == "--mutant") {
      ++arg;
    } else {
      args.emplace_back(*arg);
    }
  }
  fs::path program = home / "tenure-sim";
  if (fs::exists(home / "scripts")) {
    program = self;
    args.emplace_back("--scripts");
    args.push_back(home / "scripts");
  } else if (!fs::exists(program)) {
    refuse("--mutant " + options.mutant + ": there is no such build; make it with ./dev mutants " +
           options.mutant);
  }
  std::vector<char*> pointers{const_cast<char*>(program.c_str())};
  for (auto& arg : args) pointers.push_back(arg.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  refuse("--mutant " + options.mutant + ": cannot run " + program.string());
}

void report(const Violation& violation, std::uint64_t seed, const Options& options, const char* program) {
  std::printf("VIOLATED %s at %.6f ms: %s\n", violation.invariant.c_str(),
              std::chrono::duration<double, std::milli>(violation.at.time_since_epoch()).count(),
              violation.what.c_str());
  std::string replay =
      std::string(program) + " --seed " + std::to_string(seed) + " --faults " + options.faults;
  if (options.profile != "mixed") replay += " --profile " + options.profile;
  if (options.campaign.profile.nodes) replay += " --nodes " + std::to_string(*options.campaign.profile.nodes);
  if (!options.scripts.empty()) replay += " --scripts " + options.scripts;
  std::printf("seed %llu, replay: %s --trace\n", static_cast<unsigned long long>(seed), replay.c_str());
}

// A broken invariant of the core aborts. Its sentence is out; this adds which world it was in.
Options reported_options;
const char* reported_program = nullptr;

void on_abort(int) {
  std::fflush(stdout);
  report({"CRASH", "the core stopped itself; its sentence stands above", {}}, seed_of_this_thread(),
         reported_options, reported_program);
  std::fflush(stdout);
  _exit(1);
}

int run_one(const Options& options, const char* program) {
  ScriptHost host(options.campaign.scripts);
  const Outcome outcome =
      run_world({*options.seed, options.campaign.faults, options.campaign.profile, options.trace}, host);
  std::printf("seed %llu: %llu calls, %llu grants, trace %016llx\n",
              static_cast<unsigned long long>(*options.seed), static_cast<unsigned long long>(outcome.calls),
              static_cast<unsigned long long>(outcome.grants), static_cast<unsigned long long>(outcome.hash));
  if (outcome.violation) report(*outcome.violation, *options.seed, options, program);
  return outcome.violation ? 1 : 0;
}

void print(const Tally& tally, std::chrono::duration<double> wall) {
  const double cpu = std::chrono::duration<double>(tally.cpu).count();
  const auto u = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf(
      "worlds %llu, script calls %llu (%.0f a world), grants %llu, terms %llu, sessions taken %llu\n",
      u(tally.worlds), u(tally.calls),
      static_cast<double>(tally.calls) / static_cast<double>(std::max<std::uint64_t>(tally.worlds, 1)),
      u(tally.grants), u(tally.terms), u(tally.sessions));
  std::printf("faults:");
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    std::printf(" %.*s %llu", static_cast<int>(fault_names[i].size()), fault_names[i].data(),
                u(tally.faults[i]));
  }
  std::printf("\n");
  if (tally.slack.min()) {
    std::printf("slack from a belief that ran out to the next grant (S4): smallest %.3f ms;",
                std::chrono::duration<double, std::milli>(*tally.slack.min()).count());
    for (std::size_t i = 0; i < Slack::bounds.size(); ++i) {
      std::printf(" <%lldms %llu", static_cast<long long>(Slack::bounds[i].count()),
                  u(tally.slack.counts()[i]));
    }
    std::printf(" more %llu\n", u(tally.slack.counts().back()));
  }
  std::printf("%.1f s, %.0f script calls a second on one core\n", wall.count(),
              static_cast<double>(tally.calls) / cpu);
}

int run_many(const Options& options, const char* program) {
  const auto begin = std::chrono::steady_clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const Tally tally = run_campaign(options.campaign, [&](std::uint64_t worlds) {
    if (terminal && worlds % 200 == 0) {
      std::fprintf(stderr, "\r%llu of %llu worlds", static_cast<unsigned long long>(worlds),
                   static_cast<unsigned long long>(options.campaign.runs));
    }
  });
  if (terminal) std::fprintf(stderr, "\r\033[K");
  print(tally, std::chrono::steady_clock::now() - begin);
  if (!tally.violation) {
    std::printf("no violation\n");
    return 0;
  }
  report(*tally.violation, *tally.failed_seed, options, program);
  return 1;
}

}  // namespace

int main(int argc, char** argv) try {
  const Options options = read_options({argv + 1, argv + argc});
  if (!options.mutant.empty()) become_mutant(options, argv);
  reported_options = options;
  reported_program = argv[0];
  std::signal(SIGABRT, on_abort);
  return options.seed ? run_one(options, argv[0]) : run_many(options, argv[0]);
} catch (const std::exception& error) {
  refuse(error.what());
}
