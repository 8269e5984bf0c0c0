// What every private server of a test needs to be started.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tenure::test {

// Of redis-server, or valkey-server. Throws where there is neither.
std::string server_program();
// A new one under /tmp, whatever TMPDIR says: the path of a Unix socket may have only 107 bytes.
std::filesystem::path new_server_directory();
// Of 127.0.0.1, free now; somebody may take it before the server does. Never that of a Redis that somebody may use.
std::uint16_t free_port();

}  // namespace tenure::test
