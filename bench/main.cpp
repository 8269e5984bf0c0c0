// tenure-bench [--quick] [--passes N] [--write FILE] [NAME…]: how close Tenure comes to what a hand-made program could do,
// and how it compares with others, in one run on this machine.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "benches.hpp"
#include "cores.hpp"
#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "stage.hpp"
#include "words.hpp"

namespace tenure::bench {

namespace {

struct Bench {
  std::string name;
  std::vector<Cores> cores;
  bool peers = false;  // do others take part?
  std::function<Rows(Stage&)> run;
  bool once = false;  // it takes so long, and varies so little, that the first pass will do
};

const std::vector<Bench>& benches() {
  static const std::vector<Cores> both{Cores::one, Cores::apart};
  static const std::vector<Bench> all{
      {"one", both, true, one_caller},
      {"many", both, true, many_callers},
      {"quorum", both, true, quorum},
      {"cluster", both, false, cluster},
      {"handover", both, true, lock_hand_over},
      {"start", both, false, start},
      {"renew", both, true, renewal},
      {"postgresql-one", both, false, postgresql_one_caller},
      {"postgresql-many", both, false, postgresql_many_callers},
      {"postgresql-hand-over", both, false, postgresql_hand_over},
      {"postgresql-renew", both, false, postgresql_renewal},
      {"placement", {Cores::one}, false, placement},
      {"elect", both, false, election_hand_over},
      {"crash", {Cores::apart}, false, crash},
      {"elections", {Cores::apart}, false, thousand_elections},
      {"fleet", {Cores::apart}, false, fleet},
      {"idle", {Cores::apart}, false, idle_fleet},
      {"growth", {Cores::apart}, false, growth, true},
      {"web", {Cores::apart}, false, web, true},
  };
  return all;
}

struct Findings {
  Summaries rows{};
  std::vector<std::string> failed{};

  // Said once, however many passes it concerns.
  void fail(std::string what) {
    if (std::ranges::find(failed, what) == failed.end()) failed.push_back(std::move(what));
  }
};

struct Wanted {
  bool quick = false;
  int passes = 0;  // not said: three, or one of a quick run
  std::string page{};
  std::set<std::string> names{};  // none: all
};

// Exits where it is not understood.
Wanted read(const std::vector<std::string>& words) {
  Wanted wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    const bool known = std::ranges::any_of(benches(), [&](const Bench& it) { return it.name == words[i]; });
    if (words[i] == "--quick") {
      wanted.quick = true;
    } else if (words[i] == "--passes" && more) {
      wanted.passes = std::atoi(words[++i].c_str());
    } else if (words[i] == "--write" && more) {
      wanted.page = words[++i];
    } else if (known) {
      wanted.names.insert(words[i]);
    } else {
      std::cerr << "tenure-bench [--quick] [--passes N] [--write FILE] [NAME…], of\n ";
      for (const Bench& it : benches()) std::cerr << ' ' << it.name;
      std::cerr << "\nnot \"" << words[i] << "\"\n";
      std::exit(64);
    }
  }
  if (wanted.passes <= 0) wanted.passes = wanted.quick ? 1 : 3;
  return wanted;
}

// What is measured on the cores of this stage, once. What fails is noted, and the rest goes on.
void run_pass(const Wanted& wanted, int pass, Stage& stage, Findings& findings) {
  const Cores cores = stage.cores();
  pin(cores);
  for (const Bench& bench : benches()) {
    if (!wanted.names.empty() && !wanted.names.contains(bench.name)) continue;
    if (bench.once && pass > 1) continue;
    const std::size_t considered = wanted.quick ? 1 : bench.cores.size();
    if (std::ranges::count(std::span(bench.cores).first(considered), cores) == 0) continue;
    if (!bench.peers) stage.dismiss();
    const std::string what = "pass " + std::to_string(pass) + " of " + std::to_string(wanted.passes) +
                             ", on " + to_text(cores) + ": " + bench.name;
    std::cerr << what << " … ";
    const double took = timed([&] {
                          try {
                            for (Row& row : bench.run(stage)) {
                              row.cores = cores;
                              findings.rows.add(std::move(row));
                            }
                          } catch (const std::exception& error) {
                            findings.fail(what + ": " + error.what());
                            std::cerr << error.what() << " … ";
                          }
                        }).seconds;
    std::cerr << to_text(took, Unit::seconds) << "\n";
  }
}

Report report_of(const Findings& findings, const std::map<std::string, std::string>& peers, bool quick) {
  Report report{findings.rows.all(), findings.failed, machine(), quick};
  for (const auto& [name, version] : peers) report.facts.push_back({name, version});
  return report;
}

// Whether all of it could be measured. The page is written after every pass: a run that is cut short leaves what it has.
bool run(const Wanted& wanted) {
  Findings findings;
  std::map<std::string, std::string> peers;
  for (int pass = 1; pass <= wanted.passes; ++pass) {
    for (const Cores cores : {Cores::one, Cores::apart}) {
      if (!available(cores)) {
        findings.fail("the rows on a core each: there is only one core here");
        continue;
      }
      Stage stage(wanted.quick, cores);
      run_pass(wanted, pass, stage, findings);
      peers.insert(stage.versions().begin(), stage.versions().end());
      for (const std::string& name : stage.absent()) findings.fail(name + ": could not be had here");
    }
    if (!wanted.page.empty()) write_page(report_of(findings, peers, wanted.quick), wanted.page);
  }
  for (const Summary& it : findings.rows.all()) std::cout << in_short(it);
  for (const std::string& it : findings.failed) std::cout << "\nFAILED  " << it << "\n";
  return findings.failed.empty();
}

}  // namespace

}  // namespace tenure::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 2 && words[0] == "--candidate") tenure::bench::crash_candidate(words[1]);
  if (words.size() == 5 && words[0] == "--instance") {
    const std::chrono::milliseconds ttl(std::stol(words[4]));
    tenure::bench::fleet_instance(words[1], words[2], std::stoul(words[3]), ttl);
    return 0;
  }
  if (words.size() == 7 && words[0] == "--instances") {
    tenure::bench::fleet_instances(words[1], std::stoul(words[2]), std::stoul(words[3]), std::stoul(words[4]),
                                   std::stoul(words[5]), words[6]);
    return 0;
  }
  if (words == std::vector<std::string>{"--peers"}) return tenure::bench::try_peers() ? 0 : 1;
  const auto wanted = tenure::bench::read(words);
  try {
    return tenure::bench::run(wanted) ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "tenure-bench: " << error.what() << "\n";
    return 1;
  }
}
