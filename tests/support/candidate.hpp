// A candidate with a client of its own, that writes down what it is told; and an eye on who leads. For tests that link
// the API.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "integration/api.hpp"
#include "support/oracle.hpp"

namespace tenure::test {

inline constexpr auto leader_key = "myapp:leader";

// Short, but patient with a machine that has much else to do: a node gets 200 ms.
inline ElectionOptions three_seconds() {
  using namespace std::chrono_literals;
  return {.lease = 3s, .renew = 600ms, .grace = 800ms, .drain = 600ms};
}

// Looks at term() again and again, and tells the oracle from when until when each of them surely lasted.
class Eye {
 public:
  Eye(Oracle& oracle, std::string who, const Election& election)
      : thread_([&oracle, who = std::move(who), &election](const std::stop_token& stop) {
          std::map<core::Token, Oracle::Term> terms;
          while (!stop.stop_requested()) {
            const core::Time before = runtime::boot_now();
            if (const auto term = election.term()) {
              const core::Time after = runtime::boot_now();
              const auto [it, first] = terms.try_emplace(*term, Oracle::Term{who, *term, after, after});
              it->second.until = std::max(it->second.until, before);
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          for (auto& [token, term] : terms) oracle.note(std::move(term));
        }) {}

 private:
  std::jthread thread_;
};

// "elected", "lost <reason>" and "lost <reason>, not drained", and who leads: "leader <id>", "no leader".
class Candidate {
 public:
  Candidate(const Nodes& nodes, const std::string& id, const ElectionOptions& options = three_seconds())
      : Candidate(options_for(nodes, id), options) {}
  Candidate(ClientOptions open_with, const ElectionOptions& options)
      : client(Client::open(with_ears(std::move(open_with))).value()),
        election(client.election(leader_key, options).value()) {
    election.on_elected([this](const Lease& term) {
      terms.add(term.token());
      told.add("elected");
    });
    election.on_lost([this](const TermEnd& end) {
      told.add("lost " + std::string(to_string(end.reason)) + (end.drained ? "" : ", not drained"));
    });
    election.on_leader_changed(
        [this](const auto&, const auto& now) { leaders.add(now ? "leader " + now->id : "no leader"); });
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;

  bool has_logged(const std::string& part) const {
    return std::ranges::any_of(logged.all(),
                               [&](const auto& line) { return line.find(part) != std::string::npos; });
  }
  // Waits for the next answer to a renewal.
  bool is_renewed() const {
    const int before = renewals;
    return wait_until([&] { return renewals > before; });
  }
  bool wins(std::chrono::milliseconds within = std::chrono::seconds(20)) const {
    return election.wait_for_leadership(within).has_value();
  }

  Record<std::string> told;
  Record<std::string> leaders;
  Record<std::uint64_t> terms;
  Record<std::string> logged;
  std::atomic<int> renewals = 0;
  Client client;
  Election election;  // goes first: its handlers write into the others

 private:
  ClientOptions with_ears(ClientOptions options) {
    options.on_log = [this](const LogLine& line) { logged.add(line.message); };
    options.on_event = [this](const Event& event) { renewals += event.kind == Event::Kind::renewed ? 1 : 0; };
    return options;
  }
};

using Candidates = std::deque<Candidate>;

inline std::size_t leading(const Candidates& candidates) {
  return static_cast<std::size_t>(
      std::ranges::count_if(candidates, [](const Candidate& it) { return it.election.is_leader(); }));
}

}  // namespace tenure::test
