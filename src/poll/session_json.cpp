#include "poll/session_json.hpp"

#include <curl/curl.h>

#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "core/base/check.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"
#include "poll/json_text.hpp"

namespace tenure::poll {

namespace {

using core::printable;
using std::chrono::milliseconds;
using Error = std::optional<std::string>;

constexpr std::size_t address_length_max = 4096;

tl::unexpected<std::string> refuse(std::string why) { return tl::unexpected(std::move(why)); }

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// As it will be read by what polls it.
Error url_error(const std::string& address) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), &curl_url_cleanup);
  if (!url) throw std::bad_alloc();
  const CURLUcode code = curl_url_set(url.get(), CURLUPART_URL, address.c_str(), 0);
  if (code == CURLUE_OUT_OF_MEMORY) throw std::bad_alloc();
  char* port = nullptr;
  const bool has_port = code == CURLUE_OK && curl_url_get(url.get(), CURLUPART_PORT, &port, 0) == CURLUE_OK;
  const bool is_zero = has_port && std::string_view(port).find_first_not_of('0') == std::string_view::npos;
  curl_free(port);
  if (code == CURLUE_BAD_PORT_NUMBER || is_zero) return "the port in the address is not between 1 and 65535";
  if (code == CURLUE_BAD_IPV6)
    return "the IPv6 address in the address is not valid, or its closing bracket is missing";
  if (code != CURLUE_OK) return std::string("the address is no URL: ") + curl_url_strerror(code);
  return std::nullopt;
}

Error http_error(std::string_view address) {
  // Not quoted: it may have a password in it.
  const auto mark = address.find("://");
  const std::string scheme = lowered(address.substr(0, mark == std::string_view::npos ? 0 : mark));
  if (scheme != "http" && scheme != "https") return "the address does not begin with http:// or https://";
  const auto host = address.substr(mark + 3);
  if (host.empty() || std::string_view("/?#:").find(host.front()) != std::string_view::npos) {
    return "the address names no host";
  }
  if (address.find(' ') != std::string_view::npos) return "the address has a space in it";
  return url_error(std::string(address));
}

Error address_error(std::string_view address, Addresses addresses) {
  if (address.empty()) return "the address is empty";
  if (address.size() > address_length_max) {
    return "the address has " + std::to_string(address.size()) + " bytes; the most is " +
           std::to_string(address_length_max);
  }
  for (std::size_t at = 0; at < address.size();) {
    const std::size_t length = core::utf8_length(address.substr(at));
    if (length == 0) return "the address is not valid UTF-8 at byte " + std::to_string(at + 1);
    if (core::is_control(address.substr(at, length))) {
      return "the address has a control character at byte " + std::to_string(at + 1);
    }
    at += length;
  }
  return addresses == Addresses::http ? http_error(address) : std::nullopt;
}

Error interval_error(milliseconds interval) {
  if (interval >= interval_min && interval <= interval_max) return std::nullopt;
  return "an interval of " + core::to_text(interval) + " is not between " + core::to_text(interval_min) +
         " and " + core::to_text(interval_max);
}

// Out of range it may have any size: what counts is what the number says.
tl::expected<milliseconds, std::string> read_interval(const json::value& value) {
  if (value.is_int64() || value.is_uint64() || value.is_double()) {
    const auto number = value.to_number<double>();
    if (number != std::floor(number)) return refuse("interval_ms is not a whole number");
    if (number < static_cast<double>(interval_min.count()) ||
        number > static_cast<double>(interval_max.count())) {
      return refuse("interval_ms is " + printable(json::serialize(value), 40) + ", not between " +
                    std::to_string(interval_min.count()) + " and " + std::to_string(interval_max.count()));
    }
    return milliseconds(static_cast<std::int64_t>(number));
  }
  return refuse("interval_ms is not a number");
}

tl::expected<Session, std::string> read_object(std::string_view id, const json::object& object) {
  Session session;
  session.id = id;
  if (const auto* said = object.if_contains("id")) {
    if (!said->is_string()) return refuse("its id is not a string");
    if (std::string_view(said->get_string()) != id) {
      return refuse("its id is \"" + printable(std::string_view(said->get_string()), 100) +
                    "\", and its key says \"" + printable(id, 100) + "\"");
    }
  }
  const auto* address = object.if_contains("address");
  if (address == nullptr) return refuse("it has no address");
  if (!address->is_string()) return refuse("its address is not a string");
  session.address = std::string_view(address->get_string());
  if (const auto* interval = object.if_contains("interval_ms")) {
    const auto read = read_interval(*interval);
    if (!read) return refuse(read.error());
    session.interval = *read;
  }
  if (const auto* paused = object.if_contains("paused")) {
    if (!paused->is_bool()) return refuse("paused is neither true nor false");
    session.paused = paused->get_bool();
  }
  return session;
}

void set(json::object& object, const Session& session) {
  object["address"] = session.address;
  object["interval_ms"] = session.interval.count();
  object["paused"] = session.paused;
}

}  // namespace

Error session_error(const Session& session, Addresses addresses) {
  if (auto error = core::name_error("the session id", session.id)) return error;
  if (auto error = address_error(session.address, addresses)) return error;
  return interval_error(session.interval);
}

tl::expected<Session, std::string> read_session(std::string_view id, std::string_view text,
                                                Addresses addresses) {
  if (text.size() > session_text_max) {
    return refuse("its text is longer than " + std::to_string(session_text_max >> 10U) + " KiB");
  }
  const auto value = read_json(text);
  if (!value) return refuse("its text is not JSON: " + value.error());
  if (!value->is_object()) return refuse("its text is JSON, but not an object");
  auto session = read_object(id, value->get_object());
  if (!session) return session;
  if (auto error = session_error(*session, addresses)) return refuse(std::move(*error));
  return session;
}

std::string write_session(const Session& session) {
  json::object object;
  object["id"] = session.id;
  set(object, session);
  return json::serialize(object);
}

std::string rewrite_session(std::string_view text, const Session& session) {
  auto value = read_json(text);
  core::must(value && value->is_object(), "a session that is rewritten could be read");
  set(value->get_object(), session);
  return json::serialize(*value);
}

}  // namespace tenure::poll
