#include "postgres/net/address.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "postgres/url.hpp"

namespace tenure::postgres {

namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};
using Options = std::unique_ptr<PQconninfoOption, FreeOptions>;

std::string value_in(const Options& options, std::string_view keyword) {
  for (const PQconninfoOption* it = options.get(); it->keyword != nullptr; ++it) {
    if (it->keyword == keyword && it->val != nullptr) return it->val;
  }
  return {};
}

// "host:port", as many as there are; a folder of sockets as it is.
std::string places(const std::string& hosts, const std::string& ports) {
  std::string text;
  std::size_t host = 0;
  std::size_t port = 0;
  while (true) {
    const auto host_end = hosts.find(',', host);
    const auto port_end = ports.find(',', port);
    text += hosts.substr(host, host_end - host);
    const std::string number = ports.substr(port, port_end - port);
    if (!number.empty()) text += ":" + number;
    if (host_end == std::string::npos) return text;
    text += ',';
    host = host_end + 1;
    if (port_end != std::string::npos) port = port_end + 1;
  }
}

// The words between the commas.
std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from <= list.size();) {
    const auto comma = std::min(list.find(',', from), list.size());
    words.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

// Empty where one of them is none whose name can be looked up.
std::vector<Address::Host> hosts_to_find(const std::string& hosts, const std::string& ports) {
  constexpr std::uint16_t usual_port = 5432;
  const auto names = split(hosts);
  const auto numbers = split(ports);
  std::vector<Address::Host> all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || names[i].starts_with('/') || names[i].starts_with('@')) return {};
    const std::string& number = numbers[numbers.size() == names.size() ? i : 0];
    const auto port = number.empty() ? std::optional(usual_port) : core::read_number<std::uint16_t>(number);
    if (!port) return {};
    all.push_back({names[i], *port});
  }
  return all;
}

// With *** for whatever stands between "://" and the last "@", and without a query.
std::string without_user_info(std::string_view url) {
  std::string text(url);
  const auto begin = text.find("://");
  const auto end = text.rfind('@');
  if (begin != std::string::npos && end != std::string::npos && end > begin) {
    text.replace(begin + 3, end - begin - 3, "***");
  }
  return text.substr(0, text.find('?'));
}

// libpq ends the user's name and password at the first "@" or "/", and takes the rest of a password for a host or a database.
bool has_bare_signs_in_password(std::string_view url) {
  std::string_view rest = url.substr(url.find("://") + 3);
  const auto end = rest.find_first_of("@/");
  if (end == std::string_view::npos) return false;
  if (rest[end] == '@') rest.remove_prefix(end + 1);
  return rest.substr(0, rest.find('?')).find('@') != std::string_view::npos;
}

}  // namespace

tl::expected<Address, std::string> parse_url(std::string_view url) {
  const auto wrong = [&](const std::string& why) {
    // What is wrong may be a query with a password in it.
    const auto shown = core::printable(without_user_info(url));
    return tl::unexpected(shown + " is no URL of a PostgreSQL: " + why +
                          "; it looks like postgresql://user@host:5432/database");
  };
  if (!is_url(url)) return wrong("it does not begin with postgresql://");
  if (url.find('\0') != std::string_view::npos) return wrong("it contains a NUL");
  if (has_bare_signs_in_password(url)) return wrong("in a password / is written as %2F, and @ as %40");
  Address address{.url = std::string(url), .name = {}, .place = {}, .secrets = {}, .hosts = {}};
  char* error = nullptr;
  const Options options(PQconninfoParse(address.url.c_str(), &error));
  const std::unique_ptr<char, decltype(&PQfreemem)> said(error, &PQfreemem);
  // What libpq says repeats what it could not read.
  if (!options) return wrong("libpq cannot read it");

  const std::string user = value_in(options, "user");
  const std::string hosts = value_in(options, "host");
  const std::string address_of_host = hosts.empty() ? value_in(options, "hostaddr") : hosts;
  const std::string database = value_in(options, "dbname");
  const std::string service = value_in(options, "service");
  const bool socket = address_of_host.starts_with('/');
  const std::string ports = value_in(options, "port");
  const std::string where = places(address_of_host, ports);
  const bool password = !value_in(options, "password").empty();

  address.name = "postgresql://" + (user.empty() && !password ? "" : user + (password ? ":***@" : "@")) +
                 (socket ? "" : where) + "/" + database +
                 (socket ? "?host=" + address_of_host + (ports.empty() ? "" : "&port=" + ports) : "") +
                 (service.empty() ? "" : (socket ? "&service=" : "?service=") + service);
  address.name = core::printable(address.name);
  address.place = where + "/" + database + (service.empty() ? "" : "?service=" + service);
  if (value_in(options, "hostaddr").empty()) address.hosts = hosts_to_find(hosts, ports);
  for (const char* secret : {"password", "sslpassword"}) {
    if (auto value = value_in(options, secret); !value.empty()) address.secrets.push_back(std::move(value));
  }
  return address;
}

Transport transport_of(const Address& address) {
  const Options given(PQconninfoParse(address.url.c_str(), nullptr));
  const Options usual(PQconndefaults());
  const auto value = [&](std::string_view keyword) {
    std::string text = given ? value_in(given, keyword) : "";
    return text.empty() && usual ? value_in(usual, keyword) : text;
  };
  std::string hosts = value("hostaddr");
  if (hosts.empty()) hosts = value("host");
  Transport transport{.verified = value("sslmode") == "verify-full"};
  for (std::size_t from = 0; from < hosts.size();) {
    const auto end = std::min(hosts.find(',', from), hosts.size());
    const auto host = std::string_view(hosts).substr(from, end - from);
    const bool local = host.empty() || host.starts_with('/') || host.starts_with('@') ||
                       host == "localhost" || host == "::1" || host.starts_with("127.");
    transport.network = transport.network || !local;
    from = end + 1;
  }
  return transport;
}

std::string without_secrets(std::string text, const Address& address) {
  for (const std::string& secret : address.secrets) {
    for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at + 3)) {
      text.replace(at, secret.size(), "***");
    }
  }
  return text;
}

}  // namespace tenure::postgres
