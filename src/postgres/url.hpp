// Which URLs are those of a PostgreSQL. What else is in them only libpq knows (postgres/net/address.hpp).
#pragma once

#include <string>
#include <string_view>

namespace tenure::postgres {

bool is_url(std::string_view text);

// The same URL without its passwords, which libpq then looks for elsewhere.
std::string without_passwords(std::string_view url);

}  // namespace tenure::postgres
