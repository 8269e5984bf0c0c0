#include "support/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenure::test {
namespace {

[[noreturn]] void fail(const std::string& what, int error) {
  throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

// A file without a name: it keeps everything that a child writes, and needs no reader and no removal.
int open_memory(const char* name) {
  const int descriptor = memfd_create(name, MFD_CLOEXEC);
  if (descriptor < 0) fail("memfd_create", errno);
  // Appending, so that a child that opens /dev/stdout anew does not write over what is there.
  fcntl(descriptor, F_SETFL, O_APPEND);
  return descriptor;
}

std::string contents(int descriptor) {
  std::string text;
  std::array<char, 4096> block{};
  while (true) {
    const auto count = pread(descriptor, block.data(), block.size(), static_cast<off_t>(text.size()));
    if (count <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
  }
}

int open_input(const std::string& text) {
  if (text.empty()) return open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int descriptor = open_memory("stdin");
  if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) fail("write", errno);
  lseek(descriptor, 0, SEEK_SET);
  return descriptor;
}

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const auto same = [&](const std::string& change) { return name_of(change) == name_of(*entry); };
    if (std::none_of(changes.begin(), changes.end(), same)) result.emplace_back(*entry);
  }
  for (const auto& change : changes) {
    if (change.find('=') != std::string::npos) result.push_back(change);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (auto& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

// All that the child needs between fork and exec, where nothing may allocate.
struct Launch {
  char* const* argv;
  char* const* environment;
  const char* directory;
  int in;
  int out;
  int err;
  int trouble;  // the end of a pipe that tells errno to the parent
  pid_t parent;
};

[[noreturn]] void run_child(const Launch& launch) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);  // it died before the line above
  // Not a job of the shell that the tests run in: its terminal neither stops nor ends it, and it cannot stop the tests.
  setsid();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);
  const bool ready = dup2(launch.in, 0) >= 0 && dup2(launch.out, 1) >= 0 && dup2(launch.err, 2) >= 0 &&
                     (*launch.directory == '\0' || chdir(launch.directory) == 0);
  // Sockets and files of the test must not live on in the child.
  syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  if (ready) execvpe(launch.argv[0], launch.argv, launch.environment);
  const int error = errno;
  [[maybe_unused]] const auto told = write(launch.trouble, &error, sizeof error);
  _exit(127);
}

}  // namespace

Process::Process(std::vector<std::string> argv) : Process(std::move(argv), Options{}) {}

Process::Process(std::vector<std::string> argv, Options options)
    : out_(open_memory("stdout")), err_(open_memory("stderr")), own_group_(options.own_group) {
  auto environment = environment_with(options.environment);
  const auto argv_pointers = pointers(argv);
  const auto environment_pointers = pointers(environment);
  std::array<int, 2> trouble{};
  if (pipe2(trouble.data(), O_CLOEXEC) != 0) fail("pipe", errno);
  const Launch launch{argv_pointers.data(),
                      environment_pointers.data(),
                      options.directory.c_str(),
                      open_input(options.input),
                      out_,
                      err_,
                      trouble[1],
                      getpid()};
  pid_ = fork();
  if (pid_ == 0) run_child(launch);
  const int fork_error = errno;
  close(launch.in);
  close(trouble[1]);
  int error = pid_ < 0 ? fork_error : 0;
  // Returns when exec has closed the other end; then the child is also the leader of its group.
  if (pid_ > 0 && read(trouble[0], &error, sizeof error) < 0) error = errno;
  close(trouble[0]);
  if (pid_ > 0) pid_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (error == 0 && pid_descriptor_ >= 0) return;
  if (error == 0) error = errno;
  // A constructor that throws has no destructor to clean up after it.
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (const int descriptor : {out_, err_, pid_descriptor_}) close(descriptor);
  fail("cannot run " + argv.front(), error);
}

Process::~Process() {
  if (own_group_) send_group(SIGKILL);
  send(SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  for (const int descriptor : {out_, err_, pid_descriptor_}) close(descriptor);
}

void Process::send(int signal) const { kill(pid_, signal); }
void Process::send_group(int signal) const { kill(-pid_, signal); }

std::optional<int> Process::wait(std::chrono::milliseconds timeout) const {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ended{pid_descriptor_, POLLIN, 0};
    const int ready =
        poll(&ended, 1, static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0})));
    if (ready == 0) return std::nullopt;
    if (ready > 0) break;
    if (errno != EINTR) fail("poll", errno);
  }
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) != 0) fail("waitid", errno);
  if (info.si_code == CLD_EXITED) return info.si_status << 8;
  return info.si_code == CLD_DUMPED ? info.si_status | WCOREFLAG : info.si_status;
}

int Process::exit_code(std::chrono::milliseconds timeout) const {
  const auto status = wait(timeout);
  if (!status)
    throw std::runtime_error("process " + std::to_string(pid_) + " does not end; it said: " + out() + err());
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : -WTERMSIG(*status);
}

std::string Process::out() const { return contents(out_); }
std::string Process::err() const { return contents(err_); }

}  // namespace tenure::test
