#include "support/host_names.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <atomic>
#include <string_view>
#include <thread>

namespace {

constexpr std::string_view loopback_name = "here.invalid";
constexpr std::string_view hanging_name = "hangs.invalid";

std::atomic<std::chrono::milliseconds> how_long{};

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node != nullptr && node == hanging_name) {
    std::this_thread::sleep_for(how_long.load());
    return EAI_AGAIN;
  }
  // Who asks for a number only is refused by the real one.
  const bool for_number = hints != nullptr && (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (node != nullptr && node == loopback_name && !for_number) {
    return real("127.0.0.1", service, hints, result);
  }
  return real(node, service, hints, result);
}

namespace tenure::test {

std::string host_name_of_loopback() { return std::string(loopback_name); }

void let_names_hang(std::chrono::milliseconds duration) { how_long = duration; }

}  // namespace tenure::test
