#include "cli/demo/demo.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "cli/demo/demo_place.hpp"
#include "cli/demo/demo_process.hpp"
#include "cli/demo/demo_show.hpp"
#include "cli/message.hpp"
#include "cli/supervise/signals.hpp"
#include "http_target/http_target.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto ttl = "3s";
constexpr milliseconds interval{4'000};
// How long each chapter of the story lasts, once it shows what it is to show.
constexpr core::Duration calm = seconds(6);
// Where nobody watches, the story must have been told by then: it takes about 30 s.
constexpr unsigned story_seconds_max = 120;

class Demo {
 public:
  explicit Demo(const DemoArgs& args)
      : args_(args),
        plain_(args.plain || isatty(STDOUT_FILENO) == 0),
        limit_(args.seconds),
        show_(plain_, sessions()) {
    if (!limit_ && isatty(STDOUT_FILENO) == 0) limit_ = story_seconds_max;
  }

  int run() {
    if (const auto why = begin()) {
      end();
      return fail(why->code, "the demonstration cannot begin: " + why->why);
    }
    if (!plain_) std::fputs("\033[2J\033[?25l", stdout);
    bool interrupted = false;
    while (!is_over()) {
      interrupted = asked_to_end();
      if (interrupted) break;
      look();
      go_on();
      show_.draw();
    }
    if (!plain_) std::fputs("\033[?25h\n", stdout);
    end();
    sum_up();
    if (const auto why = failure(interrupted)) return fail(ExitCode::not_shown, *why);
    return finish_output();
  }

 private:
  enum class Chapter { starting, sharing, taking_over, alone, returning, open_end };

  static std::vector<std::string> sessions() {
    std::vector<std::string> names;
    for (int i = 1; i <= 9; ++i) names.push_back("session-" + std::to_string(i));
    return names;
  }

  std::optional<CannotBegin> begin() {
    std::string name = (fs::temp_directory_path() / "tenure-demo-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      return CannotBegin{"no folder can be made in " + fs::temp_directory_path().string()};
    folder_ = name;
    auto target = http_target::HttpTarget::open(0, [this](const http_target::HttpTarget::Visit& visit) {
      show_.polled(visit.session, visit.instance, visit.token);
    });
    if (!target) return CannotBegin{target.error()};
    target_ = std::move(*target);
    auto place = args_.nodes ? DemoPlace::at(*args_.nodes, folder_) : DemoPlace::make_private(folder_);
    if (!place) return place.error();
    place_ = std::move(*place);
    if (auto why = add_sessions()) return CannotBegin{*why};
    for (const char* id : {"web-1", "web-2", "web-3"}) {
      if (auto why = start_instance(id)) return CannotBegin{*why};
    }
    if (auto why = start_page()) return CannotBegin{*why};
    show_.tell(place_->name() + ", nine sessions, three instances: web-1, web-2, web-3.");
    return std::nullopt;
  }

  std::optional<std::string> add_sessions() {
    std::vector<Session> all;
    for (const auto& id : sessions()) {
      all.push_back({.id = id, .address = target_->url("/" + id), .interval = interval});
    }
    return place_->add(all);
  }

  // A command of tenure, at that place.
  tl::expected<DemoProcess, std::string> start(std::vector<std::string> words, const fs::path& log) {
    words.insert(words.begin(), "/proc/self/exe");
    words.insert(words.end(), place_->words().begin(), place_->words().end());
    return DemoProcess::start(words, log);
  }

  // It says in its log which port it was given.
  std::optional<std::string> start_page() {
    const fs::path log = folder_ / "web.log";
    auto started = start({"web", "--http", "127.0.0.1:0"}, log);
    if (!started) return started.error();
    page_ = std::move(*started);
    constexpr std::string_view mark = "serving ";
    const core::Time until = runtime::boot_now() + seconds(10);
    for (;;) {
      std::ifstream file(log);
      std::string line;
      const bool complete = static_cast<bool>(std::getline(file, line)) && !file.eof();
      if (const auto at = line.find(mark); complete && at != std::string::npos) {
        show_.watch_at(line.substr(at + mark.size()));
        return std::nullopt;
      }
      if (page_->ends_within(0)) return "its page has ended: " + last_line(log);
      if (runtime::boot_now() > until) return "its page does not come up: " + last_line(log);
      usleep(5'000);
    }
  }

  std::optional<std::string> start_instance(const std::string& id) {
    auto started = start({"poll", "--id", id, "--ttl", ttl, "--json"}, folder_ / (id + ".log"));
    if (!started) return started.error();
    instances_.insert_or_assign(id, std::move(*started));
    return std::nullopt;
  }

  // Its folder goes with the demonstration.
  static std::string last_line(const fs::path& log) {
    std::ifstream file(log);
    std::string last = "it has said nothing";
    for (std::string line; std::getline(file, line);) last = line;
    return last;
  }

  // On a terminal it goes on until somebody has seen enough.
  bool is_over() const {
    if (ended_) return true;
    if (!limit_) return false;
    if (chapter_ == Chapter::open_end && lasted() >= calm) return true;
    return runtime::boot_now() - begun_ >= seconds(*limit_);
  }

  // Why it did not show what it is to show; nothing if it did, or if it was not allowed to finish.
  std::optional<std::string> failure(bool interrupted) const {
    if (const std::size_t count = http_target::overlaps(target_->visits()); count > 0) {
      return "the demonstration failed: two instances polled a session at the same time, " +
             std::to_string(count) + " times";
    }
    if (ended_) return ended_;
    if (interrupted || chapter_ == Chapter::open_end) return std::nullopt;
    std::string owners;
    for (const auto& [session, owner] : owners_) {
      owners += "\n  " + session + ": " + (owner.empty() ? "nobody" : owner);
    }
    return "the demonstration was not over after " + std::to_string(*limit_) +
           " s (it takes about 30 s). The sessions are owned by:" + owners;
  }

  // Waits a moment for that.
  bool asked_to_end() {
    pollfd ready{signals_.fd(), POLLIN, 0};
    ::poll(&ready, 1, 50);
    while (const auto signal = signals_.next()) {
      if (asks_to_end(*signal)) return true;
    }
    return false;
  }

  void look() {
    for (auto& [id, process] : instances_) {
      if (!ended_ && process.ends_within(0)) {
        ended_ = "the demonstration failed: " + id + " has ended: " + last_line(folder_ / (id + ".log"));
      }
    }
    auto owners = place_->owners();
    if (!owners) return;
    owners_ = std::move(*owners);
    show_.owners(owners_);
  }

  std::size_t share_of(const std::string& id) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(owners_, [&](const auto& it) { return it.second == id; }));
  }
  bool shared_by(const std::vector<std::string>& ids) const {
    return std::ranges::all_of(ids, [&](const auto& id) { return share_of(id) == 9 / ids.size(); });
  }

  void turn_to(Chapter chapter) {
    chapter_ = chapter;
    since_ = runtime::boot_now();
  }
  core::Duration lasted() const { return runtime::boot_now() - since_; }
  std::string lasted_text() const {
    return std::to_string(std::chrono::round<milliseconds>(lasted()).count()) + " ms";
  }

  void go_on() {
    switch (chapter_) {
      case Chapter::starting:
        if (!shared_by({"web-1", "web-2", "web-3"})) return;
        show_.tell("Each has three, with nothing configured.");
        return turn_to(Chapter::sharing);
      case Chapter::sharing:
        if (lasted() < calm) return;
        show_.tell("web-2 is killed (SIGKILL). Its leases of 3 s run out by themselves.");
        instances_.erase("web-2");
        return turn_to(Chapter::taking_over);
      case Chapter::taking_over:
        if (share_of("web-1") + share_of("web-3") != 9) return;
        show_.tell("web-1 and web-3 have its sessions, " + lasted_text() + " after the kill.");
        return turn_to(Chapter::alone);
      case Chapter::alone:
        if (lasted() < calm) return;
        show_.tell("It starts again, as web-4: an id is never used twice.");
        if (const auto why = start_instance("web-4")) show_.tell(*why);
        return turn_to(Chapter::returning);
      case Chapter::returning:
        if (!shared_by({"web-1", "web-3", "web-4"})) return;
        show_.tell("Three each again after " + lasted_text() + ": only those three sessions have moved.");
        if (!limit_) show_.tell("This goes on until Ctrl-C.");
        return turn_to(Chapter::open_end);
      case Chapter::open_end:
        return;
    }
  }

  void end() {
    for (auto& [id, process] : instances_) process.signal(SIGTERM);
    for (auto& [id, process] : instances_) process.ends_within(5'000);
    instances_.clear();
    page_.reset();
    if (place_) {
      if (const auto why = place_->leave()) say(*why);
    }
    place_.reset();
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }

  void sum_up() {
    const auto visits = target_->visits();
    std::map<std::string, core::Time> last;
    core::Duration longest{};
    for (const auto& visit : visits) {
      const auto [it, first] = last.try_emplace(visit.session, visit.began);
      if (!first) longest = std::max(longest, visit.began - it->second);
      it->second = visit.began;
    }
    std::printf(
        "Seen by the server that was polled: %zu polls of %zu sessions, overlaps: %zu, longest gap: %.1f s "
        "(each is due every %.0f s).\n",
        visits.size(), last.size(), http_target::overlaps(visits),
        std::chrono::duration<double>(longest).count(), std::chrono::duration<double>(interval).count());
  }

  const DemoArgs& args_;
  bool plain_;
  std::optional<unsigned> limit_;  // in seconds; nothing: until Ctrl-C
  Signals signals_;                // before the first thread
  DemoShow show_;
  fs::path folder_;
  std::unique_ptr<http_target::HttpTarget> target_;
  std::optional<DemoPlace> place_;
  std::map<std::string, DemoProcess> instances_;
  std::optional<DemoProcess> page_;
  std::optional<std::string> ended_;           // an instance that should live, and why
  std::map<std::string, std::string> owners_;  // by session
  Chapter chapter_ = Chapter::starting;
  core::Time begun_ = runtime::boot_now();
  core::Time since_ = begun_;  // when the chapter began
};

}  // namespace

int demo(const DemoArgs& args) { return Demo(args).run(); }

}  // namespace tenure::cli
