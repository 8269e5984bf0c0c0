// Makes nodes that are new to Tenure ready, of whatever kind of store they are: all of them, or none.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "core/lease/record.hpp"
#include "core/message.hpp"

namespace tenure::cli {

// How nodes of one kind are looked at, and how they get their record.
class InitNodes {
 public:
  InitNodes(std::vector<std::string> names, core::Terms terms, std::string kind)
      : names_(std::move(names)), terms_(std::move(terms)), kind_(std::move(kind)) {}
  virtual ~InitNodes() = default;
  InitNodes(const InitNodes&) = delete;
  InitNodes& operator=(const InitNodes&) = delete;

  // Without secrets.
  const std::vector<std::string>& names() const { return names_; }
  bool several() const { return names_.size() > 1; }
  const core::Terms& terms() const { return terms_; }
  // "Redis"
  const std::string& kind() const { return kind_; }

  // The record that it has. Changes nothing. Fails when the node does not answer, and when it is none that Tenure works with.
  virtual tl::expected<core::FoundRecord, core::Failure> see(std::size_t node) = 0;
  // Of one that was seen.
  struct Made {
    bool made = false;
    core::FoundRecord record{};  // the new one, or the one that was there
  };
  virtual tl::expected<Made, core::Failure> make(std::size_t node) = 0;
  // Behind "nothing was changed": whoever runs init after a restart wants to know how to get on. Empty: nobody need wait.
  virtual std::string wait_text(std::size_t node) = 0;

 private:
  std::vector<std::string> names_;
  core::Terms terms_;
  std::string kind_;
};

// Can a record be made in its place? The store judges by the same: what only says that there was none before counts as none, if it is
// of our set.
bool is_new(const core::FoundRecord& record, const core::Terms& ours);

// "it has a record of Tenure already (…)": of one that is in the way.
std::string exists_text(const core::FoundRecord& record, const core::Terms& ours);

// What wait_text() says of a node that gives no new leases now: by the code and the words of tenure doctor.
std::string text_of_wait(std::string_view code, const std::string& what, core::Ttl left_max);

// Gives the exit code; each line about what was made goes to report.
int init_all(InitNodes& nodes, const std::function<void(const std::string& line)>& report);

// The same, to stdout.
int init_all(InitNodes& nodes);

}  // namespace tenure::cli
