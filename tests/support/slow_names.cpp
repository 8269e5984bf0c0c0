#include "support/slow_names.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <atomic>
#include <string_view>
#include <thread>

namespace {

std::atomic<std::chrono::milliseconds> how_long{};

}  // namespace

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node != nullptr && std::string_view(node) == "hangs.invalid") {
    std::this_thread::sleep_for(how_long.load());
    return EAI_AGAIN;
  }
  return real(node, service, hints, result);
}

namespace tenure::test {

void let_names_hang(std::chrono::milliseconds duration) { how_long = duration; }

}  // namespace tenure::test
