// A server of a run, as the run treats it. Which store it is, only make_node() knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/lease/grant.hpp"
#include "faults/crowd.hpp"
#include "faults/fault.hpp"

namespace tenure::faults {

// What a node shows for the name of a lease.
struct Shown {
  std::string grant{};  // all of it, the same on every node that shows it; empty: nobody has the name
  std::string owner{};
  core::Duration left{};
};

// Calls throw std::runtime_error where the server does not answer: none is made while a fault keeps it from that.
class Node {
 public:
  virtual ~Node() = default;

  // Where the network finds it.
  virtual std::string socket_path() const = 0;
  // The address for a client that reaches it through that port of 127.0.0.1.
  virtual std::string url(std::uint16_t port) const = 0;
  virtual std::string log() const = 0;

  virtual void pause() = 0;
  virtual void resume() = 0;
  virtual void kill() = 0;     // at once, as by a power cut
  virtual void restart() = 0;  // returns when it answers
  // Loses all that Tenure keeps in it, the record as well.
  virtual void wipe() = 0;
  // The faults that only this store knows; each ends before another one begins.
  virtual void begin(const Fault& fault) = 0;
  virtual void end(const Fault& fault) = 0;

  // In the order of the names.
  virtual std::vector<Shown> shown(const std::vector<std::string>& names) = 0;
  // Deletes a lease by hand, if it is still that one.
  virtual bool remove(const std::string& name, const Shown& lease) = 0;

  virtual void add_sessions(const std::vector<std::string>& ids, const std::string& text) = 0;
  // Reads the token of each session's last result, 0 where there is none. Has a connection of its own, for a thread of its own.
  using Results = std::function<std::vector<core::Token>()>;
  virtual Results results(const std::vector<std::string>& ids) const = 0;
};

std::unique_ptr<Node> make_node(const Crowd& crowd, std::size_t node);

}  // namespace tenure::faults
