// tenure-faults: real servers and real clients under a random schedule of faults, judged from outside.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/number.hpp"
#include "faults/run.hpp"
#include "faults/schedule.hpp"

namespace {

using namespace tenure::faults;

constexpr int usage_error = 64;
constexpr std::uint64_t seconds_min = 20;
constexpr std::uint64_t seconds_max = 86'400;

constexpr std::string_view help =
    R"(tenure-faults: real servers and tenure processes under faults, judged by what they write to and poll

  tenure-faults [--store redis|postgresql] [--alone] [--seconds N] [--seed S] [--trace]

  --store S     which servers keep the leases: redis, postgresql (redis)
  --alone       one PostgreSQL keeps them, and the sessions as well, instead of three and a fourth
  --only WHAT   some of locks,elections,polls (all)
  --seconds N   how long, with 15 calm seconds at the end (120)
  --seed S      which schedule (one by chance, which is printed)
  --plan        print the schedule, and run nothing
  --trace       print each fault and each end of a process as it happens
  --program P   another build of tenure, one with a planted mistake perhaps
  --mistake     let somebody write with a token that has passed on; then 0 means that the judge has seen it

Exit codes: 0 no overlap, tokens in order, and all at work again; 1 not so, and the last lines name a directory with
what happened; 64 usage; 125 the run could not go on; 130 interrupted
)";

struct Options {
  RunOptions run{};
  std::string store = "redis";
  std::string only{};  // empty: all
  bool alone = false;
  bool plan = false;
  bool trace = false;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "tenure-faults: %s; see tenure-faults --help\n", why.c_str());
  std::exit(usage_error);
}

std::uint64_t number(std::string_view flag, std::string_view text) {
  const auto value = tenure::core::read_number<std::uint64_t>(text);
  if (!value) refuse(std::string(flag) + " \"" + std::string(text) + "\" is not a whole number");
  return *value;
}

Store store_named(std::string_view name) {
  if (name == "redis") return Store::redis;
  if (name == "postgresql") return Store::postgresql;
  refuse("--store \"" + std::string(name) + "\": redis or postgresql");
}

Crowd chosen_crowd(const Options& options) {
  const Store store = store_named(options.store);
  if (options.alone && store != Store::postgresql) refuse("--alone is for --store postgresql");
  Crowd crowd;
  crowd.store = store;
  if (options.alone) crowd.nodes = 1;
  if (options.only.empty()) return crowd;
  std::set<std::string> chosen;
  std::istringstream words(options.only);
  for (std::string word; std::getline(words, word, ',');) {
    if (word != "locks" && word != "elections" && word != "polls")
      refuse("--only \"" + word + "\": some of locks,elections,polls");
    chosen.insert(word);
  }
  if (!chosen.contains("locks")) crowd.locks = crowd.long_locks = 0;
  if (!chosen.contains("elections")) crowd.candidates = 0;
  if (!chosen.contains("polls")) crowd.instances = crowd.sessions = 0;
  return crowd;
}

Options read_options(const std::vector<std::string_view>& args) {
  Options options;
  options.run.seed = std::random_device()();
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view flag = args[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 >= args.size()) refuse(std::string(flag) + " needs a value");
      return args[++i];
    };
    if (flag == "--seconds") {
      const auto count = number(flag, value());
      if (count < seconds_min || count > seconds_max) refuse("--seconds: 20 to 86400");
      options.run.length = std::chrono::seconds(count);
    } else if (flag == "--seed") {
      options.run.seed = number(flag, value());
    } else if (flag == "--store") {
      options.store = value();
    } else if (flag == "--alone") {
      options.alone = true;
    } else if (flag == "--only") {
      options.only = value();
    } else if (flag == "--plan") {
      options.plan = true;
    } else if (flag == "--trace") {
      options.trace = true;
    } else if (flag == "--program") {
      options.run.program = value();
    } else if (flag == "--mistake") {
      options.run.mistake = true;
    } else if (flag == "--help" || flag == "-h") {
      std::fputs(help.data(), stdout);
      std::exit(0);
    } else {
      refuse("unknown option \"" + std::string(flag) + "\"");
    }
  }
  options.run.crowd = chosen_crowd(options);
  if (options.run.mistake && options.run.crowd.locks == 0) refuse("--mistake needs locks");
  return options;
}

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { interrupted = true; }

void print_plan(const RunOptions& options) {
  for (const Fault& fault : make_schedule(options.seed, options.length, options.crowd))
    std::printf("%s\n", to_text(fault, options.crowd).c_str());
}

int run_one(const Options& options) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options.run.length).count();
  std::string repeat = "--store " + options.store + " --seconds " + std::to_string(seconds) + " --seed " +
                       std::to_string(options.run.seed);
  if (options.alone) repeat += " --alone";
  if (!options.only.empty()) repeat += " --only " + options.only;
  if (options.run.program != RunOptions{}.program) repeat += " --program " + options.run.program;
  std::fprintf(stderr, "tenure-faults %s\n", repeat.c_str());
  Journal journal(options.trace);
  try {
    const Report report = run(options.run, journal);
    std::fputs(to_text(report).c_str(), stdout);
    if (options.run.mistake && !interrupted) {
      const bool seen = report.short_locks.overlaps > 0 && report.long_locks.innocent() &&
                        report.terms.innocent() && report.sessions.innocent();
      std::puts(seen ? "the mistake was seen, and nothing else"
                     : "FAILED: the mistake was not seen, or more than it");
      return seen ? 0 : 1;
    }
    if (report.passed()) {
      std::puts("no overlap, tokens in order, all at work again");
      return 0;
    }
    if (interrupted && report.innocent()) {
      std::puts("interrupted; so far no overlap, and tokens in order");
      return 130;
    }
    journal.note(to_text(report));
  } catch (const std::exception& error) {
    if (interrupted) return 130;
    std::fprintf(stderr, "tenure-faults: %s\nwhat happened is in %s\n", error.what(),
                 journal.write().c_str());
    return 125;
  }
  std::printf("FAILED; what happened is in %s\nto repeat the schedule: tenure-faults %s\n",
              journal.write().c_str(), repeat.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options = read_options({argv + 1, argv + argc});
  if (options.plan) {
    print_plan(options.run);
    return 0;
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  options.run.interrupted = &interrupted;
  return run_one(options);
}
