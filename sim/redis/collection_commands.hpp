// The commands of lists and hashes, which commands.cpp finds by name.
#pragma once

#include "sim/redis/commands.hpp"

namespace tenure::sim {

void lpush(const CommandCall& call);
void rpush(const CommandCall& call);
void lpop(const CommandCall& call);
void lrem(const CommandCall& call);
void lpos(const CommandCall& call);
void lindex(const CommandCall& call);
void llen(const CommandCall& call);
void lrange(const CommandCall& call);

void hset(const CommandCall& call);
void hget(const CommandCall& call);
void hdel(const CommandCall& call);
void hkeys(const CommandCall& call);

}  // namespace tenure::sim
