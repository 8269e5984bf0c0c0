#include "sim/redis/collection_commands.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "sim/redis/typed_value.hpp"

namespace tenure::sim {

using List = Keyspace::List;
using Hash = Keyspace::Hash;

namespace {

// Where Redis would look for an index: from the end if it is negative.
std::int64_t position(const List& list, std::int64_t index) {
  return index < 0 ? index + static_cast<std::int64_t>(list.size()) : index;
}

template <class Add>
void push(const CommandCall& call, Add add) {
  List* list = find_or_make<List>(call);
  if (list == nullptr) return;
  for (const std::string_view element : call.args.subspan(2)) add(*list, element);
  reply_length(call, list->size());
}

}  // namespace

void lpush(const CommandCall& call) {
  push(call, [](List& list, std::string_view element) { list.emplace_front(element); });
}

void rpush(const CommandCall& call) {
  push(call, [](List& list, std::string_view element) { list.emplace_back(element); });
}

void lpop(const CommandCall& call) {
  if (call.args.size() > 2) return call.reply.error(syntax_error);
  const auto [list, answered] = find_typed<List>(call);
  if (answered) return;
  if (list == nullptr) return call.reply.nil();
  call.reply.string(list->front());
  list->pop_front();
  drop_if_empty(call, *list);
}

void lrem(const CommandCall& call) {
  const auto count = read_integer(call.args[2]);
  if (!count) return call.reply.error(not_an_integer);
  const auto [list, answered] = find_typed<List>(call);
  if (answered) return;
  if (list == nullptr) return call.reply.integer(0);

  // So many from the front, or for a negative number from the back; for 0 all.
  auto left = *count == 0 ? integer_max : std::abs(std::max(*count, -integer_max));
  const auto leaves = [&, element = call.args[3]](const std::string& other) {
    if (left == 0 || other != element) return false;
    left -= 1;
    return true;
  };
  const std::size_t before = list->size();
  if (*count < 0) {
    list->erase(list->begin(), std::remove_if(list->rbegin(), list->rend(), leaves).base());
  } else {
    std::erase_if(*list, leaves);
  }
  reply_length(call, before - list->size());
  drop_if_empty(call, *list);
}

void lpos(const CommandCall& call) {
  if (call.args.size() > 3) return call.reply.error(syntax_error);
  const auto [list, answered] = find_typed<List>(call);
  if (answered) return;
  if (list == nullptr) return call.reply.nil();
  const auto found = std::find(list->begin(), list->end(), call.args[2]);
  if (found == list->end()) return call.reply.nil();
  call.reply.integer(found - list->begin());
}

void lindex(const CommandCall& call) {
  const auto [list, answered] = find_typed<List>(call);
  if (answered) return;
  if (list == nullptr) return call.reply.nil();
  const auto index = read_integer(call.args[2]);
  if (!index) return call.reply.error(not_an_integer);
  const auto place = position(*list, *index);
  if (place < 0 || place >= std::ssize(*list)) return call.reply.nil();
  call.reply.string((*list)[static_cast<std::size_t>(place)]);
}

void llen(const CommandCall& call) {
  const auto [list, answered] = find_typed<List>(call);
  if (!answered) reply_length(call, list != nullptr ? list->size() : 0);
}

void lrange(const CommandCall& call) {
  const auto from = read_integer(call.args[2]);
  const auto to = read_integer(call.args[3]);
  if (!from || !to) return call.reply.error(not_an_integer);
  const auto [list, answered] = find_typed<List>(call);
  if (answered) return;
  if (list == nullptr) return call.reply.array(0);
  const auto first = std::max<std::int64_t>(position(*list, *from), 0);
  const auto last = std::min<std::int64_t>(position(*list, *to), std::ssize(*list) - 1);
  call.reply.array(first <= last ? static_cast<std::size_t>(last - first + 1) : 0);
  for (auto i = first; i <= last; ++i) call.reply.string((*list)[static_cast<std::size_t>(i)]);
}

void hset(const CommandCall& call) {
  if (call.args.size() % 2 != 0) {
    return call.reply.error("ERR wrong number of arguments for 'hset' command");
  }
  Hash* hash = find_or_make<Hash>(call);
  if (hash == nullptr) return;
  const std::size_t before = hash->size();
  for (std::size_t i = 2; i < call.args.size(); i += 2) {
    const auto [field, text] = std::pair(call.args[i], call.args[i + 1]);
    const auto place = hash->lower_bound(field);
    if (place != hash->end() && place->first == field) {
      place->second = text;
    } else {
      hash->emplace_hint(place, field, text);
    }
  }
  reply_length(call, hash->size() - before);
}

void hget(const CommandCall& call) {
  const auto [hash, answered] = find_typed<Hash>(call);
  if (answered) return;
  if (hash == nullptr) return call.reply.nil();
  const auto found = hash->find(call.args[2]);
  if (found == hash->end()) return call.reply.nil();
  call.reply.string(found->second);
}

void hdel(const CommandCall& call) {
  const auto [hash, answered] = find_typed<Hash>(call);
  if (answered) return;
  if (hash == nullptr) return call.reply.integer(0);
  const std::size_t before = hash->size();
  for (const std::string_view field : call.args.subspan(2)) {
    if (const auto found = hash->find(field); found != hash->end()) hash->erase(found);
  }
  reply_length(call, before - hash->size());
  drop_if_empty(call, *hash);
}

// Sorted; a real Redis has them in any order.
void hkeys(const CommandCall& call) {
  const auto [hash, answered] = find_typed<Hash>(call);
  if (answered) return;
  if (hash == nullptr) return call.reply.array(0);
  call.reply.array(hash->size());
  for (const auto& [field, text] : *hash) call.reply.string(field);
}

}  // namespace tenure::sim
