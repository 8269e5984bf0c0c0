#include "poll/local_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace tenure::poll {

namespace {

bool is_local(const in_addr& address) {
  const std::uint32_t number = ntohl(address.s_addr);
  return number >> 24U == 127 || number >> 24U == 0 || number >> 16U == 0xa9fe;  // 169.254.0.0/16
}

bool is_local(const in6_addr& address) {
  if (IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address) ||
      IN6_IS_ADDR_LINKLOCAL(&address)) {
    return true;
  }
  if (!IN6_IS_ADDR_V4MAPPED(&address)) return false;
  in_addr mapped{};
  std::memcpy(&mapped, &address.s6_addr[12], sizeof mapped);
  return is_local(mapped);
}

}  // namespace

bool is_local(const sockaddr& address) {
  if (address.sa_family == AF_INET) return is_local(reinterpret_cast<const sockaddr_in&>(address).sin_addr);
  if (address.sa_family == AF_INET6)
    return is_local(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return false;
}

bool is_local(const std::string& address) {
  in_addr four{};
  if (inet_pton(AF_INET, address.c_str(), &four) == 1) return is_local(four);
  in6_addr six{};
  return inet_pton(AF_INET6, address.c_str(), &six) == 1 && is_local(six);
}

std::string to_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, text.data(), text.size());
  }
  return text.data();
}

}  // namespace tenure::poll
