// A Kubernetes or a Consul as a person sees it: asked from outside, for doctor and for looks at leases. Each is one node.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "core/lease/record.hpp"
#include "core/message.hpp"
#include "tenure/options.hpp"

namespace tenure::cli {

// All functions may be called on several threads, and block for no longer than the patience for each call that they need.
class Outside {
 public:
  virtual ~Outside() = default;
  Outside() = default;
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

  virtual std::string kind() const = 0;
  // What its record is called. Empty: it forgets nothing, and needs none.
  virtual std::string record_name() const = 0;
  // The leases that somebody holds, by what Store::name_in() makes of their keys.
  virtual tl::expected<std::map<std::string, core::KeyState>, core::Failure> held(
      core::Duration patience) const = 0;
  // Of a store that has one.
  virtual tl::expected<core::FoundRecord, core::Failure> record(core::Duration patience) const = 0;

  struct Said {
    std::string version{};  // "Consul 1.8.7"; empty: not known
    std::string role{};
    std::vector<Finding> findings{};
  };
  virtual tl::expected<Said, core::Failure> said(core::Duration patience) const = 0;

  // How somebody else than its holder ends a lease, in words to paste. The key is one of Store::lock_key().
  virtual std::string how_to_break(const std::string& key) const = 0;
};

using Outsider = tl::expected<std::unique_ptr<const Outside>, std::string>;
Outsider kubernetes_outside(const ClientOptions& options);
Outsider consul_outside(const ClientOptions& options);
Outsider outside_of(const ClientOptions& options);

}  // namespace tenure::cli
