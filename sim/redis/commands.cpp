#include "sim/redis/commands.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <system_error>

#include "sim/redis/collection_commands.hpp"
#include "sim/redis/typed_value.hpp"

namespace tenure::sim {

namespace {

void reply_text(const CommandCall& call, const Keyspace::Entry* entry) {
  if (entry == nullptr) {
    call.reply.nil();
  } else if (const auto* text = entry->as<std::string>()) {
    call.reply.string(*text);
  } else {
    call.reply.error(wrong_type);
  }
}

void get(const CommandCall& call) { reply_text(call, find(call)); }

void mget(const CommandCall& call) {
  const auto keys = call.args.subspan(1);
  call.reply.array(keys.size());
  for (const std::string_view key : keys) {
    const Keyspace::Entry* entry = call.server.data.find(key, call.now);
    const auto* text = entry != nullptr ? entry->as<std::string>() : nullptr;
    if (text != nullptr) {
      call.reply.string(*text);
    } else {
      call.reply.nil();
    }
  }
}

struct SetOptions {
  bool only_absent = false;
  bool only_present = false;
  bool give_old = false;
  bool keep_ttl = false;
  std::optional<std::string_view> ttl;
};

std::optional<SetOptions> read_set_options(std::span<const std::string_view> words) {
  SetOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (same_word(words[i], "nx") && !options.only_present) {
      options.only_absent = true;
    } else if (same_word(words[i], "xx") && !options.only_absent) {
      options.only_present = true;
    } else if (same_word(words[i], "get")) {
      options.give_old = true;
    } else if (same_word(words[i], "keepttl") && !options.ttl) {
      options.keep_ttl = true;
    } else if (same_word(words[i], "px") && !options.keep_ttl && i + 1 < words.size()) {
      options.ttl = words[++i];
    } else {
      return std::nullopt;
    }
  }
  return options;
}

void set(const CommandCall& call) {
  const auto options = read_set_options(call.args.subspan(3));
  if (!options) return call.reply.error(syntax_error);

  std::optional<std::int64_t> expiry_ms;
  if (options->ttl) {
    const auto ttl = read_integer(*options->ttl);
    if (!ttl) return call.reply.error(not_an_integer);
    if (*ttl <= 0 || *ttl > integer_max - call.now.ms()) {
      return call.reply.error("ERR invalid expire time in 'set' command");
    }
    expiry_ms = call.now.ms() + *ttl;
  }

  Keyspace::Entry* entry = find(call);
  const bool refused =
      (options->only_absent && entry != nullptr) || (options->only_present && entry == nullptr);
  if (options->give_old) {
    reply_text(call, entry);
    if (entry != nullptr && entry->as<std::string>() == nullptr) return;
  } else if (refused) {
    call.reply.nil();
  } else {
    call.reply.status("OK");
  }
  if (refused) return;

  if (entry == nullptr) entry = &call.server.data.put(call.args[1]);
  if (auto* text = entry->as<std::string>()) {
    text->assign(call.args[2]);
  } else {
    entry->value.emplace<std::string>(call.args[2]);
  }
  if (!options->keep_ttl) entry->expiry_ms = expiry_ms;
}

void incr(const CommandCall& call) {
  auto [text, answered] = find_typed<std::string>(call);
  if (answered) return;
  std::int64_t number = 0;
  if (text != nullptr) {
    const auto found = read_integer(*text);
    if (!found) return call.reply.error(not_an_integer);
    if (*found == integer_max) return call.reply.error("ERR increment or decrement would overflow");
    number = *found;
  } else {
    text = find_or_make<std::string>(call);
  }
  number += 1;
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text->assign(digits.data(), end);
  call.reply.integer(number);
}

void del(const CommandCall& call) {
  std::int64_t deleted = 0;
  for (const std::string_view key : call.args.subspan(1))
    deleted += call.server.data.erase(key, call.now) ? 1 : 0;
  call.reply.integer(deleted);
}

void exists(const CommandCall& call) {
  const auto keys = call.args.subspan(1);
  call.reply.integer(std::count_if(keys.begin(), keys.end(), [&](std::string_view key) {
    return call.server.data.find(key, call.now) != nullptr;
  }));
}

void pexpire(const CommandCall& call) {
  if (call.args.size() > 3) return call.reply.error("ERR Unsupported option " + std::string(call.args[3]));
  const auto ttl = read_integer(call.args[2]);
  if (!ttl) return call.reply.error(not_an_integer);
  if (*ttl > integer_max - call.now.ms()) {
    return call.reply.error("ERR invalid expire time in 'pexpire' command");
  }
  Keyspace::Entry* entry = find(call);
  if (entry == nullptr) return call.reply.integer(0);
  if (*ttl <= 0) {
    call.server.data.erase(call.args[1], call.now);
  } else {
    entry->expiry_ms = call.now.ms() + *ttl;
  }
  call.reply.integer(1);
}

void pttl(const CommandCall& call) {
  const Keyspace::Entry* entry = find(call);
  if (entry == nullptr) return call.reply.integer(-2);
  call.reply.integer(entry->expiry_ms ? *entry->expiry_ms - call.now.ms() : -1);
}

void time(const CommandCall& call) {
  call.reply.array(2);
  call.reply.string(std::to_string(call.now.us / 1'000'000));
  call.reply.string(std::to_string(call.now.us % 1'000'000));
}

// Of each section only the line that tells the life of the server.
void info(const CommandCall& call) {
  const auto sections = call.args.subspan(1);
  const auto wanted = [&](std::string_view name) {
    return sections.empty() || std::any_of(sections.begin(), sections.end(), [&](std::string_view section) {
             return same_word(section, name);
           });
  };
  std::string text;
  if (wanted("server")) text += "# Server\r\nrun_id:" + call.server.run_id + "\r\n";
  if (wanted("replication")) {
    if (!text.empty()) text += "\r\n";
    text += "# Replication\r\nmaster_replid:" + call.server.replid + "\r\n";
  }
  call.reply.string(text);
}

void publish(const CommandCall& call) {
  const Publish& tell = call.server.publish;
  reply_length(call, tell ? tell(call.args[1], call.args[2]) : 0);
}

void type(const CommandCall& call) {
  constexpr std::array<std::string_view, 3> names{"string", "list", "hash"};  // as in the entry's variant
  const Keyspace::Entry* entry = find(call);
  call.reply.status(entry == nullptr ? "none" : names[entry->value.index()]);
}

void flushall(const CommandCall& call) {
  call.server.data.clear();
  call.reply.status("OK");
}

void ping(const CommandCall& call) {
  if (call.args.size() > 2) return call.reply.error("ERR wrong number of arguments for 'ping' command");
  if (call.args.size() == 2) return call.reply.string(call.args[1]);
  call.reply.status("PONG");
}

// The first ones are those of the granted path: they are looked for in this order.
constexpr std::array commands{
    CommandSpec{"get", 2, get},           CommandSpec{"mget", -2, mget},
    CommandSpec{"set", -3, set},          CommandSpec{"incr", 2, incr},
    CommandSpec{"pexpire", -3, pexpire},  CommandSpec{"del", -2, del},
    CommandSpec{"pttl", 2, pttl},         CommandSpec{"lpop", -2, lpop},
    CommandSpec{"lrem", 4, lrem},         CommandSpec{"lpos", -3, lpos},
    CommandSpec{"rpush", -3, rpush},      CommandSpec{"lindex", 3, lindex},
    CommandSpec{"publish", 3, publish},   CommandSpec{"time", 1, time},
    CommandSpec{"info", -1, info},        CommandSpec{"hget", 3, hget},
    CommandSpec{"hset", -4, hset},        CommandSpec{"exists", -2, exists},
    CommandSpec{"type", 2, type},         CommandSpec{"lpush", -3, lpush},
    CommandSpec{"llen", 2, llen},         CommandSpec{"lrange", 4, lrange},
    CommandSpec{"hkeys", 2, hkeys},       CommandSpec{"hdel", -3, hdel},
    CommandSpec{"flushall", 1, flushall}, CommandSpec{"ping", -1, ping},
};

}  // namespace

const CommandSpec* find_command(std::string_view name) {
  for (const CommandSpec& command : commands) {
    if (same_word(name, command.name)) return &command;
  }
  return nullptr;
}

bool same_word(std::string_view word, std::string_view lower_case) {
  if (word.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char letter = word[i];
    const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    if (lower != lower_case[i]) return false;
  }
  return true;
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  if (text == "0") return 0;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (text.size() <= first || text[first] < '1' || text[first] > '9') return std::nullopt;
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace tenure::sim
