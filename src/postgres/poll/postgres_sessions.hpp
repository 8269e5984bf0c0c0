// Sessions that are kept in one PostgreSQL, as a source of them. Reads what has changed since the last time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "poll/session_json.hpp"
#include "postgres/server.hpp"
#include "postgres/session_call.hpp"
#include "tenure/session.hpp"

namespace tenure::postgres {

class PostgresSessions final : public SessionSource {
 public:
  // The fleet is as the tables name it.
  PostgresSessions(std::unique_ptr<Server> server, std::string fleet, poll::Addresses addresses);

  tl::expected<Sessions, std::string> read() override;

 private:
  tl::expected<SessionsRead, core::Failure> ask(std::int64_t since);

  std::unique_ptr<Server> server_;
  std::string fleet_;
  poll::Addresses addresses_;
  std::int64_t version_ = 0;  // up to which they are known
  std::string life_{};        // of the server that gave it
  std::map<std::string, tl::expected<Session, std::string>> known_{};
};

}  // namespace tenure::postgres
