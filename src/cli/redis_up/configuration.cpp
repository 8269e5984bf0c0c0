#include "cli/redis_up/configuration.hpp"

#include <sstream>

namespace tenure::cli {

namespace {

namespace fs = std::filesystem;

// As a configuration wants a text with spaces or quotes in it.
std::string quoted(const fs::path& path) {
  std::string text = "\"";
  for (const char letter : path.string()) {
    if (letter == '"' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "\"";
}

std::string place_of(const ServerProcess& server) {
  std::ostringstream text;
  text << "port " << server.port() << "\nbind 127.0.0.1\nprotected-mode yes\n"
       << "dir " << quoted(server.data()) << "\npidfile " << quoted(server.pid_file()) << "\n";
  return text.str();
}

constexpr auto keeps_leases =
    "# A lease must not be thrown away, and the record should outlive a restart.\n"
    "maxmemory-policy noeviction\nappendonly yes\nappendfsync everysec\nsave \"\"\n";

}  // namespace

std::string redis_conf(const ServerProcess& server) {
  return "# Written by tenure redis up, and left alone from then on.\n" + place_of(server) + keeps_leases;
}

}  // namespace tenure::cli
