#include "runtime/instance_id.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "core/check.hpp"

namespace tenure::runtime {

core::Random random_from_kernel() {
  core::Random::State state{};
  ssize_t got = 0;
  do {
    got = getrandom(state.data(), sizeof state, 0);
  } while (got < 0 && errno == EINTR);
  core::must(got == static_cast<ssize_t>(sizeof state), "the kernel gives random bytes");
  return core::Random(state);
}

std::string make_instance_id() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0 || host[0] == '\0') host = {"host"};
  return std::string(host.data()) + "-" + std::to_string(std::time(nullptr)) + "-" +
         random_from_kernel().hex16().substr(0, 8);
}

}  // namespace tenure::runtime
