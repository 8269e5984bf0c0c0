// A session as the text of its key: JSON {"id", "address", "interval_ms", "paused", …}, written by people as well.
// Every way to be wrong has a sentence of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "tenure/session.hpp"

namespace tenure::poll {

inline constexpr std::size_t session_text_max = std::size_t{64} << 10;
inline constexpr std::chrono::milliseconds interval_min{4'000};
inline constexpr std::chrono::milliseconds interval_max{120'000};

// Which addresses can be polled: by HTTP only URLs, by a command or a callback whatever they understand.
enum class Addresses : std::uint8_t { http, any };

// The id is what the key says; the text may repeat it. The error is a sentence.
tl::expected<Session, std::string> read_session(std::string_view id, std::string_view text,
                                                Addresses addresses);

// Why nobody could read this session back, or nothing.
std::optional<std::string> session_error(const Session& session, Addresses addresses);

std::string write_session(const Session& session);
// The same session with other words: fields that we do not know stay as they are. The text must be one that
// read_session takes.
std::string rewrite_session(std::string_view text, const Session& session);

}  // namespace tenure::poll
