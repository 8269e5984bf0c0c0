// A transaction on Consul's keys, as JSON, and its answer: everything in it happens, at one moment, or nothing. One that only
// reads is asked with ?consistent, or an old leader could answer it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "consul/entry.hpp"
#include "core/message.hpp"
#include "poll/json.hpp"

namespace tenure::consul {

class Transaction {
 public:
  // Consul takes so many operations, and no more.
  static constexpr std::size_t operations_max = 64;

  // All keys that begin so: unlike one that asks for a key, this does not fail where there is none.
  Transaction& get(std::string_view key) { return begin("get-tree", key).end(); }
  Transaction& check_present(std::string_view key) { return begin("get", key).end(); }
  Transaction& check_absent(std::string_view key) { return begin("check-not-exists", key).end(); }
  Transaction& check_index(std::string_view key, Index index);
  // That it is as it was when it was seen. Where data was lost numbers begin again, and names of sessions do not.
  Transaction& check_same(std::string_view key, Index index, std::string_view session);
  Transaction& set(std::string_view key, std::string_view value);
  Transaction& remove(std::string_view key) { return begin("delete", key).end(); }
  // All keys that begin so.
  Transaction& remove_all(std::string_view key) { return begin("delete-tree", key).end(); }
  Transaction& lock(std::string_view key, std::string_view value, std::string_view session);

  std::size_t size() const { return size_; }
  std::string text() const;

 private:
  Transaction& begin(std::string_view verb, std::string_view key);
  Transaction& end();

  poll::Json json_{};
  std::size_t size_ = 0;
};

struct TransactionAnswer {
  // Why nothing was done: empty when all was.
  struct Refused {
    std::size_t operation = 0;
    std::string what{};
  };
  std::vector<Refused> refused{};
  // What was read, as it was before, and then what was written, without its value.
  std::vector<Entry> entries{};

  bool done() const { return refused.empty(); }
  // Null: there is none.
  const Entry* find(std::string_view key) const;
  const Entry* find_last(std::string_view key) const;
};

// The answers with the statuses 200 and 409. The failure is one of the protocol.
tl::expected<TransactionAnswer, core::Failure> read_answer(std::string_view body);
// What GET /v1/kv answers with the status 200.
tl::expected<std::optional<Entry>, core::Failure> read_entry(std::string_view body);

}  // namespace tenure::consul
