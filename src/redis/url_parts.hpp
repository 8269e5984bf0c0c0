// The parts that addresses of every kind have in common, read and written. No error shows what could be a password.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redis/url.hpp"

namespace tenure::redis {

using UrlError = std::optional<std::string>;  // nothing: all is well

bool is_control(char c);
bool is_plain(char c);  // needs no percent sign anywhere
std::string in_quotes(std::string_view text);

// Returns nullopt where a % is not followed by two hex digits.
std::optional<std::string> percent_decoded(std::string_view text);
std::string percent_encoded(std::string_view text, std::string_view also_plain = "");

// "user" or "user:password". The errors show nothing of it.
UrlError read_user_info(std::string_view text, std::string& user, std::string& password);
// "host", "host:port" or "[::1]:port"; the port that is there stays where none is given.
UrlError read_host_and_port(std::string_view text, HostPort& where);
// Several, with commas between them, and at most 16; each is a `what`: "Sentinel".
UrlError read_hosts(std::string_view text, std::uint16_t usual_port, const std::string& what,
                    std::vector<HostPort>& where);
UrlError read_database(std::string_view text, int& database);
// Others put passwords into the query, so its values are not shown.
UrlError unknown_query(std::string_view query);

std::string to_text(const HostPort& where);
std::string to_text(const std::vector<HostPort>& where);  // with commas between them

}  // namespace tenure::redis
