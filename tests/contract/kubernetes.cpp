// A Kubernetes for the contract: a namespace of one API server for each test.
#include "contract/real_stores.hpp"
#include "kubernetes/net/kubernetes_node.hpp"
#include "kubernetes/net/kubernetes_store.hpp"
#include "support/stores/kubernetes_server.hpp"

namespace tenure::test {

namespace {

class Kubernetes : public Store {
 public:
  ~Kubernetes() override {
    if (away_) server_.restart();
  }
  std::shared_ptr<runtime::Node> node() override { return node_of(terms()); }
  std::shared_ptr<runtime::Node> node_of(const core::Terms& terms) override {
    return kubernetes::make_node(place(), terms);
  }
  std::shared_ptr<const runtime::Store> open() override {
    return kubernetes::store_of({place(), "", terms()});
  }
  std::optional<LockName> own_name() override { return std::nullopt; }
  // It loses nothing.
  void lose_everything() override {}
  void go_away() override {
    server_.kill();
    away_ = true;
  }

 private:
  kubernetes::Place place() const {
    kubernetes::Surroundings around;
    around.kubeconfig = file_;
    return kubernetes::find_place("kubernetes://", around).value();
  }

  KubernetesServer& server_ = shared_kubernetes();
  std::string file_ = server_.kubeconfig(server_.new_namespace());
  bool away_ = false;
};

}  // namespace

StoreKind kubernetes_kind() {
  return {"Kubernetes",
          [] { return std::unique_ptr<Store>(std::make_unique<Kubernetes>()); },
          {.queues = false,
           .forgets = false,
           .keeps_fleets = false,
           .names_fleets = false,
           .proposes = false,
           .confirms = false,
           .in_order = false,
           .counts_names_together = false,
           .shortest = core::Ttl(1'000),
           // Whoever comes waits for its whole length, from when it first sees it.
           .ends_within = core::Ttl(2'500)}};
}

}  // namespace tenure::test
