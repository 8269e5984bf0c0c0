// One PostgreSQL as work that asks it now and then sees it. How it is reached is behind this: what polls need of PostgreSQL links no
// libpq itself.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "core/message.hpp"
#include "postgres/call.hpp"

namespace tenure::postgres {

class Server {
 public:
  Server() = default;
  virtual ~Server() = default;
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // For people; without secrets.
  virtual const std::string& name() const = 0;
  // Which database it is, by whomever it is used: two of the same place are one.
  virtual const std::string& place() const = 0;
  // Connects when it is asked, and again when the connection broke: then the statement may be carried out twice. Blocks until it is
  // answered, or a time-out.
  virtual tl::expected<Rows, core::Failure> ask(const Call& call) = 0;
};

}  // namespace tenure::postgres
