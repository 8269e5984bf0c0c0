#include "faults/chances.hpp"

#include <algorithm>

namespace tenure::faults {

namespace {

using namespace std::chrono_literals;

const Chances redis{
    .node =
        {
            step_back,
            step_forward,
            {Kind::kill_node, 5, 0ms, 3s},
            {Kind::stop_node, 4, 500ms, 5s},
            {Kind::cut_node, 2, 1s, 5s},
            {Kind::wipe, 3, 0ms, 0ms},
            {Kind::wipe_two, 3, 0ms, 0ms},
            {Kind::remove_lease, 5, 0ms, 0ms},
            {Kind::fill, 3, 1s, 5s},
            {Kind::forget_scripts, 4, 0ms, 0ms},
            {Kind::block, 2, 2s, 6s},
        },
    .data =
        {
            {Kind::stop_node, 2, 500ms, 5s},
            {Kind::forget_scripts, 1, 0ms, 0ms},
        },
    .alone = {},  // it loses its data when it is killed
    .client =
        {
            {Kind::stop_client, 10, 1s, 6s},
            {Kind::stop_supervisor, 12, 2s, 6s},
            {Kind::cut_client, 5, 1s, 8s},
            {Kind::lose_answers, 4, 500ms, 5s},
            {Kind::lose_requests, 4, 500ms, 5s},
            {Kind::hold, 5, 500ms, 7s},
            {Kind::replay, 6, 0ms, 0ms},
            {Kind::delay, 4, 1s, 6s},
            {Kind::split, 3, 1s, 5s},
            {Kind::kill_client, 4, 0ms, 3s},
            {Kind::kill_supervisor, 4, 0ms, 3s},
            {Kind::end_client, 3, 0ms, 2s},
        },
};

// The clock of PostgreSQL is not set. A request cannot come once more on another connection: it belongs to a session.
std::vector<Chance> without_replay(std::vector<Chance> chances) {
  std::erase_if(chances, [](const Chance& it) { return it.kind == Kind::replay; });
  return chances;
}

const Chances postgresql{
    .node =
        {
            {Kind::kill_node, 5, 0ms, 3s},
            {Kind::stop_node, 4, 500ms, 5s},
            {Kind::cut_node, 2, 1s, 5s},
            {Kind::wipe, 3, 0ms, 0ms},
            {Kind::wipe_two, 3, 0ms, 0ms},
            {Kind::remove_lease, 5, 0ms, 0ms},
            {Kind::lock_rows, 5, 500ms, 6s},
            {Kind::read_only, 3, 1s, 5s},
            {Kind::end_sessions, 4, 0ms, 0ms},
            {Kind::crash_session, 3, 0ms, 0ms},
        },
    // It is durable, so that to kill it costs nothing either.
    .data =
        {
            {Kind::kill_node, 1, 0ms, 3s},
            {Kind::stop_node, 2, 500ms, 5s},
            {Kind::end_sessions, 1, 0ms, 0ms},
            {Kind::crash_session, 1, 0ms, 0ms},
        },
    .alone =
        {
            {Kind::kill_node, 3, 0ms, 2s},
            {Kind::stop_node, 3, 500ms, 4s},
            {Kind::cut_node, 1, 1s, 4s},
            {Kind::lock_rows, 5, 500ms, 4s},
            {Kind::read_only, 2, 500ms, 3s},
            {Kind::end_sessions, 3, 0ms, 0ms},
            {Kind::crash_session, 3, 0ms, 0ms},
        },
    .client = without_replay(redis.client),
};

}  // namespace

const Chances& chances_of(Store store) { return store == Store::redis ? redis : postgresql; }

}  // namespace tenure::faults
