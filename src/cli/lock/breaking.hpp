// One lock that is to be broken, on nodes of whatever kind of store: its holder is told, and nobody gets the name before it
// cannot believe in it any more.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/args.hpp"
#include "cli/lock/lock_look.hpp"
#include "cli/nodes/node_inspector.hpp"
#include "core/lease/grant.hpp"
#include "redis/lock_call.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

// The nodes, and that lock there.
class BreakNodes {
 public:
  BreakNodes(std::shared_ptr<const NodeInspector> inspector, const LockBreakArgs& args)
      : inspector_(std::move(inspector)), args_(args) {}
  virtual ~BreakNodes() = default;
  BreakNodes(const BreakNodes&) = delete;
  BreakNodes& operator=(const BreakNodes&) = delete;

  // Without secrets.
  const std::vector<std::string>& names() const { return inspector_->names(); }
  std::string key() const { return prefix() + args_.name; }

  Looked look() const { return inspector_->lease(prefix(), args_.name); }
  // At whatever has the name.
  Looked look_at_name() const;

  using Answers = runtime::Answers<redis::Broken>;
  using Request = std::function<redis::Breaking(std::size_t node)>;
  virtual Answers mark(const Request& request) const = 0;
  // Gives the lease back in the name of its holder, which gives "broken"; on nodes in quarantine it is marked: "blocked".
  virtual Answers free(const std::string& victim, const Request& request) const = 0;
  virtual void take_back(const core::Grant& mark) const = 0;

 private:
  std::string prefix() const { return inspector_->root() + args_.target.lock_prefix; }

  std::shared_ptr<const NodeInspector> inspector_;
  const LockBreakArgs& args_;
};

// Gives the exit code.
int break_lock(const LockBreakArgs& args, const BreakNodes& nodes);

}  // namespace tenure::cli
