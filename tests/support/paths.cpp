#include "support/paths.hpp"

#include <cstdlib>
#include <string>

namespace tenure::test::paths {
namespace {

// The programs that users run are those of this build, or of another one that the environment names: tests that look at a
// program from outside need not be compiled again for a program with sanitizers.
std::string in_build(const char* name) {
  const char* other = std::getenv("TENURE_TEST_BUILD");
  return std::string(other != nullptr ? other : TENURE_BUILD_DIR) + "/" + name;
}

const std::string program_path = in_build("tenure");
const std::string fleet_program_path = in_build("tenure-fleet");
const std::string keeper_path = in_build("examples/keeper");
const std::string async_epoll_path = in_build("examples/async_epoll");
const std::string async_asio_path = in_build("examples/async_asio");
const std::string leader_election_path = in_build("examples/leader_election");

}  // namespace

const char* const source_dir = TENURE_SOURCE_DIR;
const char* const program = program_path.c_str();
const char* const fleet_program = fleet_program_path.c_str();
const char* const keeper = keeper_path.c_str();
const char* const async_epoll = async_epoll_path.c_str();
const char* const async_asio = async_asio_path.c_str();
const char* const leader_election = leader_election_path.c_str();
const char* const lease_process = TENURE_LEASE_PROCESS;
const char* const candidate_process = TENURE_CANDIDATE_PROCESS;
const char* const transaction_process = TENURE_TRANSACTION_PROCESS;
const char* const fenced_writer = TENURE_FENCED_WRITER;
const char* const clock_shim = TENURE_CLOCK_SHIM;

}  // namespace tenure::test::paths
