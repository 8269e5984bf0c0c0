// Why a call failed, in words that are the same while the reason is: libcurl's own name milliseconds and error numbers.
#pragma once

#include <string_view>

#include "core/message.hpp"
#include "http_client/place.hpp"

namespace tenure::http_client {

struct Trouble {
  CURL* easy = nullptr;
  CURLcode result = CURLE_OK;
  std::string_view detail{};  // libcurl's own
  bool sent = false;          // had the request begun to be sent?
  bool too_long = false;      // we refused to read on
  bool starved = false;       // this machine had no descriptor left
};

core::Failure failure_of(const Trouble& trouble, const Place& place);
core::Failure time_out(bool sent);

}  // namespace tenure::http_client
