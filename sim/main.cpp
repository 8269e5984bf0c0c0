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
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/number.hpp"
#include "sim/world/campaign.hpp"
#include "sim/world/progress.hpp"

namespace {

using namespace tenure::sim;

constexpr int usage_error = 64;
constexpr std::size_t warnings_max = 20;
constexpr std::array<std::string_view, 7> profiles{"mixed",     "usual", "tokens", "wild",
                                                   "elections", "fleet", "cluster"};

constexpr std::string_view help = R"(tenure-sim: the shipped protocol in simulated worlds with faults

  tenure-sim --runs N [options]   N worlds, one seed after the other; stops at the first violation
  tenure-sim --fresh N [options]  N worlds from a random seed on, which is printed; a liveness violation (L1 to L9) is
                                  only a warning there, with the command that replays it
  tenure-sim --seed N [--trace]   one world; --trace prints every event

  --first N        the first seed of --runs (1), or of --fresh, to repeat what that ran
  --faults LIST    none, all (the default) or names separated by commas:
                   delay loss duplicate partition oneway drift pause suspend crash flush slow close error skew
                   restart rollback wipe flushall; and two that break an assumption, so that S1, S4 and S12 are
                   not judged: remove, a key deleted by hand, and step, a clock that is set; and fence, the counter
                   of tokens deleted by hand, and restore, data that goes back under a node that runs: then S2 and S3
                   are judged for those only who have seen more (S15); and reconfigure, somebody who changes the set of
                   nodes and the cap while clients have old lists, and dies on the way; and failover, a replica that lags takes
                   over while clients are still connected to the old master, which takes no writes any more; and
                   split, the same, where it goes on taking them: that breaks an assumption, too
  --nodes N        Redis nodes in a world, 1 to 9 (as each seed has it: 1 to 5)
  --profile P      mixed (the default), usual, tokens: holds shorter than a node timeout, 3 nodes or more;
                   wild: the same, and tokens are proposed at random, not only in every eighth world;
                   elections: in every world, not in every third; fleet: in every world, not in every eighth; or
                   cluster: the node is a Redis Cluster, whose slots also move (reshard)
  --scripts DIR    run DIR/<name>.lua in place of the embedded scripts
  --mutant M4      run a build with a seeded bug; ./dev mutants M4 makes it
  --jobs N         threads (one a core)

Examples
  tenure-sim --runs 3000
  tenure-sim --fresh 3000
  tenure-sim --seed 42 --trace --faults partition,pause

Exit codes: 0 no violation, or with --fresh only of liveness; 1 a violation; 64 usage
)";

struct Options {
  CampaignOptions campaign{};
  std::optional<std::uint64_t> runs{};
  std::optional<std::uint64_t> fresh{};
  std::optional<std::uint64_t> first{};
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

// Far from the seeds that anybody chooses by hand, and short enough to be typed.
std::uint64_t random_seed() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>(1'000'000'000, 999'999'999'999)(device);
}

void choose_seeds(Options& options) {
  if (int{options.seed.has_value()} + int{options.runs.has_value()} + int{options.fresh.has_value()} > 1)
    refuse("only one of --runs, --fresh and --seed can be given");
  if (options.fresh) {
    options.campaign.runs = *options.fresh;
    options.campaign.first_seed = options.first ? *options.first : random_seed();
    options.campaign.stop_at_liveness = false;
  } else {
    options.campaign.runs = options.runs.value_or(options.campaign.runs);
    options.campaign.first_seed = options.first.value_or(options.campaign.first_seed);
  }
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
      options.runs = number(flag, value());
    } else if (flag == "--fresh") {
      options.fresh = number(flag, value());
    } else if (flag == "--first") {
      options.first = number(flag, value());
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
        refuse("--profile: mixed, usual, tokens, wild, elections, fleet or cluster");
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
  options.campaign.profile.cluster = options.profile == "cluster";
  if (options.campaign.profile.cluster) options.campaign.profile.nodes = 1;
  if (options.profile == "usual") options.campaign.profile.short_holds = false;
  options.campaign.profile.wild_proposals = options.profile == "wild";
  if (options.profile == "tokens" || options.profile == "wild") {
    options.campaign.profile.short_holds = true;
    if (!options.campaign.profile.nodes) options.campaign.profile.nodes_min = 3;
  }
  if (!options.scripts.empty()) options.campaign.scripts = options.scripts;
  if (options.trace && !options.seed) refuse("--trace goes with --seed");
  choose_seeds(options);
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

// What of the options shapes a world, as they are typed.
std::string shape(const Options& options) {
  std::string text = " --faults " + options.faults;
  if (options.profile != "mixed") text += " --profile " + options.profile;
  if (options.campaign.profile.nodes) text += " --nodes " + std::to_string(*options.campaign.profile.nodes);
  if (!options.scripts.empty()) text += " --scripts " + options.scripts;
  return text;
}

void report(const char* verdict, const Found& found, const Options& options, const char* program) {
  const auto& [seed, violation] = found;
  std::printf("%s %s at %.6f ms: %s\n", verdict, violation.invariant.c_str(),
              std::chrono::duration<double, std::milli>(violation.at.time_since_epoch()).count(),
              violation.what.c_str());
  std::printf("seed %llu, replay: %s --seed %llu%s --trace\n", static_cast<unsigned long long>(seed), program,
              static_cast<unsigned long long>(seed), shape(options).c_str());
}

// A broken invariant of the core aborts. Its sentence is out; this adds which world it was in.
Options reported_options;
const char* reported_program = nullptr;

void on_abort(int) {
  std::fflush(stdout);
  report("VIOLATED",
         {seed_of_this_thread(), {"CRASH", "the core stopped itself; its sentence stands above", {}}},
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
  if (outcome.violation) report("VIOLATED", {*options.seed, *outcome.violation}, options, program);
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
  const std::uint64_t won = tally.rounds.one + tally.rounds.two;
  std::printf(
      "won over several nodes: %llu in one round, %llu in two (%.1f %%)\n", u(tally.rounds.one),
      u(tally.rounds.two),
      100 * static_cast<double>(tally.rounds.two) / static_cast<double>(std::max<std::uint64_t>(won, 1)));
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

// The first of them; more would hide what else there is to see.
void warn(const std::vector<Found>& noted, const Options& options, const char* program) {
  for (std::size_t i = 0; i < std::min(noted.size(), warnings_max); ++i)
    report("WARNING", noted[i], options, program);
  if (noted.size() > warnings_max) std::printf("… and %zu more\n", noted.size() - warnings_max);
}

Tally run_with_progress(const CampaignOptions& campaign) {
  using Output = Progress::Output;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration_cast<Progress::Elapsed>(std::chrono::steady_clock::now() - begin);
  };
  Progress progress(campaign.runs, isatty(STDERR_FILENO) != 0 ? Output::terminal : Output::log);
  Tally tally = run_campaign(campaign, [&](std::uint64_t worlds) {
    if (const auto text = progress.on_worlds(worlds, elapsed())) std::fputs(text->c_str(), stderr);
  });
  std::fputs(progress.end().c_str(), stderr);
  print(tally, std::chrono::steady_clock::now() - begin);
  return tally;
}

int run_many(const Options& options, const char* program) {
  const CampaignOptions& campaign = options.campaign;
  if (options.fresh) {
    std::printf("fresh seeds from %llu on; the same again: %s --fresh %llu --first %llu%s\n",
                static_cast<unsigned long long>(campaign.first_seed), program,
                static_cast<unsigned long long>(campaign.runs),
                static_cast<unsigned long long>(campaign.first_seed), shape(options).c_str());
    std::fflush(stdout);  // also when this process is killed, it must be known what it ran
  }
  const Tally tally = run_with_progress(campaign);
  warn(tally.noted, options, program);
  if (tally.violation) {
    report("VIOLATED", *tally.violation, options, program);
    return 1;
  }
  if (tally.noted.empty()) {
    std::printf("no violation\n");
  } else {
    std::printf(
        "no safety violation, %zu of liveness in %llu worlds: each is worth a look, see the replay "
        "commands\n",
        tally.noted.size(), static_cast<unsigned long long>(tally.worlds));
  }
  return 0;
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
