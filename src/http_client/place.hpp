// Where the calls to a server go, as libcurl is told it. Read once from HttpServer.
#pragma once

#include <string>

#include "http_client/curl.hpp"
#include "http_client/http_calls.hpp"

namespace tenure::http_client {

struct Place {
  // The server outlives it.
  explicit Place(const HttpServer& server);

  // What all calls have in common.
  void set(CURL* easy) const;

  const HttpServer& server;
  std::string base;  // what a target is put behind
  bool tls = false;
  std::string expected_name;  // that the certificate must show
  // Only where that is not the host of the address.
  std::string host_header{};
  List connect_to{};
};

}  // namespace tenure::http_client
