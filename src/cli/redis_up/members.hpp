// Servers that are started together, and are all ended again where one of them does not start.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/redis_up/server_process.hpp"
#include "core/base/time.hpp"

namespace tenure::cli {

class Members {
 public:
  // Starts it unless it runs, and says so: as what, and of one that is started again, what that means. The error is a sentence.
  std::optional<std::string> start(ServerProcess& member, const std::string& what, const std::string& again,
                                   const std::function<std::optional<std::string>()>& launch);
  // Ends those that were started, the last one first, and leaves nothing of them that was not there before.
  void take_back() const;

 private:
  std::vector<const ServerProcess*> started_{};
};

// For what takes servers a few seconds to find out about each other where nothing is wrong.
constexpr core::Duration settle_within = std::chrono::seconds(30);

// Asked again and again until it is nothing, or for so long; then what it said last.
std::optional<std::string> wait_until_nothing(const std::function<std::optional<std::string>()>& trouble);

}  // namespace tenure::cli
