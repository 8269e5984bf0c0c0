// Another lock that Tenure is compared with: a child process that does a block of work whenever it is told to, so that
// its blocks take turns with Tenure's in one run.
//
// The two speak in lines. The peer begins with "ready VERSIONS"; then it reads one of
//   cycle CALLERS TIMES              each caller, on a name of its own: acquire and release    done SECONDS CPU_SECONDS
//   handover WAITERS TIMES [aside]   see hand_over()                                     done MS MS … | KEPT | JAIN
//   hold COUNT · renew · drop        leases of 60 s      done · done SECONDS CPU_SECONDS · done
//   quit
// and answers it, with "unsupported" where its lock has no such thing. "error TEXT" ends it, as does the end of its input.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/postgres_server.hpp"

namespace tenure::bench {

class Peer {
 public:
  // Throws std::runtime_error when it cannot be run or does not get ready; so does what follows when it fails or does
  // not answer in time. It ends with this object, and with the thread that made it.
  // A server that it needs stays for as long.
  Peer(std::string name, std::vector<std::string> argv, std::shared_ptr<const void> server = {});
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

  // What a block took by the peer's own clock, and of the processor: its process alone, not the server.
  struct Took {
    double seconds = 0;
    double cpu = 0;
  };
  // Nothing here and below: its lock has no such thing.
  std::optional<Took> cycle(int callers, int times);

  // What the one that released does next.
  enum class Next {
    acquire,  // again at once. Where waiters only look from time to time, it mostly finds the name free itself.
    aside,    // steps aside until another owns the name, and then asks for it again
  };
  struct HandOver {
    std::vector<double> ms;  // just before release() is called → acquire() of the next owner has returned
    double kept = 0;         // share in which that owner was the one that had waited longest
    double jain = 0;         // Jain's index of how often each participant owned: 1 is all alike
  };
  // One owner and so many waiters on one name; each holds it for 1 ms. Before it counts as many hand-overs pass as there
  // are participants: all ask at the same moment first, and no order could be kept.
  std::optional<HandOver> hand_over(int waiters, int times, Next next = Next::aside);

  // Leases to renew, each once.
  bool hold(int count);
  std::optional<Took> renew();
  void drop();

 private:
  std::string ask(const std::string& line);
  std::string read_line();
  std::string ending();
  void end() noexcept;
  [[noreturn]] void fail(const std::string& what);

  std::shared_ptr<const void> server_;
  std::string name_;
  std::string version_;
  std::string unread_;
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

// The peers that there are. Nothing, and a line on standard error with the reason, where one cannot be had here.
std::unique_ptr<Peer> redlock(
    const std::vector<std::string>& sockets);  // of one server, or of several for a quorum
std::unique_ptr<Peer> redis_py(const std::string& socket);
std::unique_ptr<Peer> postgres(
    std::shared_ptr<test::PostgresServer> server = {});  // of that server, or of a private one
std::unique_ptr<Peer> etcd();                            // of a private server
// The line on standard error about something that cannot be had here.
void say_missing(const std::string& name, const std::string& why);

// Lets each of them do a little of everything and prints what it answered: tenure-bench --peers. False: one failed.
bool try_peers();

}  // namespace tenure::bench
