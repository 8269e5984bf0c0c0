// One connection through the proxy: what a client sends waits here until its time has come, and so does what Redis answers.
// What was sent stays on its way when the sender is gone, as in a network.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "runtime/net/descriptor.hpp"
#include "support/recorder.hpp"

namespace tenure::test {

// How bytes fare on one client's way to one node.
struct Weather {
  core::Duration delay{};      // one way
  bool cut = false;            // connections break, new ones too
  bool requests_held = false;  // until the weather changes
  bool answers_held = false;
  bool single_bytes = false;
};

class Wire {
 public:
  enum class End { client, server };

  Wire(runtime::Descriptor client, runtime::Descriptor server);
  // Requests of nobody who still waits for an answer.
  Wire(runtime::Descriptor server, std::string requests);

  int fd(End end) const { return end == End::client ? client_.get() : server_.get(); }
  // Something can be read there.
  void read(End from, core::Time due, Recorder& recorder);
  // Passes on what is due, and adds the requests among it to the record, if there is one. When more will be due; nothing: only
  // when more has been read.
  std::optional<core::Time> pump(core::Time now, const Weather& weather, std::string* record = nullptr);
  bool over() const { return over_; }

 private:
  struct Piece {
    std::string bytes;
    core::Time due{};
  };
  using Flow = std::deque<Piece>;

  struct Sending {
    int to = -1;
    core::Time now{};
    bool single_bytes = false;
    std::string* record = nullptr;
  };

  static std::optional<core::Time> send(Flow& flow, const Sending& sending);
  static std::size_t send(const Piece& piece, const Sending& sending);

  runtime::Descriptor client_;
  runtime::Descriptor server_;
  Flow requests_;
  Flow answers_;
  CommandSplitter splitter_;
  bool told_end_ = false;  // Redis knows that no more requests come
  bool over_ = false;
};

}  // namespace tenure::test
