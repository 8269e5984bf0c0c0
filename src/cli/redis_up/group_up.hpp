// tenure redis up --sentinel: starts what is missing of a group, and waits until a failover would succeed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/redis_up/local_group.hpp"
#include "redis/script_call.hpp"

namespace tenure::cli {

struct GroupWish {
  std::filesystem::path root;  // nobody else starts or stops servers there meanwhile
  std::uint16_t port = 0;
  redis::Keyspace keyspace{};
  std::string set_name{};
};

// Gives the exit code.
int group_up(GroupWish wish);

}  // namespace tenure::cli
