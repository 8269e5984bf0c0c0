#include "peer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace tenure::bench {

namespace {

constexpr auto patience = std::chrono::seconds(60);
constexpr int cannot_run = 127;  // an exit code, as shells use it

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    read = ends[0];
    write = ends[1];
  }
  int read = -1;
  int write = -1;
};

// Between fork and exec nothing may allocate.
[[noreturn]] void run_child(char* const* argv, int in, int out, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(cannot_run);  // it died before the line above
  dup2(in, 0);
  dup2(out, 1);
  // Connections of the benchmark must not live on in the peer.
  syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  execvp(argv[0], argv);
  _exit(cannot_run);
}

Peer::Took took_of(const std::string& answer) {
  std::istringstream words(answer);
  Peer::Took took;
  words >> took.seconds >> took.cpu;
  return took;
}

}  // namespace

Peer::Peer(std::string name, std::vector<std::string> argv, std::shared_ptr<const void> server)
    : server_(std::move(server)), name_(std::move(name)) {
  std::vector<char*> pointers;
  for (auto& word : argv) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Pipe in;
  const Pipe out;
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) run_child(pointers.data(), in.read, out.write, parent);
  close(in.read);
  close(out.write);
  to_ = in.write;
  from_ = out.read;
  if (pid_ < 0) fail("fork does not work");
  const std::string hello = read_line();
  constexpr std::string_view ready = "ready ";
  if (!hello.starts_with(ready)) fail(hello);
  version_ = hello.substr(ready.size());
}

Peer::~Peer() { end(); }

// The end of its input would do for a peer that is well; this also does for one that hangs.
void Peer::end() noexcept {
  close(to_);
  close(from_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

void Peer::fail(const std::string& what) {
  end();
  to_ = from_ = -1;
  throw std::runtime_error(name_ + ": " + what);
}

// How it ended: for one that has closed its output.
std::string Peer::ending() {
  int status = 0;
  if (kill(pid_, SIGKILL) != 0 || waitpid(pid_, &status, 0) != pid_) return "nobody knows how";
  pid_ = -1;
  if (!WIFEXITED(status)) return "by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) == cannot_run) return "there is no such program";
  return "with code " + std::to_string(WEXITSTATUS(status));
}

std::string Peer::read_line() {
  const auto until = std::chrono::steady_clock::now() + patience;
  std::array<char, 4096> block{};
  while (true) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      const std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd readable{from_, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&readable, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) fail("no answer for " + std::to_string(patience.count()) + " s");
    const auto count = read(from_, block.data(), block.size());
    if (count <= 0) fail("it has ended, " + ending());
    unread_.append(block.data(), static_cast<std::size_t>(count));
  }
}

// What follows "done "; "unsupported" as it is.
std::string Peer::ask(const std::string& line) {
  if (pid_ <= 0) fail("it has ended before");
  // An answer to an earlier question would be taken for the answer to this one.
  if (!unread_.empty()) fail("it said too much: " + unread_);
  const std::string sent = line + "\n";
  // A peer that is gone must not end the benchmark by a signal.
  const auto before = signal(SIGPIPE, SIG_IGN);
  const bool told = write(to_, sent.data(), sent.size()) == static_cast<ssize_t>(sent.size());
  signal(SIGPIPE, before);
  if (!told) fail("it does not listen");
  std::string answer = read_line();
  if (answer == "unsupported") return answer;
  if (answer != "done" && !answer.starts_with("done ")) fail("\"" + line + "\" was answered by: " + answer);
  return answer.size() > 5 ? answer.substr(5) : "";
}

std::optional<Peer::Took> Peer::cycle(int callers, int times) {
  const std::string answer = ask("cycle " + std::to_string(callers) + " " + std::to_string(times));
  if (answer == "unsupported") return std::nullopt;
  return took_of(answer);
}

std::optional<Peer::HandOver> Peer::hand_over(int waiters, int times, Next next) {
  const std::string answer = ask("handover " + std::to_string(waiters) + " " + std::to_string(times) +
                                 (next == Next::aside ? " aside" : ""));
  if (answer == "unsupported") return std::nullopt;
  HandOver seen;
  std::istringstream words(answer);
  for (std::string word; words >> word && word != "|";) seen.ms.push_back(std::stod(word));
  std::string bar;
  if (!(words >> seen.kept >> bar >> seen.jain)) fail("an odd answer: " + answer);
  return seen;
}

bool Peer::hold(int count) { return ask("hold " + std::to_string(count)) != "unsupported"; }

std::optional<Peer::Took> Peer::renew() {
  const std::string answer = ask("renew");
  if (answer == "unsupported") return std::nullopt;
  return took_of(answer);
}

void Peer::drop() { ask("drop"); }

}  // namespace tenure::bench
