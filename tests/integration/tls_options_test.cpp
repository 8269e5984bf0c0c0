// What is wrong with the files of TLS is said before any connection is made, and names the file.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/net/tls.hpp"
#include "support/certificates.hpp"

namespace tenure::test {
namespace {

using runtime::Tls;
using runtime::TlsOptions;

class TlsOptionsTest : public ::testing::Test {
 protected:
  std::string error_of(const TlsOptions& options) {
    const auto tls = Tls::load(options);
    return tls ? "no error" : tls.error();
  }
  std::string file_with(const std::string& name, const std::string& text) {
    const auto path = certificates_.directory() / name;
    std::ofstream(path) << text;
    return path;
  }

  Certificates certificates_;
  Identity one_ = certificates_.issue();
  Identity other_ = certificates_.issue();
};

TEST_F(TlsOptionsTest, GoodFilesAreTaken) {
  EXPECT_EQ(error_of({}), "no error");
  EXPECT_EQ(error_of({.ca_file = certificates_.ca_file(),
                      .certificate_file = one_.certificate_file,
                      .key_file = one_.key_file,
                      .server_name = "::1"}),
            "no error");
}

TEST_F(TlsOptionsTest, AFileThatCannotBeReadIsNamed) {
  EXPECT_EQ(error_of({.ca_file = "/no/such.pem"}),
            "the CA file \"/no/such.pem\" cannot be read: No such file or directory");
  EXPECT_EQ(error_of({.ca_file = "/tmp"}), "the CA file \"/tmp\" cannot be read: Is a directory");
  EXPECT_EQ(error_of({.certificate_file = "/no/such.pem", .key_file = one_.key_file}),
            "the certificate file \"/no/such.pem\" cannot be read: No such file or directory");
  EXPECT_EQ(error_of({.certificate_file = one_.certificate_file, .key_file = "/no/such.key"}),
            "the key file \"/no/such.key\" cannot be read: No such file or directory");
}

TEST_F(TlsOptionsTest, AFileThatHoldsSomethingElseIsNamedAndNotShown) {
  const std::string text = file_with("notes", "gehe!m\n");
  EXPECT_EQ(error_of({.ca_file = text}), "the CA file \"" + text + "\" holds no certificate in PEM form");
  EXPECT_EQ(error_of({.certificate_file = text, .key_file = one_.key_file}),
            "the certificate file \"" + text + "\" holds no certificate in PEM form");
  EXPECT_EQ(error_of({.certificate_file = one_.certificate_file, .key_file = text}),
            "the key file \"" + text + "\" holds no private key in PEM form");
}

TEST_F(TlsOptionsTest, AKeyMustBelongToItsCertificate) {
  EXPECT_EQ(error_of({.certificate_file = one_.certificate_file, .key_file = other_.key_file}),
            "the key file \"" + other_.key_file + "\" does not belong to the certificate in \"" +
                one_.certificate_file + "\"");
  EXPECT_EQ(error_of({.certificate_file = one_.certificate_file}),
            "a client certificate is of no use without its key");
  EXPECT_EQ(error_of({.key_file = one_.key_file}), "a key is of no use without its certificate");
}

// It must not be asked for on the terminal, either.
TEST_F(TlsOptionsTest, AKeyWithAPassphraseIsRefused) {
  const std::string key = certificates_.lock(one_, "a passphrase");
  EXPECT_EQ(error_of({.certificate_file = one_.certificate_file, .key_file = key}),
            "the key file \"" + key + "\" wants a passphrase; only a key without one can be used");
}

// To OpenSSL an empty name is any name, and one with a dot before it any name below.
TEST_F(TlsOptionsTest, OnlyANameIsAServerName) {
  for (const std::string name : {".example.com", "*", "a b", "a\n", "redis://a"}) {
    EXPECT_TRUE(error_of({.server_name = name}).ends_with("which is not a host name or an IP address"))
        << name;
  }
}

}  // namespace
}  // namespace tenure::test
