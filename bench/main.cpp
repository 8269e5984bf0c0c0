// tenure-bench [--quick] [one] [many] [renew] [handover] [crash] [elections] [placement] [fleet] [idle]: how close Tenure comes to
// what a hand-made program could do, in one run on this machine.
#include <cstdio>
#include <set>
#include <string>

#include "benches.hpp"
#include "measure.hpp"
#include "peer.hpp"

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--candidate") tenure::bench::crash_candidate(argv[2]);
  if (argc == 6 && std::string(argv[1]) == "--instance") {
    const std::chrono::milliseconds ttl(std::stol(argv[5]));
    tenure::bench::fleet_instance(argv[2], argv[3], std::stoul(argv[4]), ttl);
    return 0;
  }
  if (argc == 2 && std::string(argv[1]) == "--peers") return tenure::bench::try_peers() ? 0 : 1;
  std::set<std::string> wanted(argv + 1, argv + argc);
  const int rounds = wanted.erase("--quick") != 0 ? 5 : 25;
  const auto wants = [&](const char* name) { return wanted.empty() || wanted.contains(name); };
  std::printf("All times are for one unit of work. \"0.90 of A\" means: as fast as 0.90 times A.\n");
  for (const bool one_core : {true, false}) {
    tenure::bench::pin(one_core);
    std::printf("\n== Redis and the program on %s\n", one_core ? "one core" : "all cores");
    if (wants("one")) tenure::bench::one_caller(rounds);
    if (wants("many")) tenure::bench::many_callers(rounds);
    if (wants("renew")) tenure::bench::renewal(rounds);
    if (wants("handover")) tenure::bench::hand_over(rounds);
    if (wants("crash")) tenure::bench::crash(rounds);
    if (wants("elections")) tenure::bench::thousand_elections(rounds);
    if (one_core && wants("placement")) tenure::bench::placement(rounds);
    if (!one_core && wants("fleet")) tenure::bench::fleet(rounds);
    if (!one_core && wants("idle")) tenure::bench::idle_fleet(rounds);
  }
}
