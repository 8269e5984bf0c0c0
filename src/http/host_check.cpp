#include "http/host_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace tenure::http {

namespace {

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_name(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

// Without the port, the brackets and the dot that ends a complete name.
std::string_view name_in(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  host = host.substr(0, host.rfind(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

}  // namespace

bool is_own_host(std::string_view host, const ListenAddress& listens, std::string_view own_name) {
  const auto name = name_in(host);
  if (name.empty()) return false;
  if (const std::string ip = canonical_ip(name); !ip.empty()) {
    return is_loopback_ip(ip) || ip == listens.ip || listens.is_unspecified();
  }
  if (same_name(name, "localhost")) return true;
  // A name of one word is the machine's own, too, where the kernel has the whole of it.
  return !own_name.empty() &&
         (same_name(name, own_name) || same_name(name, own_name.substr(0, own_name.find('.'))));
}

std::string own_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace tenure::http
