#include "overview.hpp"

#include <map>
#include <set>

#include "words.hpp"

namespace tenure::bench {

namespace {

// What somebody should know who compares: a peer that does less may well be faster.
const std::map<std::string, std::string>& omissions() {
  static const std::map<std::string, std::string> all{
      {"node-redlock", "no token, no queue of waiters; a waiter tries again after a delay"},
      {"node-redlock, quorum", "no token, no queue of waiters; a waiter tries again after a delay"},
      {"redis-py Lock", "no token, no queue of waiters, no renewal by itself; one server only"},
      {"PostgreSQL advisory lock",
       "no time to live and no token: the lock ends when its connection does, and each caller has a "
       "connection, and a process of the server, of its own"},
      {"etcd lock", "writes every step to disk, and is reached by its JSON gateway here"}};
  return all;
}

std::string ratio(const Span& span) { return to_text(span.middle, Unit::times) + " ×"; }

void add(std::string& list, const std::string& item) { list += (list.empty() ? "" : ", ") + item; }

// One line for each way of ours to do this work; notes the peers that it names.
void write_lines(std::string& out, const Summary& summary, std::set<std::string>& named) {
  const Row& row = summary.row();
  for (const Entry& ours : row.entries) {
    const auto cost = summary.figure(ours.name, row.compared);
    if (ours.kind != Kind::tenure || !cost) continue;
    std::string ahead;
    std::string behind;
    for (const Entry& peer : row.entries) {
      if (peer.kind != Kind::peer) continue;
      const auto speed = summary.speed(ours.name, peer.name);
      if (!speed) continue;
      named.insert(peer.name);
      add(speed->middle >= 1 ? ahead : behind, peer.name + " (" + ratio(*speed) + ")");
    }
    if (ahead.empty() && behind.empty()) continue;
    out += "| " + row.title + " | " + ours.name + " | " + to_text(cost->middle, Unit::seconds) + " | " +
           (ahead.empty() ? "–" : ahead) + " | " + (behind.empty() ? "–" : behind) + " |\n";
  }
}

}  // namespace

std::string overview(const std::vector<Summary>& rows) {
  std::string lines;
  std::set<std::string> named;
  for (const Summary& it : rows) {
    if (it.row().cores == Cores::one && !it.row().compared.empty()) write_lines(lines, it, named);
  }
  if (lines.empty()) return {};
  std::string page =
      "Server and clients on one core. The number behind a name says how many times as fast as that Tenure "
      "is.\n\n| what is done | by | it takes | ahead of | behind |\n|---|---|--:|---|---|\n" +
      lines + "\nWhat the others leave out, or do besides:\n\n";
  for (const std::string& name : named) {
    if (const auto it = omissions().find(name); it != omissions().end())
      page += "- " + name + ": " + it->second + ".\n";
  }
  return page + "\nWhere a goal was missed, the reason stands below the goals.\n";
}

}  // namespace tenure::bench
