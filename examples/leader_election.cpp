// The life of a candidate, step by step. Start it in several terminals: one of them leads.
//
//   build/examples/leader_election                          the nodes in TENURE_REDIS, or three on this machine
//   build/examples/leader_election redis://10.0.0.5 [URL …] others
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include <tenure/tenure.hpp>

#include "nodes.hpp"

using namespace std::chrono_literals;

namespace {

constexpr auto lock_key = "myapp:leader";
const tenure::ElectionOptions options{.lease = 30s, .renew = 10s, .grace = 15s, .drain = 500ms};

volatile std::sig_atomic_t asked_to_end = 0;

void print(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

std::string hours(std::chrono::milliseconds length) {
  char text[32];
  const auto seconds = static_cast<int>(length / 1s);
  std::snprintf(text, sizeof text, "%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
  return text;
}

std::string name_of(const std::optional<tenure::Leader>& leader) { return leader ? leader->id : "(none)"; }

void print_status(const tenure::Election& election) {
  print(std::string("  Is Leader: ") + (election.is_leader() ? "True" : "False"));
  print("  Current Leader: " + name_of(election.current_leader()));
}

// Sleeps, unless Ctrl-C comes first.
bool sleep(std::chrono::milliseconds length) {
  const auto end = std::chrono::steady_clock::now() + length;
  while (asked_to_end == 0 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(50ms);
  return asked_to_end == 0;
}

void subscribe(tenure::Election& election) {
  print("\n=== Demo 1: Subscribe to Leadership Events ===\n");
  print("Candidate ID: " + election.candidate_id());
  print("Lock Key: " + election.name());
  print("Lease Duration: " + hours(*options.lease));
  print("Renew Interval: " + hours(*options.renew));
  print("Grace Period: " + hours(*options.grace));
  election.on_elected([&election](const tenure::Lease& term) {
    print("\n*** LEADERSHIP ACQUIRED ***\n  Candidate: " + election.candidate_id() +
          "\n  Lock Key: " + term.name() + "\n  Term: " + std::to_string(term.token()) +
          "\n  This instance is now the leader!\n");
  });
  election.on_lost([&election](const tenure::TermEnd& end) {
    print("\n*** LEADERSHIP LOST ***\n  Candidate: " + election.candidate_id() +
          "\n  Term: " + std::to_string(end.term) + "\n  Reason: " + end.message + "\n");
  });
  election.on_leader_changed([](const auto& before, const auto& now) {
    print("Leader changed: " + name_of(before) + " -> " + name_of(now));
  });
  print("\nEvent handlers registered for:\n  - on_elected\n  - on_lost\n  - on_leader_changed");
}

bool start(tenure::Election& election) {
  print("\n=== Demo 2: Start Leader Election ===\n");
  print("Starting leader election...");
  if (const auto started = election.start(); !started) {
    std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return false;
  }
  // A moment for the first answer: who leads is known then.
  for (int i = 0; i < 20 && !election.current_leader(); ++i) sleep(100ms);
  print("\nInitial election result:");
  print_status(election);
  return true;
}

void monitor(const tenure::Election& election) {
  print("\n=== Demo 3: Monitor Leadership Status ===\n");
  print("Monitoring leadership status for 10 seconds...");
  for (int check = 1; check <= 5 && asked_to_end == 0; ++check) {
    print("\nStatus check " + std::to_string(check) + "/5:");
    print_status(election);
    sleep(2s);
  }
}

// Leader-only work asks before every piece; what takes long belongs into election.run().
void work(const tenure::Election& election) {
  print("\nWorking until Ctrl-C: only the leader does anything.");
  do {
    if (const auto term = election.term()) print("batch processed in term " + std::to_string(*term));
  } while (sleep(2s));
}

void stop(tenure::Election& election) {
  print("\n=== Demo 4: Graceful Shutdown ===\n");
  print("Stopping: another candidate leads at once, not after the lease...");
  election.stop();
  print("Leadership released.");
}

}  // namespace

int main(int argc, char** argv) {
  if (example::helped(
          argc, argv,
          "Takes part in an election until Ctrl-C. Start it in several terminals: one of them leads.")) {
    return 0;
  }
  std::signal(SIGINT, [](int) { asked_to_end = 1; });
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });

  const auto client = example::open(argc, argv);
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 64;
  }
  auto election = client->election(lock_key, options);
  if (!election) {
    std::fprintf(stderr, "%s\n", election.error().message.c_str());
    return 64;
  }

  print("=================================================");
  print("  Leader Election Sample");
  print("=================================================");
  subscribe(*election);
  if (!start(*election)) return 1;
  monitor(*election);
  work(*election);
  stop(*election);
  return 0;
}
