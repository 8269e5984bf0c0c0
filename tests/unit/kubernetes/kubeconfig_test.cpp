#include "kubernetes/kubeconfig.hpp"

#include <gtest/gtest.h>

#include "kubernetes/base64.hpp"

namespace tenure::kubernetes {
namespace {

const std::string usual = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: other
  context: {cluster: nowhere, user: nobody}
- name: dev
  context:
    cluster: here
    user: me
    namespace: team-a
clusters:
- name: here
  cluster:
    server: https://10.0.0.1:6443/
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
users:
- name: me
  user:
    token: secret
)";

tl::expected<Target, std::string> read(const std::string& text,
                                       const std::string& path = "/home/a/.kube/config") {
  auto yaml = read_yaml(text);
  if (!yaml) return tl::unexpected(yaml.error());
  return target_of({{path, *yaml}});
}

std::string with(const std::string& what, const std::string& instead) {
  std::string text = usual;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), instead);
}

TEST(Kubeconfig, ItsCurrentContextSaysWhereAndAsWhom) {
  const Target target = read(usual).value();
  EXPECT_EQ(target.server, "https://10.0.0.1:6443");
  EXPECT_EQ(target.ca_file, "/home/a/.kube/pki/ca.crt") << "beside the file";
  EXPECT_EQ(target.server_name, "kubernetes");
  EXPECT_EQ(target.token, "secret");
  EXPECT_EQ(target.name_space, "team-a");
}

TEST(Kubeconfig, MayBeJson) {
  const Target target =
      read(R"({"current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
      "clusters": [{"name": "k", "cluster": {"server": "https://h", "certificate-authority": "/ca"}}],
      "users": [{"name": "u", "user": {"tokenFile": "/token"}}]})")
          .value();
  EXPECT_EQ(target.server, "https://h");
  EXPECT_EQ(target.token_file, "/token");
}

TEST(Kubeconfig, CertificatesMayStandInIt) {
  // -----BEGIN
  const Target target = read(with("token: secret",
                                  "{client-certificate-data: LS0tLS1CRUdJTg==, client-key-data: "
                                  "LS0tLS1CRUdJTg==, client-key: /k}"))
                            .value();
  EXPECT_EQ(target.certificate, "-----BEGIN");
  EXPECT_EQ(target.key, "-----BEGIN");
  EXPECT_FALSE(read(with("token: secret", "client-certificate: /a")));
  EXPECT_FALSE(
      read(with("token: secret", "{client-certificate-data: '!', client-key-data: LS0tLS1CRUdJTg==}")));
}

TEST(Kubeconfig, WhatIsNotSupportedIsRefusedWithItsName) {
  const std::pair<std::string, std::string> cases[] = {
      {with("token: secret", "exec: {command: aws}"), "user \"me\""},
      {with("token: secret", "auth-provider: {name: gcp}"), "auth-provider"},
      {with("token: secret", "{token: secret, as: root}"), "says as"},
      {with("token: secret", "{username: a, password: hush}"), "username"},
      {with("tls-server-name: kubernetes", "insecure-skip-tls-verify: true"), "insecure-skip-tls-verify"},
      {with("tls-server-name: kubernetes", "proxy-url: http://p"), "proxy-url"},
      {with("https://10.0.0.1:6443/", "http://10.0.0.1"), "for everybody to read"},
      {with("https://10.0.0.1:6443/", "https://a:b@10.0.0.1"), "server"},
      {with("https://10.0.0.1:6443/", "ftp://10.0.0.1"), "https://"},
      {with("current-context: dev", "current-context: gone"), "\"gone\""},
      {with("current-context: dev", "current-context: other"), "\"nowhere\""},
      {with("current-context: dev", ""), "current-context"},
      {with("user: me", "user: you"), "\"you\""},
  };
  for (const auto& [text, said] : cases) {
    const auto target = read(text);
    ASSERT_FALSE(target) << said;
    EXPECT_NE(target.error().find(said), std::string::npos) << target.error();
    for (const auto* secret : {"secret", "hush"}) EXPECT_EQ(target.error().find(secret), std::string::npos);
  }
}

TEST(Kubeconfig, OfSeveralFilesTheFirstThatSaysSomethingWins) {
  const auto first = read_yaml("current-context: dev\nusers: [{name: me, user: {tokenFile: t}}]\n").value();
  const Target target = target_of({{"/a/one", first}, {"/b/two", read_yaml(usual).value()}}).value();
  EXPECT_EQ(target.token_file, "/a/t");
  EXPECT_EQ(target.token, "");
  EXPECT_EQ(target.ca_file, "/b/pki/ca.crt");
}

TEST(Yaml, WhatIsNoneSaysWhere) {
  for (const auto* text : {"a: [", "a: b: c", "\t- x", "a: &x [1]\nb: *x\n", "? [a]\n: b"}) {
    const auto read_text = read_yaml(text);
    EXPECT_FALSE(read_text) << text;
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "[";
  EXPECT_FALSE(read_yaml(deep));
  EXPECT_TRUE(read_yaml("")->members.empty());
  EXPECT_EQ(read_yaml("a: null\nb: 'null'\n")->text_of("b"), "null");
  EXPECT_EQ(read_yaml("a: null\n")->text_of("a"), "");
}

TEST(Base64, IsReadOrRefused) {
  EXPECT_EQ(read_base64(""), "");
  EXPECT_EQ(read_base64("YQ=="), "a");
  EXPECT_EQ(read_base64("YWI="), "ab");
  EXPECT_EQ(read_base64("YWJj\nZA=="), "abcd");
  EXPECT_EQ(read_base64("/+8="), "\xff\xef");
  for (const auto* text : {"Y", "YQ", "YQ=", "YQ=a", "Y!==", "===="})
    EXPECT_EQ(read_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tenure::kubernetes
