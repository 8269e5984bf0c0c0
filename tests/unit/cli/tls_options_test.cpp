// What the library says of TLS, with the names by which a user of the program knows it.
#include "cli/nodes/tls_options.hpp"

#include <gtest/gtest.h>

namespace tenure::cli {
namespace {

const std::string untrusted = "from a CA that is not trusted here; the CA file";

TEST(TlsOptions, EveryNodeThatFailsAlikeNamesTheOption) {
  const std::string rest = " names those that are\n";
  EXPECT_EQ(naming_tls_options("a: " + untrusted + rest + "b: " + untrusted + rest),
            "a: " + untrusted + " (--tls-ca)" + rest + "b: " + untrusted + " (--tls-ca)" + rest);
}

TEST(TlsOptions, WhatIsNamedAlreadyIsNotNamedAgain) {
  for (const std::string sentence :
       {"the CA file \"/x\" cannot be read", "the server asks for a client certificate",
        "a client certificate is of no use without its key", "a key is of no use without its certificate"}) {
    const std::string once = naming_tls_options(sentence);
    EXPECT_NE(once, sentence);
    EXPECT_EQ(naming_tls_options(once), once);
  }
}

TEST(TlsOptions, AVariableIsNamedWhereItStoodInForTheFlag) {
  const TlsNames names{.ca = "TENURE_TLS_CA", .certificate = "TENURE_TLS_CERT"};
  const std::string read = naming_tls_options("the CA file \"/x\" cannot be read", names);
  EXPECT_EQ(read, "the CA file (TENURE_TLS_CA) \"/x\" cannot be read");
  EXPECT_EQ(naming_tls_options(read), read) << "the flag that nobody gave";
  EXPECT_EQ(naming_tls_options("a client certificate is of no use without its key", names),
            "a client certificate (TENURE_TLS_CERT) is of no use without its key (--tls-key)");
}

TEST(TlsOptions, OtherSentencesStayAsTheyAre) {
  for (const std::string sentence : {"only a key without one can be used", "job is held by web-3", ""}) {
    EXPECT_EQ(naming_tls_options(sentence), sentence);
  }
}

}  // namespace
}  // namespace tenure::cli
