// A process that takes part in one election and says what it sees: for tests that stop or kill it.
//   candidate_process ID NAME LEASE_MS CAP_MS URL…
// It works while it leads, in run(). Ends cleanly on SIGTERM. Its lines, times by the boot clock in nanoseconds:
//   elected TERM · lost TERM REASON drained|overran · leader ID|- · begins TERM · told TERM
//   leads TERM FROM UNTIL    it led at some moment between the two
//   woke leads=0|1           its first look after it was stopped for most of its lease
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "tenure/tenure.hpp"

namespace {

using namespace tenure;
using std::chrono::milliseconds;

void say(std::string line) {
  line += '\n';
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

std::string to_text(std::uint64_t number) { return std::to_string(number); }
std::string to_text(BootClock::time_point time) { return std::to_string(time.time_since_epoch().count()); }

void look(const std::stop_token& stop, const Election& election, milliseconds lease) {
  for (auto last = BootClock::now(); !stop.stop_requested();) {
    const auto before = BootClock::now();
    const bool leads = election.is_leader();
    if (before - last > lease * 6 / 10) say(std::string("woke leads=") + (leads ? "1" : "0"));
    last = before;  // it may be stopped in the middle of a look, too: then the next one says so
    const auto term = election.term();
    if (leads && term)
      say("leads " + to_text(*term) + " " + to_text(before) + " " + to_text(BootClock::now()));
    std::this_thread::sleep_for(milliseconds(2));
  }
}

void work(const Lease& term) {
  say("begins " + to_text(term.token()));
  while (!term.lost().stop_requested()) std::this_thread::sleep_for(milliseconds(1));
  say("told " + to_text(term.token()));
}

int run(ClientOptions options, const std::string& name, milliseconds lease) {
  // Before there are threads, which inherit it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const auto client = Client::open(std::move(options));
  if (!client) return 1;
  auto election = client->election(name, {.lease = lease});
  if (!election) return 1;
  election->on_elected([](const Lease& term) { say("elected " + to_text(term.token())); });
  election->on_lost([](const TermEnd& end) {
    say("lost " + to_text(end.term) + " " + std::string(to_string(end.reason)) +
        (end.drained ? " drained" : " overran"));
  });
  election->on_leader_changed([](const auto&, const auto& now) { say("leader " + (now ? now->id : "-")); });
  std::stop_source stop;
  std::jthread stopper([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    stop.request_stop();
  });
  const std::jthread looker(look, std::cref(*election), lease);
  return election->run(stop.get_token(), work) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 64;
  ClientOptions options;
  options.id = argv[1];
  options.ttl_max = milliseconds(std::stoi(argv[4]));
  options.nodes.assign(argv + 5, argv + argc);
  return run(std::move(options), argv[2], milliseconds(std::stoi(argv[3])));
}
