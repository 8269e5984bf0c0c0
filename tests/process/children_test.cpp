// Both ways to find the children of a process see the same.
#include "process/children.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "support/process.hpp"

namespace tenure::process {
namespace {

using test::Process;

std::pmr::vector<pid_t> sorted(std::pmr::vector<pid_t> pids) {
  std::ranges::sort(pids);
  return pids;
}

TEST(Children, OfAllThreadsAreFoundBothWays) {
  const Process first({"sleep", "60"});
  // A name that reads like the fields behind it. It keeps it, and starts nobody: it stops.
  const Process with_a_name({"sh", "-c", "printf ') R 1 (' >/proc/$$/comm; kill -STOP $$"});
  ASSERT_TRUE(test::wait_until([&] {
    std::string line;
    std::getline(std::ifstream("/proc/" + std::to_string(with_a_name.pid()) + "/stat"), line);
    return line.find("() R 1 () T ") != std::string::npos;
  }));
  std::promise<pid_t> second;
  std::promise<void> done;
  std::jthread other([&] {
    const Process process({"sleep", "60"});
    second.set_value(process.pid());
    done.get_future().wait();
  });
  const auto expected = sorted({first.pid(), with_a_name.pid(), second.get_future().get()});
  EXPECT_EQ(sorted(Children().of(getpid())), expected);
  EXPECT_EQ(sorted(Children::by_parent().of(getpid())), expected);
  for (const pid_t pid : expected) EXPECT_EQ(parent_of(pid), getpid());
  done.set_value();
}

TEST(Children, OfAProcessThatIsGoneAreNone) {
  pid_t pid = 0;
  {
    const Process process({"true"});
    pid = process.pid();
  }
  EXPECT_TRUE(Children().of(pid).empty());
  EXPECT_TRUE(Children::by_parent().of(pid).empty());
  EXPECT_EQ(parent_of(pid), 0);
}

}  // namespace
}  // namespace tenure::process
