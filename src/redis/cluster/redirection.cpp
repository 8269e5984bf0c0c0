#include "redis/cluster/redirection.hpp"

#include <algorithm>
#include <utility>

#include "core/base/number.hpp"
#include "redis/cluster/node_place.hpp"

namespace tenure::redis {

namespace {

// The text up to the next space, which is taken away with it.
std::string_view next_word(std::string_view& text) {
  const auto end = std::min(text.find(' '), text.size());
  const auto word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

// What a script of ours met after it had begun to write is no redirection: Redis says so in other words, and adds where.
bool raised_in_script(std::string_view text) { return text.find(" script: ") != std::string_view::npos; }

// "3999 127.0.0.1:6381", and nothing behind it.
std::optional<Redirection> read_target(Redirection::Kind kind, std::string_view rest) {
  const auto slot = core::read_number<Slot>(next_word(rest));
  const auto place = next_word(rest);
  const auto colon = place.rfind(':');
  if (!slot || *slot >= slots || colon == std::string_view::npos || !rest.empty()) return std::nullopt;
  const auto port = core::read_number<std::uint16_t>(place.substr(colon + 1));
  auto host = read_node_host(place.substr(0, colon));
  if (!port || *port == 0 || !host) return std::nullopt;
  return Redirection{kind, *slot, {std::move(*host), *port}};
}

}  // namespace

std::optional<Redirection> read_redirection(const Value& answer) {
  using Kind = Redirection::Kind;
  if (answer.kind != Value::Kind::error) return std::nullopt;
  std::string_view rest = answer.text;
  const auto word = next_word(rest);
  if (word == "MOVED") return read_target(Kind::moved, rest);
  if (word == "ASK") return read_target(Kind::ask, rest);
  if (raised_in_script(rest)) return std::nullopt;
  if (word == "TRYAGAIN") return Redirection{.kind = Kind::try_again};
  if (word == "CLUSTERDOWN") return Redirection{.kind = Kind::down};
  return std::nullopt;
}

}  // namespace tenure::redis
