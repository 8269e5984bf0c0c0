// Would a real API server take what is in deploy/kubernetes?
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kubernetes/lease_namespace.hpp"
#include "kubernetes/yaml.hpp"
#include "support/paths.hpp"

namespace tenure::test {
namespace {

// Where an object of that kind is made. Empty: a kind that this test does not know.
std::string target_of(const kubernetes::Yaml& object, const std::string& name_space) {
  const std::string version = object.text_of("apiVersion");
  std::string plural = object.text_of("kind");
  std::ranges::transform(plural, plural.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string base = version.find('/') == std::string::npos ? "/api/" : "/apis/";
  return base + version + "/namespaces/" + name_space + "/" + plural + "s";
}

TEST(Manifests, AreTakenByARealApiServer) {
  LeaseNamespace space;
  KubernetesServer& server = space.server();
  int objects = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(paths::source_dir) + "/deploy/kubernetes")) {
    std::ifstream from(file.path());
    const std::string text{std::istreambuf_iterator<char>(from), {}};
    for (std::size_t begin = 0; begin < text.size();) {
      const auto end = std::min(text.find("\n---\n", begin), text.size());
      std::string document = text.substr(begin, end - begin);
      // The server of these tests is 1.20, and has the same under its former version.
      const std::string later = "apiVersion: policy/v1\n";
      if (const auto at = document.find(later); at != std::string::npos)
        document.replace(at, later.size(), "apiVersion: policy/v1beta1\n");
      begin = end + 5;
      const auto object = kubernetes::read_yaml(document);
      ASSERT_TRUE(object) << file.path() << ": " << object.error();
      if (object->members.empty()) continue;
      http_client::HttpRequest request{
          .method = "POST",
          .target = target_of(*object, space.name()) + "?dryRun=All&fieldManager=test",
          .body = document};
      request.headers = {std::string("Authorization: Bearer ") + KubernetesServer::token,
                         "Content-Type: application/yaml"};
      const auto answer = ask_server(server.http(), std::move(request));
      EXPECT_EQ(answer.status, 201) << file.path() << ": " << answer.body;
      objects += 1;
    }
  }
  EXPECT_GE(objects, 5);
}

}  // namespace
}  // namespace tenure::test
