// What an instance knows of itself, as its endpoint shows it. docs/http-api.md says what is in it.
#pragma once

#include "cli/json.hpp"
#include "http/routes.hpp"
#include "tenure/client.hpp"
#include "tenure/fleet.hpp"
#include "tenure/poller.hpp"

namespace tenure::cli {

struct Polling {
  const Client& client;
  const Fleet& fleet;
  const Poller& poller;
};

// Adds "fleet" to an object; null while it has not begun, or has left.
void add_polling(Json& json, const Polling* polling);

// The sessions that it owns, a page of them, by id.
http::Response owned_json(const http::Request& request, const Polling* polling);

}  // namespace tenure::cli
