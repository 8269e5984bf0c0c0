// Who may see what: by the token that a request shows, and by the host that it names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/listen_address.hpp"

namespace tenure::http {

struct Access {
  std::string token{};  // empty: everybody who names the right host may see everything
  ListenAddress listens{};
  std::string own_name{};  // of this machine

  enum class Verdict : std::uint8_t {
    trusted,       // may see everything
    everybody,     // may see what is for everybody: there is a token, and the request does not show it
    wrong_host,    // it names a host that is not this machine
    foreign_page,  // a browser sends it for a page of another site
  };
  // As they stand in their headers, empty where these are missing.
  struct Headers {
    std::string_view host{};
    std::string_view authorization{};
    std::string_view fetch_site{};  // Sec-Fetch-Site: what browsers say of the page, and no page can change
  };
  // Whoever shows the token may call us by any name: a page of a stranger does not know it.
  Verdict admit(const Headers& headers) const;
};

}  // namespace tenure::http
