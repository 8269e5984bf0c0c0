// The connection to one node: made when there is something to ask, closed for good after any doubt.
// Not safe from several threads: the engine guards it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.hpp"
#include "redis/conversation.hpp"
#include "redis/reader.hpp"
#include "redis/url.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/dial.hpp"

namespace tenure::runtime {

class Link {
 public:
  using Answers = std::vector<redis::Conversation::Answer>;

  Link(const redis::Address& address, redis::Keyspace keyspace);

  // Answers that are known at once are appended by all of these.
  void ask(core::RequestId id, core::Request request, core::Time now, Answers& answers);
  // Writes what was asked: several requests that came together in one go.
  void flush(Answers& answers);
  void on_ready(core::Time now, Answers& answers);
  // The connection is not to be trusted any more; every request on it has failed.
  void drop(const core::Failure& why, Answers& answers);

  // What to poll for; fd -1 when there is nothing.
  int fd() const;
  short events() const;
  bool waiting() const { return conversation_.waiting(); }
  bool carries(core::RequestId id) const { return conversation_.carries(id); }
  // Another number for every connection, because descriptors are used again by the kernel.
  std::uint64_t generation() const { return generation_; }

 private:
  void connect(Answers& answers);
  void on_connecting(Answers& answers);
  void read(Answers& answers);
  void say(const std::vector<redis::Command>& commands);
  bool idle_too_long(core::Time now) const;

  const redis::Address& address_;  // lives as long as the engine
  redis::Keyspace keyspace_;
  redis::Conversation conversation_;
  redis::Reader reader_;
  Lookup lookup_;
  std::optional<Dial> dial_;
  std::size_t dials_failed_ = 0;  // in a row
  Descriptor socket_;
  std::string out_;
  std::size_t written_ = 0;
  core::Time last_used_{};
  std::uint64_t generation_ = 0;
};

}  // namespace tenure::runtime
