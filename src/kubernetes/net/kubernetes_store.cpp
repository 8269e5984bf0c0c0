#include "kubernetes/net/kubernetes_store.hpp"

#include <utility>

#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "core/lease/node_set.hpp"
#include "kubernetes/net/asked_once.hpp"
#include "kubernetes/net/fleets.hpp"
#include "kubernetes/net/kubernetes_node.hpp"
#include "kubernetes/net/view.hpp"
#include "kubernetes/object_name.hpp"
#include "kubernetes/url.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/text/not_open_text.hpp"

namespace tenure::kubernetes {

namespace {

using core::Failure;
using core::FailureCode;

constexpr core::Ttl ttl_min = std::chrono::seconds(1);

class KubernetesStore : public runtime::Store {
 public:
  explicit KubernetesStore(Opened opened)
      : Store({opened.place.name}, opened.terms), opened_(std::move(opened)) {}

  std::vector<std::shared_ptr<runtime::Node>> make_nodes() const override {
    return {make_node(opened_.place, terms())};
  }

  tl::expected<std::string, std::string> lock_key(const std::string& prefix,
                                                  const std::string& name) const override {
    std::string key = opened_.root + prefix + name;
    return object_name(key).map([&](const std::string&) { return key; });
  }

  std::string name_in(std::string key) const override {
    if (key.starts_with(opened_.root)) key.erase(0, opened_.root.size());
    return key;
  }

  // It would be shown as a whole second, and others would wait for so long.
  std::optional<std::string> ttl_error(core::Ttl ttl) const override {
    if (ttl >= ttl_min) return std::nullopt;
    return "a TTL of " + core::to_text(ttl) +
           " is too short for Kubernetes, whose Leases last whole seconds; the least is " +
           core::to_text(ttl_min);
  }

  // As client-go does. Candidates see it by the watch that they have anyway.
  core::Duration look_every_min() const override { return std::chrono::seconds(2); }

  tl::expected<std::string, std::string> fleet_keys(const std::string& /*fleet*/) const override {
    return tl::unexpected(std::string(no_fleets));
  }

  tl::expected<runtime::DataPlace, std::string> fleet_data(const std::string& /*url*/,
                                                           const Tls& /*tls*/) const override {
    return tl::unexpected(std::string(no_fleets));
  }

  // It is always open.
  runtime::NotOpenText not_open_text(const core::Refusal& refusal, runtime::Patience patience,
                                     std::optional<core::Duration> opens_in) const override {
    return runtime::not_open_text(refusal, *this, {"Kubernetes", "the Lease", ""}, patience, opens_in);
  }

  std::vector<core::NodeFailure> diagnosed(std::vector<core::NodeFailure> failures) const override {
    return failures;
  }

  runtime::Answers<core::KeyState> look(const std::string& key, core::Duration timeout) const override {
    const auto object = object_name(key);
    if (!object)
      return {tl::unexpected(Failure{core::Applied::no, FailureCode::unsupported, object.error()})};
    const ApiCall call{"GET", lease_target(opened_.place.name_space, *object)};
    const auto answer = ask_once(opened_.place, call, timeout);
    if (!answer) return {tl::unexpected(answer.error())};
    if (answer->status == 404) return {core::KeyState{}};
    const auto lease = read_lease(answer->body);
    if (!lease) return {tl::unexpected(Failure{core::Applied::no, FailureCode::protocol, lease.error()})};
    return {seen_once(*lease, answer->date)};
  }

  // To the data and back: by a list, because an API server that has lost its etcd would still say its version.
  runtime::Answers<core::Duration> ping(core::Duration timeout) const override {
    const ApiCall call{"GET", list_target(opened_.place.name_space, "tenure")};
    const core::Time before = runtime::boot_now();
    const auto answer = ask_once(opened_.place, call, timeout);
    if (!answer) return {tl::unexpected(answer.error())};
    if (!answer->fine()) return {tl::unexpected(failure_of(call, *answer))};
    return {runtime::boot_now() - before};
  }

 private:
  Opened opened_;
};

}  // namespace

std::shared_ptr<const runtime::Store> store_of(Opened opened) {
  return std::make_shared<const KubernetesStore>(std::move(opened));
}

tl::expected<std::shared_ptr<const runtime::Store>, std::string> open_store(const ClientOptions& options) {
  if (auto error = core::name_error("the prefix", options.prefix)) return tl::unexpected(std::move(*error));
  if (auto error = core::node_set_error(options.node_set)) return tl::unexpected(std::move(*error));
  if (options.nodes.size() != 1 || !is_url(options.nodes.front())) {
    return tl::unexpected(
        std::string("a Kubernetes API server is the only node of a client: its etcd is a quorum already"));
  }
  if (options.tls != Tls{}) {
    return tl::unexpected(std::string(
        "TLS is set up, and a Kubernetes API server is believed as the pod or the kubeconfig file says"));
  }
  auto place = find_place(options.nodes.front(), surroundings());
  if (!place) return tl::unexpected(std::move(place.error()));
  const core::Terms terms{std::chrono::duration_cast<core::Ttl>(options.ttl_max),
                          core::node_set({place->name})};
  const std::string root = options.prefix == ClientOptions{}.prefix ? "" : options.prefix;
  return store_of({std::move(*place), root, terms});
}

}  // namespace tenure::kubernetes
