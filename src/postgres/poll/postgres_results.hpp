// Results that are kept in one PostgreSQL, a row for each session: a store of results for the ledger.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "poll/result_store.hpp"
#include "postgres/server.hpp"
#include "postgres/session_call.hpp"

namespace tenure::postgres {

class PostgresResults final : public poll::ResultStore {
 public:
  struct Place {
    std::string fleet{};      // as the tables name it
    bool leases_here = true;  // the leases live on this server as well, and are looked at
  };
  PostgresResults(std::unique_ptr<Server> server, Place place);

  std::vector<poll::ResultReply> ask(std::span<const poll::ResultRequest> requests) override;

 private:
  struct Asked {
    std::size_t at = 0;  // which of the requests
    NewResult result;
  };
  using Replies = std::vector<poll::ResultReply>;

  void publish(std::span<const Asked> asked, Replies& replies);
  void find_slots(const std::vector<std::size_t>& at, const std::vector<std::string>& ids, Replies& replies);

  std::unique_ptr<Server> server_;
  Place place_;
};

}  // namespace tenure::postgres
