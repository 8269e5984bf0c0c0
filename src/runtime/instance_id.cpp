#include "runtime/instance_id.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "core/base/check.hpp"
#include "core/base/number.hpp"

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

std::optional<std::int64_t> began(std::string_view id) {
  const auto chance = id.rfind('-');
  if (chance == std::string_view::npos || id.size() - chance != 9) return std::nullopt;
  if (id.find_first_not_of("0123456789abcdef", chance + 1) != std::string_view::npos) return std::nullopt;
  const auto time = id.rfind('-', chance - 1);
  if (time == std::string_view::npos || time == 0 || time >= chance) return std::nullopt;
  const auto seconds = core::read_number<std::int64_t>(id.substr(time + 1, chance - time - 1));
  // Before 2001 and after 2286 it is some other number.
  if (!seconds || *seconds < 1'000'000'000 || *seconds > 9'999'999'999) return std::nullopt;
  return seconds;
}

}  // namespace tenure::runtime
