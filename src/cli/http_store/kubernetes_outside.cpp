#include <utility>

#include "cli/http_store/outside.hpp"
#include "cli/shell_word.hpp"
#include "core/base/text.hpp"
#include "kubernetes/net/view.hpp"
#include "kubernetes/object_name.hpp"

namespace tenure::cli {

namespace {

class KubernetesOutside : public Outside {
 public:
  explicit KubernetesOutside(kubernetes::Place place, std::string root)
      : place_(std::move(place)), root_(std::move(root)) {}

  std::string kind() const override { return "Kubernetes"; }
  std::string record_name() const override { return ""; }

  tl::expected<std::map<std::string, core::KeyState>, core::Failure> held(
      core::Duration patience) const override {
    return kubernetes::held_leases(place_, patience).map([&](const auto& all) {
      std::map<std::string, core::KeyState> ours;
      for (const auto& [key, state] : all) {
        if (key.starts_with(root_)) ours.emplace(key.substr(root_.size()), state);
      }
      return ours;
    });
  }

  tl::expected<core::FoundRecord, core::Failure> record(core::Duration /*patience*/) const override {
    return core::FoundRecord{};
  }

  tl::expected<Said, core::Failure> said(core::Duration patience) const override {
    auto facts = kubernetes::look_at(place_, patience);
    if (!facts) return tl::unexpected(std::move(facts.error()));
    Said said{.version = "Kubernetes " + core::printable(facts->version, 40), .role = "API server"};
    if (!facts->missing_verbs.empty()) said.findings.push_back(missing(facts->missing_verbs));
    return said;
  }

  std::string how_to_break(const std::string& key) const override {
    const std::string object = kubernetes::object_name(key).value_or(key);
    return "kubectl delete lease -n " + shell_word(place_.name_space) + " " + shell_word(object);
  }

 private:
  Finding missing(const std::vector<std::string>& verbs) const {
    std::string list;
    for (const std::string& verb : verbs) list += (list.empty() ? "" : ", ") + verb;
    return {Severity::error,
            "missing_rights",
            {},
            "we may not " + list + " leases.coordination.k8s.io in the namespace " + place_.name_space,
            "without that Tenure cannot see, take or keep leases",
            "give our user or service account the role of deploy/kubernetes/leases-role.yaml"};
  }

  kubernetes::Place place_;
  std::string root_;
};

}  // namespace

Outsider kubernetes_outside(const ClientOptions& options) {
  auto place = kubernetes::find_place(options.nodes.front(), kubernetes::surroundings());
  if (!place) return tl::unexpected(std::move(place.error()));
  return std::make_unique<const KubernetesOutside>(
      std::move(*place), options.prefix == ClientOptions{}.prefix ? "" : options.prefix);
}

}  // namespace tenure::cli
