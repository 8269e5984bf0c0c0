// A process that wants one lease, holds it and says what it sees: for tests that stop or kill it.
//   lease_process URL[,URL…] KEY TTL_MS CAP_MS [wait]
// Says "held <value>" once it holds the lease. When it finds that it was stopped for most of the TTL, it
// looks whether it still holds it, tries to store a result under its token, says "woke held=<0 or 1>
// stored=<answer, where the lease is looked at> <answer, where only tokens are>", and ends.
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>

#include "redis/scripts.hpp"
#include "runtime/boot_clock.hpp"
#include "support/lease_client.hpp"
#include "support/redis_connection.hpp"

namespace {

using namespace tenure;

std::string store(test::RedisConnection& redis, const std::string& key, const std::string& value, bool look) {
  const auto split = value.rfind('#') + 1;
  std::vector<std::string> command{"EVAL", std::string(redis::publish_result_script.body), look ? "2" : "1",
                                   "state:x"};
  if (look) command.push_back(key);
  for (const auto& argument :
       {value.substr(0, split), value.substr(split), std::string("late"), std::string()}) {
    command.push_back(argument);
  }
  return std::to_string(redis.command(command).integer);
}

int run(const std::string& urls, const std::string& key, core::Ttl ttl, core::Ttl cap, bool wait) {
  std::vector<redis::Address> nodes;
  std::istringstream list(urls);
  for (std::string url; std::getline(list, url, ',');) nodes.push_back(redis::parse_url(url).value());
  auto client = test::client_of(nodes, cap);
  const auto wanted = test::wish(ttl, wait ? test::for_ever : core::Duration::zero());
  const auto lease = client.acquire(key, wanted);
  if (!lease) return 1;
  test::RedisConnection redis(nodes.front().path);
  const std::string value = redis.command({"GET", key}).text;
  // Before it says so: whoever hears of it may stop it at once.
  core::Time last = runtime::boot_now();
  std::printf("held %s\n", value.c_str());
  std::fflush(stdout);
  while (true) {
    const core::Time now = runtime::boot_now();
    const bool held = lease->held();
    if (now - last > ttl * 6 / 10) {
      const std::string looking = store(redis, key, value, true);
      const std::string by_token = store(redis, key, value, false);
      std::printf("woke held=%d stored=%s %s\n", held ? 1 : 0, looking.c_str(), by_token.c_str());
      return 0;
    }
    last = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 64;
  return run(argv[1], argv[2], core::Ttl(std::stoi(argv[3])), core::Ttl(std::stoi(argv[4])), argc > 5);
}
