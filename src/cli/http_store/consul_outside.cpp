#include <utility>

#include "cli/http_store/outside.hpp"
#include "cli/shell_word.hpp"
#include "consul/net/place.hpp"
#include "consul/net/view.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

class ConsulOutside : public Outside {
 public:
  explicit ConsulOutside(consul::Place place) : place_(std::move(place)) {}

  std::string kind() const override { return "Consul"; }
  std::string record_name() const override { return "its key " + place_.keys.record(); }

  tl::expected<std::map<std::string, core::KeyState>, core::Failure> held(
      core::Duration patience) const override {
    return consul::held_leases(place_, patience);
  }
  tl::expected<core::FoundRecord, core::Failure> record(core::Duration patience) const override {
    return consul::record_of(place_, patience);
  }

  tl::expected<Said, core::Failure> said(core::Duration patience) const override {
    auto facts = consul::look_at(place_, patience);
    if (!facts) return tl::unexpected(std::move(facts.error()));
    Said said;
    if (!facts->version.empty()) said.version = "Consul " + core::printable(facts->version, 40);
    said.role = std::to_string(facts->servers) + (facts->servers == 1 ? " server" : " servers");
    if (facts->keeps_nothing) {
      said.findings.push_back({Severity::warning,
                               "keeps_nothing",
                               {},
                               "this agent runs for development (-dev), and keeps all in memory",
                               "when it restarts all leases are lost, and new ones wait for a quarantine",
                               "run servers with a data directory, three or five of them"});
    } else if (facts->servers < 3) {
      said.findings.push_back({Severity::note,
                               "few_servers",
                               {},
                               "it has " + said.role,
                               "one that fails takes the leases of all with it for as long",
                               "three servers outlive the loss of one, five that of two"});
    }
    return said;
  }

  std::string how_to_break(const std::string& key) const override {
    return "consul kv delete " + shell_word(key);
  }

 private:
  consul::Place place_;
};

}  // namespace

Outsider consul_outside(const ClientOptions& options) {
  auto place = consul::place_of(options);
  if (!place) return tl::unexpected(std::move(place.error()));
  return std::make_unique<const ConsulOutside>(std::move(*place));
}

}  // namespace tenure::cli
