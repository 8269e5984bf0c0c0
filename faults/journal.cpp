#include "faults/journal.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "runtime/boot_clock.hpp"

namespace tenure::faults {

namespace {

constexpr std::size_t said_max = 1'000'000;  // of one client: the end of it

}  // namespace

void Journal::note(const std::string& line) {
  const core::Time now = runtime::boot_now();
  const auto since = begun_ == core::long_ago ? core::Duration{} : now - begun_;
  std::array<char, 64> time{};
  std::snprintf(time.data(), time.size(), "%9.3f s (%lld ms since boot)  ",
                std::chrono::duration<double>(since).count(),
                static_cast<long long>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count()));
  const std::string whole = time.data() + line + '\n';
  const std::lock_guard lock(mutex_);
  events_ += whole;
  if (trace_) std::fputs(whole.c_str(), stderr);
}

void Journal::keep(const std::string& who, const std::string& said) {
  if (said.empty()) return;
  const std::lock_guard lock(mutex_);
  std::string& all = said_[who];
  all += said;
  if (all.size() > said_max) all.erase(0, all.size() - said_max / 2);
}

std::filesystem::path Journal::write() const {
  std::string name = std::filesystem::temp_directory_path() / "tenure-faults-failed-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  const std::filesystem::path directory = name;
  const std::lock_guard lock(mutex_);
  std::ofstream(directory / "events.log") << events_;
  for (const auto& [who, said] : said_) std::ofstream(directory / (who + ".err")) << said;
  return directory;
}

}  // namespace tenure::faults
