#include "cli/lock_look.hpp"

#include <map>
#include <span>

#include "cli/ask_all.hpp"
#include "runtime/scan.hpp"

namespace tenure::cli {

namespace {

using core::Failure;
using ByKey = std::map<std::string, core::Sight>;

constexpr std::size_t keys_per_call = 500;

// Only those that are there.
tl::expected<void, Failure> look(runtime::Caller& redis, std::span<const std::string> keys,
                                 const redis::Keyspace& keyspace, ByKey& found) {
  const core::LookRequest request{{keys.begin(), keys.end()}};
  const auto answer = redis.call(redis::script_call(request, keyspace, "", redis::CallBy::body));
  if (!answer) return tl::unexpected(answer.error());
  auto reply = redis::script_reply(request, *answer);
  auto* sights = std::get_if<core::Sights>(&reply);
  if (sights == nullptr) return tl::unexpected(std::get<Failure>(reply));
  for (std::size_t i = 0; i < keys.size(); ++i) found[keys[i]] = std::move((*sights)[i]);
  return {};
}

tl::expected<void, Failure> look_at(runtime::Caller& redis, const std::vector<std::string>& keys,
                                    const redis::Keyspace& keyspace, ByKey& found) {
  for (std::size_t from = 0; from < keys.size(); from += keys_per_call) {
    const auto some = std::span(keys).subspan(from, std::min(keys_per_call, keys.size() - from));
    if (auto looked = look(redis, some, keyspace, found); !looked) return looked;
  }
  return {};
}

tl::expected<ByKey, Failure> scan(runtime::Caller& redis, const std::string& prefix,
                                  const redis::Keyspace& keyspace) {
  ByKey found;
  const auto take = [&](std::vector<std::string> keys) {
    std::erase_if(keys, [&](const std::string& key) { return keyspace.owns(key); });
    return look_at(redis, keys, keyspace, found);
  };
  if (auto scanned = runtime::scan_keys(redis, prefix, take); !scanned) {
    return tl::unexpected(scanned.error());
  }
  std::erase_if(found, [](const auto& it) { return !it.second.exists(); });  // expired since
  return found;
}

using Answers = std::vector<tl::expected<ByKey, Failure>>;

// What each node shows for that key.
Sights sights_of(const Answers& answers, const std::string& key) {
  Sights sights;
  for (const auto& answer : answers) {
    if (!answer) {
      sights.emplace_back();
      continue;
    }
    const auto found = answer->find(key);
    sights.emplace_back(found == answer->end() ? core::Sight{} : found->second);
  }
  return sights;
}

}  // namespace

Looked look_at_all_locks(const Nodes& nodes, const std::string& key_prefix) {
  const auto answers = ask_all<ByKey>(
      nodes, [&](runtime::Caller& redis, std::size_t) { return scan(redis, key_prefix, nodes.keyspace); });
  ByKey all;
  for (const auto& answer : answers) {
    if (answer) all.insert(answer->begin(), answer->end());
  }
  Looked looked{{}, failures_in(answers)};
  for (const auto& [key, sight] : all) {
    looked.locks.push_back(view_of(key.substr(key_prefix.size()), sights_of(answers, key)));
  }
  return looked;
}

Looked look_at_locks(const Nodes& nodes, const std::string& key_prefix,
                     const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const auto& name : names) keys.push_back(key_prefix + name);
  const auto answers = ask_all<ByKey>(nodes, [&](runtime::Caller& redis, std::size_t) {
    ByKey found;
    const auto looked = look_at(redis, keys, nodes.keyspace, found);
    return looked ? tl::expected<ByKey, Failure>(std::move(found)) : tl::unexpected(looked.error());
  });
  Looked looked{{}, failures_in(answers)};
  for (std::size_t i = 0; i < names.size(); ++i) {
    looked.locks.push_back(view_of(names[i], sights_of(answers, keys[i])));
  }
  return looked;
}

Looked look_at_lock(const Nodes& nodes, const std::string& key_prefix, const std::string& name) {
  return look_at_locks(nodes, key_prefix, {name});
}

}  // namespace tenure::cli
