#include "poll/result_text.hpp"

#include <string_view>

#include "core/base/names.hpp"
#include "poll/json.hpp"

namespace tenure::poll {

namespace {

// Never in the middle of a letter.
std::string_view cut(std::string_view text, std::size_t length_max) {
  if (text.size() <= length_max) return text;
  text = text.substr(0, length_max);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; };
  std::size_t last = text.size();
  while (last > 0 && text.size() - last < 4) {
    last -= 1;
    if (!continues(text[last])) return core::utf8_length(text.substr(last)) > 0 ? text : text.substr(0, last);
  }
  return text;
}

}  // namespace

std::string result_text(const PollResult& result, std::size_t body_max) {
  Json json;
  json.open_object();
  json.key("session").text(result.session);
  json.key("instance").text(result.instance);
  json.key("token").number(result.token);
  json.key("at").number(result.at.time_since_epoch().count());
  json.key("took_ms").number(result.took.count());
  json.key("ok").boolean(result.outcome.ok);
  json.key("status").number(result.outcome.status);
  json.key("error").text(result.outcome.error);
  json.key("body").text(cut(result.outcome.body, body_max));
  json.close_object();
  return json.written();
}

}  // namespace tenure::poll
