#include "postgres/net/hosts.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <array>

namespace tenure::postgres {

namespace {

std::string numeric(const runtime::SocketAddress& address) {
  std::array<char, NI_MAXHOST> text{};
  const auto* const target = reinterpret_cast<const sockaddr*>(&address.storage);
  const int error = getnameinfo(target, address.length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST);
  return error == 0 ? text.data() : "";
}

void append(std::string& list, const std::string& item) { list += (list.empty() ? "" : ",") + item; }

}  // namespace

std::optional<tl::expected<Hosts::Found, std::string>> Hosts::find() {
  for (; next_ < address_.hosts.size(); ++next_) {
    const auto& [host, port] = address_.hosts[next_];
    const auto found = lookup_.find({.host = host, .port = port, .path = {}, .tls = false});
    if (!found) return std::nullopt;
    if (!*found) {
      error_ = "the host " + host + " was not found: " + found->error();
      continue;
    }
    for (const runtime::SocketAddress& target : **found) {
      append(found_.hosts, host);
      append(found_.addresses, numeric(target));
      append(found_.ports, std::to_string(port));
    }
  }
  if (found_.hosts.empty() && !error_.empty()) return tl::unexpected(error_);
  return found_;
}

}  // namespace tenure::postgres
