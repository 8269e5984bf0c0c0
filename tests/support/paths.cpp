#include "support/paths.hpp"

namespace tenure::test::paths {

const char* const source_dir = TENURE_SOURCE_DIR;
const char* const program = TENURE_PROGRAM;
const char* const keeper = TENURE_EXAMPLE_KEEPER;
const char* const leader_election = TENURE_EXAMPLE_ELECTION;
const char* const lease_process = TENURE_LEASE_PROCESS;
const char* const candidate_process = TENURE_CANDIDATE_PROCESS;
const char* const fenced_writer = TENURE_FENCED_WRITER;
const char* const clock_shim = TENURE_CLOCK_SHIM;

}  // namespace tenure::test::paths
