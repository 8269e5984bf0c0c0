// Certificates of a test's own, in a directory that is gone with the test.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenure::test {

// A key and its certificate, as PEM files.
struct Identity {
  std::string certificate_file;
  std::string key_file;
};

struct CertificateWish {
  std::string alternative_names = "DNS:localhost,IP:127.0.0.1";
  // Counted from now.
  std::chrono::hours from{-1};
  std::chrono::hours to{24};
  bool self_signed = false;
};

// One CA, and what it has signed.
class Certificates {
 public:
  Certificates();
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  const std::filesystem::path& directory() const { return directory_; }
  std::string ca_file() const { return directory_ / "ca.pem"; }
  Identity issue(const CertificateWish& wish = {});
  // The key in another file, under a passphrase.
  std::string lock(const Identity& identity, const std::string& passphrase) const;

  // What makes a redis-server speak TLS.
  std::vector<std::string> server(const CertificateWish& wish = {}) { return arguments(wish, "no"); }
  // And ask every client for a certificate of this CA.
  std::vector<std::string> server_that_asks() { return arguments({}, "yes"); }

 private:
  struct Authority;
  std::vector<std::string> arguments(const CertificateWish& wish, const std::string& ask_clients);

  std::filesystem::path directory_;
  std::unique_ptr<Authority> authority_;
  int issued_ = 0;
};

}  // namespace tenure::test
