// One PostgreSQL by its address, for work that has a thread of its own.
#pragma once

#include <memory>

#include "core/base/time.hpp"
#include "postgres/net/address.hpp"
#include "postgres/server.hpp"

namespace tenure::postgres {

// Connects to nobody yet. The timeout is that of connecting, and of each statement.
std::unique_ptr<Server> server_at(Address address, core::Duration timeout);

}  // namespace tenure::postgres
