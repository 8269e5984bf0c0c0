#include "kubernetes/kubeconfig.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "kubernetes/base64.hpp"

namespace tenure::kubernetes {

namespace {

using Error = tl::unexpected<std::string>;

std::string quoted(const std::string& name) { return "\"" + core::printable(name, 100) + "\""; }

// One entry of a list, with the file that it stands in, to which its paths are relative.
struct Entry {
  const Yaml* value = nullptr;
  const ConfigFile* file = nullptr;
  std::string what{};  // for people: user "dev" in /home/a/.kube/config
};

// Of the list of that name, what is under the key of the same name in the singular.
tl::expected<Entry, std::string> find_entry(const std::vector<ConfigFile>& files, std::string_view list,
                                            const std::string& name) {
  const std::string kind(list.substr(0, list.size() - 1));
  for (const ConfigFile& file : files) {
    const Yaml* entries = file.content.find(list);
    if (entries == nullptr) continue;
    for (const Yaml& it : entries->items) {
      const Yaml* value = it.find(kind);
      if (it.text_of("name") == name && value != nullptr)
        return Entry{value, &file, kind + " " + quoted(name) + " in " + core::printable(file.path, 200)};
    }
  }
  return Error("there is no " + kind + " " + quoted(name) + " in " +
               core::printable(files.front().path, 200));
}

std::string beside(const ConfigFile& file, const std::string& path) {
  if (path.empty() || path.starts_with('/')) return path;
  const auto slash = file.path.rfind('/');
  return slash == std::string::npos ? path : file.path.substr(0, slash + 1) + path;
}

// The data of that name as text, else the path to a file. Both may be there: then the data counts.
struct Material {
  std::string text{};
  std::string path{};
};
tl::expected<Material, std::string> material(const Entry& entry, const std::string& name) {
  const std::string data = entry.value->text_of(name + "-data");
  if (data.empty()) return Material{{}, beside(*entry.file, entry.value->text_of(name))};
  auto text = read_base64(data);
  if (!text || !text->starts_with("-----"))
    return Error(name + "-data of " + entry.what + " is no PEM text in base64");
  return Material{std::move(*text), {}};
}

tl::expected<void, std::string> read_cluster(const Entry& cluster, Target& target) {
  target.server = cluster.value->text_of("server");
  while (target.server.ends_with('/')) target.server.pop_back();
  if (!target.server.starts_with("https://") && !target.server.starts_with("http://"))
    return Error("the server of " + cluster.what + " does not begin with https:// or http://");
  if (target.server.find('@') != std::string::npos)
    return Error("the server of " + cluster.what + " has a user in it, and is not asked as anybody");
  if (cluster.value->text_of("insecure-skip-tls-verify") == "true") {
    return Error(cluster.what +
                 " says insecure-skip-tls-verify: whoever stands in between could give one name to two; "
                 "give its certificate-authority instead");
  }
  if (!cluster.value->text_of("proxy-url").empty())
    return Error(cluster.what +
                 " says proxy-url, which is not supported: name the server that is reached directly");
  auto authority = material(cluster, "certificate-authority");
  if (!authority) return Error(std::move(authority.error()));
  target.ca_text = std::move(authority->text);
  target.ca_file = std::move(authority->path);
  target.server_name = cluster.value->text_of("tls-server-name");
  return {};
}

// What would make us run a program, or be somebody else.
tl::expected<void, std::string> check_user(const Entry& user) {
  for (const auto* plugin : {"exec", "auth-provider"}) {
    if (user.value->find(plugin) == nullptr) continue;
    return Error(
        user.what + " gets its credentials by a plugin (" + plugin +
        "), which is not supported: give it a token, a tokenFile or a client certificate, such as those of a "
        "service account");
  }
  for (const auto* way : {"username", "password", "as", "as-uid", "as-groups", "as-user-extra"}) {
    if (user.value->find(way) == nullptr) continue;
    return Error(user.what + " says " + way +
                 ", which is not supported: give it a token or a client certificate");
  }
  return {};
}

tl::expected<void, std::string> read_user(const Entry& user, Target& target) {
  if (auto fine = check_user(user); !fine) return fine;
  auto certificate = material(user, "client-certificate");
  if (!certificate) return Error(std::move(certificate.error()));
  auto key = material(user, "client-key");
  if (!key) return Error(std::move(key.error()));
  target.certificate = certificate->text.empty() ? certificate->path : certificate->text;
  target.key = key->text.empty() ? key->path : key->text;
  if (target.certificate.empty() != target.key.empty())
    return Error(user.what + " has only one of client-certificate and client-key");
  // As client-go does: the file counts, which may change.
  target.token_file = beside(*user.file, user.value->text_of("tokenFile"));
  if (target.token_file.empty()) target.token = user.value->text_of("token");
  return {};
}

}  // namespace

tl::expected<Target, std::string> target_of(const std::vector<ConfigFile>& files) {
  std::string current;
  for (const ConfigFile& file : files) {
    if (current.empty()) current = file.content.text_of("current-context");
  }
  if (current.empty())
    return Error("there is no current-context in " + core::printable(files.front().path, 200) +
                 ": kubectl config use-context sets it");
  const auto context = find_entry(files, "contexts", current);
  if (!context) return Error(context.error());
  const auto cluster = find_entry(files, "clusters", context->value->text_of("cluster"));
  if (!cluster) return Error(cluster.error());
  Target target;
  if (auto fine = read_cluster(*cluster, target); !fine) return Error(std::move(fine.error()));
  // Nobody in particular: an API server may allow that, as one behind kubectl proxy does.
  if (const std::string name = context->value->text_of("user"); !name.empty()) {
    const auto user = find_entry(files, "users", name);
    if (!user) return Error(user.error());
    if (auto fine = read_user(*user, target); !fine) return Error(std::move(fine.error()));
  }
  if (target.server.starts_with("http://") && (!target.token.empty() || !target.token_file.empty()))
    return Error(cluster->what +
                 " is reached without TLS (http://), and the token would be sent for everybody to read");
  target.name_space = context->value->text_of("namespace");
  return target;
}

}  // namespace tenure::kubernetes
