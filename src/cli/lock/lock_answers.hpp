// What each node has shown, put together to leases. Pure: asks nothing, and does not know what kind of store they are of.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/lock/lock_look.hpp"
#include "redis/script_call.hpp"
#include "runtime/store/answers.hpp"

namespace tenure::cli {

// Only of keys that exist.
using ByKey = std::map<std::string, redis::FoundKey>;
using KeysShown = runtime::Answers<ByKey>;

// What each node shows for that key.
FoundKeys shown_for(const KeysShown& answers, const std::string& key);

// All of them. The keys of all leases begin with the root (Keyspace::root).
AllLeases leases_of_all(const KeysShown& answers, const std::string& root, const std::string& lock_prefix,
                        ShowSessions sessions);

// Of all names that anything is kept for, under keys that begin so.
Looked leases_under(const KeysShown& answers, const std::string& key_prefix);

// Of one name by these keys, in which it may be a lock, an election or a session: the first that is taken is the first; if none
// is, one that only shows leftovers, or the name alone with no kind.
Looked leases_of_name(const KeysShown& answers, const std::vector<std::string>& keys, const std::string& root,
                      const std::string& lock_prefix);

}  // namespace tenure::cli
