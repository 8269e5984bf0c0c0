#include "redis/session_call.hpp"

namespace tenure::redis {

namespace {

using Kind = Value::Kind;

// Enough for all that is said about a poll beside its body.
constexpr std::size_t result_beginning = 4'096;
// Larger than any that Tenure writes.
constexpr std::size_t result_length_max = 1'048'576;

tl::unexpected<core::Failure> misfit(const std::string& what) {
  return tl::unexpected(core::Failure{core::Applied::perhaps, core::FailureCode::protocol,
                                      "a script's answer does not fit: " + what});
}

Command begin_call(const Script& script, std::size_t keys) {
  return {"EVAL", std::string(script.body), std::to_string(keys)};
}

}  // namespace

Command session_put_call(const SessionKeys& keys, const SessionText& session,
                         const std::optional<std::string>& before) {
  Command command = begin_call(session_put_script, 3);
  for (auto& word :
       {keys.session(session.id), keys.index(), keys.version(), session.id, session.text, keys.changes()}) {
    command.push_back(word);
  }
  if (before) command.push_back(*before);
  return command;
}

tl::expected<Put, core::Failure> session_put(const Value& value) {
  if (value == Value::of(1)) return Put::written;
  if (value == Value::of(0)) return Put::same;
  if (value == Value::of(-1)) return Put::changed;
  return misfit("session_put gives 1, 0 or -1");
}

Command session_remove_call(const SessionKeys& keys, const std::string& id) {
  Command command = begin_call(session_remove_script, 3);
  for (auto& word : {keys.session(id), keys.index(), keys.version(), id, keys.changes()}) {
    command.push_back(word);
  }
  return command;
}

tl::expected<bool, core::Failure> session_removed(const Value& value) {
  if (value == Value::of(1)) return true;
  if (value == Value::of(0)) return false;
  return misfit("session_remove gives 1 or 0");
}

Command session_texts_call(const SessionKeys& keys, std::span<const std::string> ids,
                           std::size_t length_max) {
  Command command = begin_call(session_texts_script, ids.size());
  for (const auto& id : ids) command.push_back(keys.session(id));
  command.push_back(std::to_string(length_max));
  return command;
}

tl::expected<std::vector<FoundText>, core::Failure> session_texts(const Value& value, std::size_t ids) {
  if (value.kind != Kind::array || value.items.size() != ids) return misfit("a text for each session");
  std::vector<FoundText> found;
  found.reserve(ids);
  for (const auto& item : value.items) {
    if (item.kind == Kind::string) {
      found.push_back({FoundText::Kind::text, item.text});
    } else if (item == Value::of(0) || item == Value::of(1)) {
      found.push_back({item.integer == 0 ? FoundText::Kind::absent : FoundText::Kind::no_string, {}});
    } else {
      return misfit("a session is a text, 0 or 1");
    }
  }
  return found;
}

Command results_call(const SessionKeys& keys, std::span<const std::string> ids) {
  Command command = begin_call(results_script, ids.size());
  for (const auto& id : ids) command.push_back(keys.states() + id);
  command.push_back(std::to_string(result_beginning));
  command.push_back(std::to_string(result_length_max));
  return command;
}

tl::expected<std::vector<FoundResult>, core::Failure> results(const Value& value, std::size_t ids) {
  if (value.kind != Kind::array || value.items.size() != ids) return misfit("a result for each session");
  std::vector<FoundResult> found;
  found.reserve(ids);
  for (const auto& [kind, integer, text, items] : value.items) {
    if (kind != Kind::array || items.size() != 3) return misfit("a result is token, by and text");
    found.push_back({items[0].text, items[1].text, items[2].text});
  }
  return found;
}

}  // namespace tenure::redis
