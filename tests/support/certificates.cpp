#include "support/certificates.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

namespace tenure::test {

namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <class Type>
using Owned = std::unique_ptr<Type, Free>;

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("cannot make a certificate: ") + what);
}

void write_key(const std::string& path, EVP_PKEY* key) {
  const Owned<std::FILE> file(std::fopen(path.c_str(), "w"));
  must(file && PEM_write_PrivateKey(file.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "key file");
}

void write_certificate(const std::string& path, X509* certificate) {
  const Owned<std::FILE> file(std::fopen(path.c_str(), "w"));
  must(file && PEM_write_X509(file.get(), certificate) == 1, "certificate file");
}

void extend(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  must(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "extension");
}

Owned<X509> blank(const char* name, long serial, EVP_PKEY* key) {
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name), -1, -1, 0);
  return certificate;
}

void set_times(X509* certificate, std::chrono::seconds from, std::chrono::seconds to) {
  X509_gmtime_adj(X509_getm_notBefore(certificate), from.count());
  X509_gmtime_adj(X509_getm_notAfter(certificate), to.count());
}

}  // namespace

struct Certificates::Authority {
  explicit Authority(const std::string& name) : certificate(blank(name.c_str(), 1, key.get())) {}

  Owned<EVP_PKEY> key{EVP_EC_gen("P-256")};
  Owned<X509> certificate;
};

Certificates::Certificates() {
  std::string name = "/tmp/tenure-certificates-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a directory under /tmp");
  directory_ = name;
  authority_ = std::make_unique<Authority>(name.substr(name.rfind('-') + 1));
  X509* own = authority_->certificate.get();
  X509_set_issuer_name(own, X509_get_subject_name(own));
  set_times(own, std::chrono::hours(-2000), std::chrono::hours(2000));
  extend(own, NID_basic_constraints, "critical,CA:TRUE");
  extend(own, NID_subject_key_identifier, "hash");
  must(X509_sign(own, authority_->key.get(), EVP_sha256()) > 0, "signature");
  write_certificate(ca_file(), own);
}

Certificates::~Certificates() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

Identity Certificates::issue(const CertificateWish& wish) {
  const std::string stem = directory_ / std::to_string(++issued_);
  Identity identity{stem + ".pem", stem + ".key"};
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const auto certificate = blank("a peer of a test", 1 + issued_, key.get());
  X509* issuer = wish.self_signed ? certificate.get() : authority_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  set_times(certificate.get(), wish.from, wish.to);
  extend(certificate.get(), NID_subject_alt_name, wish.alternative_names);
  EVP_PKEY* signer = wish.self_signed ? key.get() : authority_->key.get();
  must(X509_sign(certificate.get(), signer, EVP_sha256()) > 0, "signature");
  write_key(identity.key_file, key.get());
  write_certificate(identity.certificate_file, certificate.get());
  return identity;
}

std::string Certificates::lock(const Identity& identity, const std::string& passphrase) const {
  const Owned<std::FILE> from(std::fopen(identity.key_file.c_str(), "r"));
  const Owned<EVP_PKEY> key(PEM_read_PrivateKey(from.get(), nullptr, nullptr, nullptr));
  const std::string path = identity.key_file + ".locked";
  const Owned<std::FILE> file(std::fopen(path.c_str(), "w"));
  must(PEM_write_PrivateKey(file.get(), key.get(), EVP_aes_256_cbc(),
                            reinterpret_cast<const unsigned char*>(passphrase.data()),
                            static_cast<int>(passphrase.size()), nullptr, nullptr) == 1,
       "locked key file");
  return path;
}

std::vector<std::string> Certificates::arguments(const CertificateWish& wish,
                                                 const std::string& ask_clients) {
  const Identity identity = issue(wish);
  return {
      "--tls-cert-file", identity.certificate_file, "--tls-key-file", identity.key_file, "--tls-ca-cert-file",
      ca_file(),         "--tls-auth-clients",      ask_clients};
}

}  // namespace tenure::test
