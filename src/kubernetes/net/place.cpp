#include "kubernetes/net/place.hpp"

#include <cstdlib>
#include <vector>

#include "core/base/text.hpp"
#include "kubernetes/kubeconfig.hpp"
#include "kubernetes/net/credentials.hpp"
#include "kubernetes/object_name.hpp"
#include "kubernetes/url.hpp"

namespace tenure::kubernetes {

namespace {

using Found = tl::expected<Place, std::string>;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody here sets one
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

Found in_cluster(const Surroundings& around) {
  Place place;
  const std::string& host = *around.service_host;
  const bool is_v6 = host.find(':') != std::string::npos;
  place.server.base = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + around.service_port;
  place.server.ca_file = around.service_account + "/ca.crt";
  place.token_file = around.service_account + "/token";
  // Without one there is no pod's account: a container that has automountServiceAccountToken switched off.
  if (const auto token = text_of_file(place.token_file); !token) {
    return tl::unexpected("this pod has no service account's token: " + token.error());
  }
  if (const auto name = text_of_file(around.service_account + "/namespace"))
    place.name_space = trimmed(*name);
  return place;
}

Found by_kubeconfig(const std::vector<std::string>& paths) {
  std::vector<ConfigFile> files;
  std::string missing;
  for (const std::string& path : paths) {
    const auto text = text_of_file(path);
    // As kubectl does: of several, some may be missing.
    if (!text) {
      missing = text.error();
      continue;
    }
    auto content = read_yaml(*text);
    if (!content) return tl::unexpected(core::printable(path, 200) + ": " + content.error());
    files.push_back({path, std::move(*content)});
  }
  if (files.empty()) {
    return tl::unexpected("there is no API server to ask: this is no pod, and there is no kubeconfig (" +
                          missing + "): set KUBECONFIG");
  }
  auto target = target_of(files);
  if (!target) return tl::unexpected(std::move(target.error()));
  Place place;
  place.server = {target->server,      target->ca_file, target->ca_text,
                  target->certificate, target->key,     target->server_name};
  place.name_space = std::move(target->name_space);
  place.token = std::move(target->token);
  place.token_file = std::move(target->token_file);
  return place;
}

std::vector<std::string> split_at_colons(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const auto colon = std::min(text.find(':', from), text.size());
    if (colon > from) parts.push_back(text.substr(from, colon - from));
    from = colon + 1;
  }
  return parts;
}

Found find_server(const Surroundings& around) {
  if (around.kubeconfig) return by_kubeconfig(split_at_colons(*around.kubeconfig));
  if (around.service_host) return in_cluster(around);
  return by_kubeconfig({around.home.value_or("") + "/.kube/config"});
}

}  // namespace

Surroundings surroundings() {
  Surroundings around;
  around.kubeconfig = variable("KUBECONFIG");
  around.home = variable("HOME");
  around.service_host = variable("KUBERNETES_SERVICE_HOST");
  around.service_port = variable("KUBERNETES_SERVICE_PORT").value_or(around.service_port);
  return around;
}

tl::expected<Place, std::string> find_place(const std::string& url, const Surroundings& around) {
  std::string name_space = url.substr(scheme.size());
  if (name_space.ends_with('/')) name_space.pop_back();
  if (!name_space.empty() && !is_namespace_name(name_space)) {
    return tl::unexpected(
        core::printable(url, 100) +
        ": what follows kubernetes:// is the name of a namespace, or nothing: which API server is asked "
        "says the pod, or the kubeconfig file");
  }
  auto place = find_server(around);
  if (!place) return tl::unexpected(std::string(scheme) + name_space + ": " + place.error());
  if (!name_space.empty()) place->name_space = name_space;
  if (place->name_space.empty()) place->name_space = "default";
  if (!is_namespace_name(place->name_space)) {
    return tl::unexpected(std::string(scheme) + ": " + core::printable(place->name_space, 100) +
                          " is no name of a namespace");
  }
  place->name = std::string(scheme) + place->name_space;
  return place;
}

}  // namespace tenure::kubernetes
