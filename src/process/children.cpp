#include "process/children.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/net/descriptor.hpp"

namespace tenure::process {

namespace {

using Text = std::pmr::string;

Text contents(const Text& path) {
  Text text;
  const runtime::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> block{};
  while (true) {
    const auto got = file ? ::read(file.get(), block.data(), block.size()) : 0;
    if (got <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

// 0: it does not begin with a number.
pid_t number_in(std::string_view text) {
  pid_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The entries of a folder of /proc that are numbers: processes, or threads.
Pids numbers_in(const Text& folder) {
  Pids numbers;
  const runtime::Descriptor open(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Not by readdir, which would allocate.
  alignas(dirent64) std::array<char, 4096> block{};
  while (true) {
    const auto got = open ? getdents64(open.get(), block.data(), block.size()) : 0;
    if (got <= 0) return numbers;
    for (ssize_t at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const dirent64*>(block.data() + at);
      if (const pid_t number = number_in(entry->d_name); number > 0) numbers.push_back(number);
      at += entry->d_reclen;
    }
  }
}

Text number_text(pid_t number) { return Text(std::to_string(number)); }

Text folder_of(pid_t pid) { return "/proc/" + number_text(pid); }

Pids listed(pid_t parent) {
  Pids children;
  const Text tasks = folder_of(parent) + "/task";
  // Each thread has those that it has forked itself.
  for (const pid_t thread : numbers_in(tasks)) {
    // "1234 1240 1251 "
    const Text list = contents(tasks + "/" + number_text(thread) + "/children");
    std::size_t from = 0;
    for (auto space = list.find(' '); space != std::string::npos; space = list.find(' ', from)) {
      if (const pid_t child = number_in(std::string_view(list).substr(from)); child > 0) {
        children.push_back(child);
      }
      from = space + 1;
    }
  }
  return children;
}

}  // namespace

Children::Children() {
  if (!kernel_has_lists()) pairs_ = all_pairs();
}

Children Children::by_parent() { return Children(all_pairs()); }

bool Children::kernel_has_lists() {
  // Not "static const bool": while one thread finds it out, a copy that another forks would wait for it for ever.
  enum Lists : std::uint8_t { unknown, there, missing };
  static constinit std::atomic<Lists> lists = unknown;
  if (lists == unknown) lists = access("/proc/thread-self/children", R_OK) == 0 ? there : missing;
  return lists == there;
}

Pids Children::of(pid_t parent) const {
  if (!pairs_) return listed(parent);
  Pids children;
  for (const Pair& pair : *pairs_) {
    if (pair.parent == parent) children.push_back(pair.child);
  }
  return children;
}

Children::Pairs Children::all_pairs() {
  Pairs pairs;
  for (const pid_t pid : numbers_in("/proc")) pairs.push_back({parent_of(pid), pid});
  return pairs;
}

pid_t parent_of(pid_t pid) {
  // "1234 (name) S 1230 …": the name may hold anything, also brackets.
  const Text stat = contents(folder_of(pid) + "/stat");
  const auto name_end = stat.rfind(") ");
  if (name_end == std::string::npos || name_end + 4 > stat.size()) return 0;
  return number_in(std::string_view(stat).substr(name_end + 4));
}

}  // namespace tenure::process
