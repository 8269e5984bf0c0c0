// What people write as a session: it is read or refused with a sentence, and what was read is written so that it can
// be read again. The first line is the id.
#include "core/base/check.hpp"
#include "core/base/names.hpp"
#include "fuzz/target.hpp"
#include "fuzz/values.hpp"
#include "poll/fleet_json.hpp"
#include "poll/session_json.hpp"

namespace tenure::fuzz {

namespace {

using core::must;
using poll::Addresses;

void expect_sentence(const std::string& why) {
  must(!why.empty(), "a refusal says why");
  for (std::size_t at = 0; at < why.size();) {
    const auto length = core::utf8_length(std::string_view(why).substr(at));
    must(length > 0, "a refusal is valid UTF-8");
    must(!core::is_control(std::string_view(why).substr(at, length)), "a refusal drives no terminal");
    at += length;
  }
}

void expect_read_back(const Session& session, std::string_view text, Addresses addresses) {
  must(!poll::session_error(session, addresses), "what is read is right");
  must(poll::read_session(session.id, poll::write_session(session), addresses) == session,
       "what is written is read back");
  must(poll::read_session(session.id, poll::rewrite_session(text, session), addresses) == session,
       "what is rewritten is read back");
  Session other = session;
  other.paused = !session.paused;
  must(poll::read_session(session.id, poll::rewrite_session(text, other), addresses) == other,
       "a session is paused and nothing else");
}

}  // namespace

void try_input(std::string_view input) {
  poll::read_instance(input);
  poll::read_result(input);
  const auto id = next_line(input).value_or("");
  for (const auto addresses : {Addresses::http, Addresses::any}) {
    const auto session = poll::read_session(id, input, addresses);
    if (session) {
      expect_read_back(*session, input, addresses);
    } else {
      expect_sentence(session.error());
    }
  }
}

}  // namespace tenure::fuzz
