#include "consul/transaction.hpp"

#include <algorithm>

#include "consul/base64.hpp"
#include "consul/json_fields.hpp"
#include "consul/keys.hpp"

namespace tenure::consul {

namespace {

namespace json = poll::json;

// It says what it was asked to do, and is not what Consul says of that.
const core::Failure strange{core::Applied::perhaps, core::FailureCode::protocol,
                            "the server answered something that is no answer of Consul"};

std::optional<Entry> read_entry(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  const auto key = text_in(*object, "Key");
  const auto modified = number_in(*object, "ModifyIndex");
  if (!key || !modified) return std::nullopt;
  auto bytes = from_base64(text_in(*object, "Value").value_or(""));
  if (!bytes) return std::nullopt;
  return Entry{*key, std::move(*bytes), number_in(*object, "Flags").value_or(0),
               text_in(*object, "Session").value_or(""), *modified};
}

}  // namespace

Transaction& Transaction::begin(std::string_view verb, std::string_view key) {
  if (size_ == 0) json_.open_array();
  size_ += 1;
  json_.open_object().key("KV").open_object();
  json_.key("Verb").text(verb).key("Key").text(key);
  return *this;
}

Transaction& Transaction::end() {
  json_.close_object().close_object();
  return *this;
}

Transaction& Transaction::check_index(std::string_view key, Index index) {
  begin("check-index", key).json_.key("Index").number(index);
  return end();
}

Transaction& Transaction::check_same(std::string_view key, Index index, std::string_view session) {
  check_index(key, index);
  if (session.empty()) return *this;
  begin("check-session", key).json_.key("Session").text(session);
  return end();
}

Transaction& Transaction::set(std::string_view key, std::string_view value) {
  begin("set", key).json_.key("Value").text(base64(value));
  return end();
}

Transaction& Transaction::lock(std::string_view key, std::string_view value, std::string_view session) {
  begin("lock", key).json_.key("Value").text(base64(value));
  json_.key("Flags").number(lock_flags).key("Session").text(session);
  return end();
}

std::string Transaction::text() const {
  poll::Json json = json_;
  if (size_ == 0) json.open_array();
  return json.close_array().written();
}

const Entry* TransactionAnswer::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Entry::key);
  return found == entries.end() ? nullptr : &*found;
}

const Entry* TransactionAnswer::find_last(std::string_view key) const {
  const auto found =
      std::find_if(entries.rbegin(), entries.rend(), [&](const Entry& it) { return it.key == key; });
  return found == entries.rend() ? nullptr : &*found;
}

tl::expected<TransactionAnswer, core::Failure> read_answer(std::string_view body) {
  const auto value = poll::read_json(body);
  const auto* object = value ? value->if_object() : nullptr;
  if (object == nullptr) return tl::unexpected(strange);
  const auto* results = object->if_contains("Results");
  const auto* errors = object->if_contains("Errors");
  if (results == nullptr || errors == nullptr) return tl::unexpected(strange);
  TransactionAnswer answer;
  if (const auto* all = errors->if_array()) {
    for (const json::value& it : *all) {
      const auto* error = it.if_object();
      const auto operation = error != nullptr ? number_in(*error, "OpIndex") : std::nullopt;
      if (!operation) return tl::unexpected(strange);
      answer.refused.push_back({static_cast<std::size_t>(*operation), text_in(*error, "What").value_or("")});
    }
  }
  if (const auto* all = results->if_array()) {
    for (const json::value& it : *all) {
      const auto* result = it.if_object();
      const auto* entry = result != nullptr ? result->if_contains("KV") : nullptr;
      auto read = entry != nullptr ? read_entry(*entry) : std::nullopt;
      if (!read) return tl::unexpected(strange);
      answer.entries.push_back(std::move(*read));
    }
  }
  return answer;
}

tl::expected<std::optional<Entry>, core::Failure> read_entry(std::string_view body) {
  const auto value = poll::read_json(body);
  const auto* all = value ? value->if_array() : nullptr;
  if (all == nullptr || all->size() > 1) return tl::unexpected(strange);
  if (all->empty()) return std::nullopt;
  auto entry = read_entry(all->front());
  if (!entry) return tl::unexpected(strange);
  return entry;
}

}  // namespace tenure::consul
