// Where the source tree is, and the programs that tests start. Only paths.cpp is compiled with these paths, so that every
// other object is the same in whichever folder the tree lies, and a compiler cache can serve all clones.
#pragma once

namespace tenure::test::paths {

extern const char* const source_dir;
extern const char* const program;        // tenure itself
extern const char* const fleet_program;  // what it becomes for the commands of fleets
extern const char* const keeper;         // examples
extern const char* const async_epoll;
extern const char* const async_asio;
extern const char* const leader_election;
extern const char* const lease_process;
extern const char* const candidate_process;
extern const char* const transaction_process;
extern const char* const fenced_writer;
extern const char* const clock_shim;

}  // namespace tenure::test::paths
