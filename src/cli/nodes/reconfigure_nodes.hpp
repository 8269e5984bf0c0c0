// Changes which nodes decide together, or the longest TTL, of nodes of whatever kind of store.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "cli/args/args.hpp"
#include "core/lease/reconfiguration.hpp"
#include "core/message.hpp"

namespace tenure::cli {

// All nodes that are named, of one kind: first those that shall decide, then those that leave. How they are looked at, and how they
// get another record.
class ReconfigureNodes {
 public:
  struct About {
    std::vector<std::string> names{};  // without secrets
    std::size_t members = 0;           // how many of them shall decide
    core::Terms terms{};               // that these shall have
    std::string set_name{};            // that somebody chose; empty: their addresses are it
    std::string where{};               // the record is there: "its key tenure:record"
  };

  explicit ReconfigureNodes(About about) : about_(std::move(about)) {}
  virtual ~ReconfigureNodes() = default;
  ReconfigureNodes(const ReconfigureNodes&) = delete;
  ReconfigureNodes& operator=(const ReconfigureNodes&) = delete;

  const About& about() const { return about_; }

  // The record that it has now. Changes nothing. Fails when the node does not answer, and when it is none that Tenure works with.
  virtual tl::expected<core::FoundRecord, core::Failure> see(std::size_t node) = 0;
  // Of a node that was seen. Gives the new record; nothing: the one that was seen is not there any more.
  using Taken = tl::expected<std::optional<core::FoundRecord>, core::Failure>;
  virtual Taken take(const core::Reconfiguration::Step& step) = 0;
  // Ends a quarantine. False: it is in another one by now.
  virtual tl::expected<bool, core::Failure> open(std::size_t node, const core::Record& record) = 0;

 private:
  About about_;
};

// Gives the exit code.
int reconfigure_all(const ReconfigureArgs& args, ReconfigureNodes& nodes);

}  // namespace tenure::cli
