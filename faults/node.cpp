#include "faults/node.hpp"

#include "faults/postgres_node.hpp"
#include "faults/redis_node.hpp"

namespace tenure::faults {

std::unique_ptr<Node> make_node(const Crowd& crowd, std::size_t node) {
  switch (crowd.store) {
    case Store::redis:
      return std::make_unique<RedisNode>(crowd, node);
    case Store::postgresql:
      return std::make_unique<PostgresNode>(crowd, node);
  }
  return nullptr;
}

}  // namespace tenure::faults
