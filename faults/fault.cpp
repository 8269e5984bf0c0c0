#include "faults/fault.hpp"

#include <array>

namespace tenure::faults {

namespace {

struct Words {
  std::string_view name;
  std::string_view number;
};

constexpr std::array<Words, kinds> words{{
    {"kill node", "F1 F2"},
    {"stop node", "F3"},
    {"cut node off", ""},
    {"clock back", "F8"},
    {"clock forward", "F8"},
    {"wipe node", "F9"},
    {"wipe two nodes", "F14"},
    {"delete a lease", "F9"},
    {"fill node", "F11"},
    {"forget scripts", "F12"},
    {"block node", "F13"},
    {"lock rows", "F13"},
    {"read only", "F15"},
    {"end sessions", ""},
    {"crash session", "F1"},
    {"stop client", "F4"},
    {"stop supervisor", "F5"},
    {"cut client off", "F6"},
    {"lose answers", "F7"},
    {"lose requests", "F7"},
    {"hold and release", "F7"},
    {"replay", "F7"},
    {"delay", "F7"},
    {"single bytes", "F7"},
    {"kill client", "F16"},
    {"kill supervisor", "F16"},
    {"end client", "F16"},
}};

}  // namespace

std::string_view name(Kind kind) { return words.at(static_cast<std::size_t>(kind)).name; }
std::string_view number(Kind kind) { return words.at(static_cast<std::size_t>(kind)).number; }
bool is_of_node(Kind kind) { return kind <= Kind::crash_session; }

}  // namespace tenure::faults
