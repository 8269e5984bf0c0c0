#include "faults/worker.hpp"

#include <csignal>
#include <fstream>
#include <ranges>
#include <string_view>

#include "process/children.hpp"
#include "runtime/boot_clock.hpp"
#include "support/wait.hpp"

namespace tenure::faults {

using runtime::boot_now;

namespace {

// What the program must not take from the machine that this runs on.
const std::vector<std::string> environment{
    "TENURE_STORE",    "TENURE_REDIS",  "TENURE_REDIS_FILE", "REDIS_URL",      "TENURE_TTL_MAX",
    "TENURE_NODE_SET", "TENURE_TLS_CA", "TENURE_TLS_CERT",   "TENURE_TLS_KEY", "TENURE_TLS_NAME"};

// Neither stopped nor ended: a signal takes a moment to do what it does.
bool is_on_its_feet(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end != std::string::npos && name_end + 2 < text.size() &&
         std::string_view("TtZX").find(text[name_end + 2]) == std::string_view::npos;
}

}  // namespace

Worker::Worker(std::string name, Launch launch, Journal& journal)
    : name_(std::move(name)), launch_(std::move(launch)), journal_(journal) {}

void Worker::look(core::Time now) {
  if (process_ && !process_->running()) end();
  if (process_ || now < rests_until_) return;
  generation_ += 1;
  process_ = std::make_unique<test::Process>(launch_(generation_),
                                             test::Process::Options{.environment = environment});
}

void Worker::finish() {
  if (!process_) return;
  kill_all();
  end();
}

void Worker::end() {
  journal_.note(current() + " (" + std::to_string(process_->pid()) + ") ended with " +
                std::to_string(process_->exit_code()));
  if (const auto said = process_->err(); !said.empty())
    journal_.keep(name_, "--- " + current() + '\n' + said);
  if (const auto said = process_->out(); !said.empty()) journal_.keep(name_ + ".out", said);
  process_.reset();
}

void Worker::signal(int signal) const {
  if (process_) process_->send(signal);
}

void Worker::kill_all() const {
  for (const pid_t pid : stopped_tree()) kill(pid, SIGKILL);
}

bool Worker::stop_all() {
  if (!process_ || !process_->running()) return false;
  const core::Time from = boot_now();
  const auto pids = stopped_tree();
  stop_ = Stop{current(), {pids.begin(), pids.end()}, from, from};
  return true;
}

std::optional<Stop> Worker::continue_all() {
  if (!stop_) return std::nullopt;
  stop_->until = boot_now();
  // The worst order: commands act again before their watchdogs do.
  for (const pid_t pid : std::views::reverse(stop_->pids)) kill(pid, SIGCONT);
  return std::exchange(stop_, std::nullopt);
}

std::vector<pid_t> Worker::stopped_tree() const {
  std::vector<pid_t> pids;
  if (process_ && process_->running()) pids.push_back(process_->pid());
  for (std::size_t i = 0; i < pids.size(); ++i) {
    kill(pids[i], SIGSTOP);
    test::wait_until([&] { return !is_on_its_feet(pids[i]); }, std::chrono::seconds(1));
    for (const pid_t child : process::Children().of(pids[i])) pids.push_back(child);
  }
  return pids;
}

}  // namespace tenure::faults
