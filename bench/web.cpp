// What it costs a fleet that polls to be looked at: by Prometheus, and by people on the page of `tenure web`.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benches.hpp"
#include "client_of.hpp"
#include "cores.hpp"
#include "http_target/http_target.hpp"
#include "measure.hpp"
#include "stage.hpp"
#include "support/http_client.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/wait.hpp"
#include "usage.hpp"
#include "viewers.hpp"

namespace tenure::bench {

namespace {

using std::chrono::seconds;

constexpr std::size_t sessions = 10'000;
constexpr std::size_t viewers = 50;
constexpr seconds interval(30);

double in_seconds(BootClock::duration length) { return std::chrono::duration<double>(length).count(); }

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// tenure, with these words, while this lives.
class Program {
 public:
  explicit Program(const Words& words)
      : process_(std::make_unique<test::Process>(joined({test::paths::program}, words))) {}

  pid_t pid() const { return process_->pid(); }

 protected:
  std::string said() const { return process_->err() + process_->out(); }

 private:
  std::unique_ptr<test::Process> process_;
};

// One that serves, on a free port.
class Serving : public Program {
 public:
  explicit Serving(Words words) : Program(joined(std::move(words), {"--http", "127.0.0.1:0"})) {
    const std::string mark = "http://127.0.0.1:";
    std::string text;
    expect(test::wait_until([&] { return (text = said()).find(mark) != text.npos; }),
           "it does not say where it serves");
    port_ = static_cast<std::uint16_t>(std::stoul(text.substr(text.find(mark) + mark.size())));
  }

  std::uint16_t port() const { return port_; }
  test::HttpAnswer ask(const std::string& path) const { return test::HttpClient(port_).get(path); }
  std::string metrics() const {
    auto answer = ask("/metrics");
    expect(answer.status == 200, "/metrics is refused");
    return std::move(answer.body);
  }

 private:
  std::uint16_t port_ = 0;
};

// How late polls began, as /metrics tells it.
struct Lateness {
  std::vector<std::pair<double, double>> counts{};  // by their bound, those below it as well
  double sum = 0;
  double count = 0;

  static Lateness read(const std::string& page) {
    Lateness all;
    const std::string name = "tenure_poll_lateness_seconds";
    std::istringstream lines(page);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(name)) continue;
      const double value = std::stod(line.substr(line.rfind(' ')));
      const std::string bound = "_bucket{le=\"";
      if (line.starts_with(name + "_sum")) all.sum = value;
      if (line.starts_with(name + "_count")) all.count = value;
      if (line.starts_with(name + bound) && line.find("+Inf") == line.npos)
        all.counts.emplace_back(std::stod(line.substr(name.size() + bound.size())), value);
    }
    return all;
  }
  Lateness since(const Lateness& before) const {
    Lateness more = *this;
    more.sum -= before.sum;
    more.count -= before.count;
    for (std::size_t i = 0; i < counts.size(); ++i) more.counts[i].second -= before.counts.at(i).second;
    return more;
  }
  double mean() const { return count > 0 ? sum / count : 0; }
  // The bound below which so many of them are.
  double within(double share) const {
    const auto it =
        std::ranges::find_if(counts, [&](const auto& one) { return one.second >= share * count; });
    return it != counts.end() ? it->first : counts.back().first;
  }
};

// Two instances that poll as many sessions each, one of which can be looked at.
class Watched {
 public:
  Watched() {
    for (const char* fleet : {"unseen", "seen"}) add_sessions(fleet);
    unseen_ = std::make_unique<Program>(poll("unseen"));
    seen_ = std::make_unique<Serving>(poll("seen"));
    // The first polls come within a quarter of the interval, and then none; the others evenly over all of it.
    expect(test::wait_until([&] { return polls_ >= 4 * sessions; }, seconds(180)),
           "not every session is polled");
  }

  const Serving& seen() const { return *seen_; }
  const Program& unseen() const { return *unseen_; }
  std::string url() const { return url_of(nodes_); }

 private:
  void add_sessions(const std::string& fleet) {
    const std::string text = R"({"address": ")" + target_->url("/ok") + R"(", "interval_ms": )" +
                             std::to_string(std::chrono::milliseconds(interval).count()) + "}";
    for (std::size_t from = 0; from < sessions; from += 500) {
      Words command{"MSET"};
      for (std::size_t i = from; i < from + 500; ++i) {
        command.push_back(fleet + ":session:s-" + std::to_string(i));
        command.push_back(text);
      }
      nodes_[0].command(command);
    }
  }
  Words poll(const std::string& fleet) const { return {"poll", "--fleet", fleet, "--redis", url()}; }
  static std::unique_ptr<http_target::HttpTarget> open_target(std::atomic<std::size_t>& polls) {
    const AmongServers here;
    return http_target::HttpTarget::open(0, [&](const auto&) { polls += 1; }).value();
  }

  test::Nodes nodes_ = start_nodes(1);
  std::atomic<std::size_t> polls_ = 0;
  std::unique_ptr<http_target::HttpTarget> target_ = open_target(polls_);
  std::unique_ptr<Program> unseen_;
  std::unique_ptr<Serving> seen_;
};

constexpr const char* cpu = "CPU";
constexpr const char* cpu_unseen = "of the other";
constexpr const char* memory = "memory";
constexpr const char* memory_unseen = "memory of the other";
constexpr const char* mean_lateness = "lateness, mean";
constexpr const char* an_answer = "an answer";

// For so long: what the instance that can be looked at uses of a core, and the other meanwhile, and how late its polls begin.
template <class Meanwhile>
Entry watch(const Watched& fleet, const std::string& name, seconds length, const Meanwhile& meanwhile) {
  const Serving& seen = fleet.seen();
  const auto late = Lateness::read(seen.metrics());
  const double seen_from = cpu_of(seen.pid());
  const double unseen_from = cpu_of(fleet.unseen().pid());
  const auto begun = BootClock::now();
  meanwhile(begun + length);
  const double share = 100 / in_seconds(BootClock::now() - begun);
  const double seen_used = cpu_of(seen.pid()) - seen_from;
  const double unseen_used = cpu_of(fleet.unseen().pid()) - unseen_from;
  const auto now = Lateness::read(seen.metrics()).since(late);
  return {name,
          Kind::tenure,
          {{cpu, seen_used * share, Unit::percent},
           {cpu_unseen, unseen_used * share, Unit::percent},
           {memory, megabytes_of(seen.pid()), Unit::megabytes},
           {memory_unseen, megabytes_of(fleet.unseen().pid()), Unit::megabytes},
           {mean_lateness, now.mean()},
           {"99 % within", now.within(0.99)}}};
}

Entry watch_scraped(const Watched& fleet, const std::string& name, seconds length) {
  std::vector<double> answers;
  Entry entry = watch(fleet, name, length, [&](auto end) {
    for (auto next = BootClock::now(); next < end; next += seconds(1)) {
      std::this_thread::sleep_until(next);
      const auto asked = BootClock::now();
      fleet.seen().metrics();
      answers.push_back(in_seconds(BootClock::now() - asked));
    }
    std::this_thread::sleep_until(end);
  });
  entry.figures.push_back({an_answer, quantile(answers, 0.5)});
  return entry;
}

// And what tenure web uses itself.
std::vector<Entry> watch_viewed(const Watched& fleet, const std::string& name, seconds length) {
  const Serving page({"web", "--fleet", "seen", "--redis", fleet.url()});
  const double from = cpu_of(page.pid());
  const Viewers people(viewers, page.port(), "seen");
  Entry entry = watch(fleet, name, length, [](auto end) { std::this_thread::sleep_until(end); });
  const double used = (cpu_of(page.pid()) - from) / in_seconds(length);
  expect(people.failed() == 0, "a viewer was refused");
  entry.figures.push_back({an_answer, quantile(people.answers(), 0.5)});
  Entry web{"tenure web itself, with them",
            Kind::tenure,
            {{cpu, 100 * used, Unit::percent}, {memory, megabytes_of(page.pid()), Unit::megabytes}}};
  return {std::move(entry), std::move(web)};
}

// Of instances that have no sessions, so that nothing else moves: without --http, and with it when it has been asked.
std::vector<Entry> small_ones(const std::string& url) {
  const Program without({"poll", "--fleet", "none", "--redis", url});
  const Serving with({"poll", "--fleet", "none-either", "--redis", url});
  std::this_thread::sleep_for(seconds(2));
  for (const char* path : {"/metrics", "/readyz", "/api/v1/self", "/api/v1/nodes"}) with.ask(path);
  const auto entry = [](const std::string& name, pid_t pid) {
    return Entry{name, Kind::tenure, {{memory, megabytes_of(pid), Unit::megabytes}}};
  };
  return {entry("no sessions, without --http", without.pid()), entry("no sessions, --http", with.pid())};
}

}  // namespace

Rows web(Stage& stage) {
  Row row{
      "web", "What looking at an instance that polls 10,000 sessions costs",
      "Each every 30 s, by HTTP; the other is one like it without --http. A viewer is an event stream of "
      "tenure web and a page of 100 sessions whenever the nodes were looked at, at most once a second, as "
      "the page asks for them. The instances, tenure web and the viewers share a core. Lateness is from "
      "when a poll was due until it began, as /metrics of the instance tells it, in buckets."};
  const std::string nobody = "nobody asks";
  const std::string scraped = "/metrics once a second";
  const std::string viewed = "50 viewers of tenure web";
  const seconds length(stage.quick() ? 5 : 15);
  const Watched fleet;
  row.entries = small_ones(fleet.url());
  row.entries.push_back(watch(fleet, nobody, length, [](auto end) { std::this_thread::sleep_until(end); }));
  row.entries.push_back(watch_scraped(fleet, scraped, length));
  for (Entry& it : watch_viewed(fleet, viewed, seconds(stage.quick() ? 15 : 60)))
    row.entries.push_back(std::move(it));

  const auto more = [&](const std::string& entry, const char* figure, const std::string& than,
                        const char* other) { return *row.find(entry, figure) - *row.find(than, other); };
  row.goals = {
      {"/metrics once a second, of a core", std::max(0.0, more(scraped, cpu, scraped, cpu_unseen)),
       Goal::Side::at_most, 0.5, Unit::percent},
      {"memory that --http adds", more("no sessions, --http", memory, "no sessions, without --http", memory),
       Goal::Side::at_most, 2, Unit::megabytes},
      {"memory of one that is looked at, more than the other's", more(viewed, memory, viewed, memory_unseen),
       Goal::Side::at_most, 20, Unit::megabytes},
      {"mean lateness with 50 viewers / without",
       *row.find(viewed, mean_lateness) / *row.find(nobody, mean_lateness), Goal::Side::at_most, 2}};
  return {row};
}

}  // namespace tenure::bench
