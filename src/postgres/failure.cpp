#include "postgres/failure.hpp"

#include <array>
#include <string>

#include "core/base/number.hpp"
#include "core/base/text.hpp"
#include "postgres/schema.hpp"

namespace tenure::postgres {

namespace {

using core::Applied;
using core::Failure;
using core::FailureCode;

struct Known {
  std::string_view state;  // or what it begins with
  FailureCode code;
  std::string_view advice;
};

constexpr std::array known{
    Known{"28", FailureCode::auth, "the server refuses user or password"},
    Known{"3D000", FailureCode::auth, "the server has no such database"},
    Known{"42501", FailureCode::no_permission, "the user lacks a right that leases need"},
    Known{"3F000", FailureCode::not_set_up, "the schema tenure is not there: tenure init makes it"},
    Known{"42883", FailureCode::not_set_up,
          "the schema tenure is not there, or of another version: tenure init makes and upgrades it"},
    Known{"42P01", FailureCode::not_set_up, "the schema tenure is not whole: tenure init makes it"},
    Known{"25006", FailureCode::read_only, "the server takes no writes: name the primary instead"},
    Known{"55000", FailureCode::read_only, "the server is a standby, or not ready: name the primary instead"},
    Known{"57P03", FailureCode::starting, "the server is starting or stopping"},
    Known{"57P01", FailureCode::closed, "an administrator ended the connection"},
    Known{"57P02", FailureCode::closed, "the server restarts after a crash"},
    Known{"57P04", FailureCode::closed, "the database was dropped"},
    Known{"57P05", FailureCode::closed, "the server ended an idle connection"},
    Known{"26000", FailureCode::closed, "the server could not prepare a statement, and is asked anew"},
    Known{"53100", FailureCode::full, "the server's disk is full"},
    Known{"53200", FailureCode::full, "the server is out of memory"},
    Known{"53300", FailureCode::full, "the server has no connection left (its max_connections)"},
    Known{"53400", FailureCode::full, "a limit of the server's configuration is reached"},
    Known{"55P03", FailureCode::busy, "somebody's transaction has locked what is needed"},
    Known{"57014", FailureCode::busy,
          "the server ended the statement (its statement_timeout, or an administrator)"},
    Known{"40", FailureCode::busy, "another transaction was in the way"},
    Known{"22021", FailureCode::server, "the text is not UTF-8, which every text must be"},
    Known{"22P05", FailureCode::server, "the database cannot store these characters: it is not in UTF-8"},
    Known{"58", FailureCode::not_durable, "the server cannot read or write its files"},
    Known{"XX", FailureCode::not_durable, "the server is in trouble with its own data"},
    Known{"P0", FailureCode::server, "a trigger or function that somebody added there refuses"},
};

const Known* find(std::string_view state) {
  for (const Known& it : known) {
    if (state.starts_with(it.state)) return &it;
  }
  return nullptr;
}

std::string other_version(std::string_view message) {
  const auto theirs = core::read_number<int>(message);
  return "the schema tenure there is of version " + core::printable(message, 20) +
         ", and this program needs version " + std::to_string(schema_version) +
         (theirs && *theirs < schema_version ? ": tenure init upgrades it, as the role that owns it"
                                             : ": use a newer tenure");
}

// The words behind "FATAL:  28P01: " and before the end of the line.
std::string_view without_place(std::string_view message) {
  if (const auto end = message.find('\n'); end != std::string_view::npos) message = message.substr(0, end);
  return message;
}

}  // namespace

Failure classify(std::string_view sqlstate, std::string_view message) {
  if (sqlstate == "TN001") return {Applied::no, FailureCode::not_set_up, other_version(message)};
  const std::string said = core::printable(without_place(message));
  // The connection ends with these, and nobody knows whether the transaction was committed before.
  const Applied applied =
      sqlstate.starts_with("57P") || sqlstate == "40003" || sqlstate.starts_with("08") || sqlstate.empty()
          ? Applied::perhaps
          : Applied::no;
  if (const Known* it = find(sqlstate)) return {applied, it->code, std::string(it->advice) + ": " + said};
  return {applied, FailureCode::server,
          "the server said: " + said + " (" + core::printable(sqlstate, 5) + ")"};
}

Failure classify_connecting(std::string_view message) {
  const std::string said = core::printable(without_place(message));
  // In whatever language: ":  28P01: ".
  for (auto at = message.find(":  "); at != std::string_view::npos; at = message.find(":  ", at + 1)) {
    const auto state = message.substr(at + 3, 5);
    if (message.substr(at + 8, 2) != ": ") continue;
    if (const Known* it = find(state)) {
      const auto words = core::printable(without_place(message.substr(at + 10)));
      return {Applied::no, it->code, std::string(it->advice) + ": " + words};
    }
  }
  for (const char* word : {"SSL", "certificate"}) {
    const auto at = message.find(word);
    if (at == std::string_view::npos) continue;
    // Of several hosts or addresses each has its line.
    const auto line = message.rfind('\n', at);
    if (line != std::string_view::npos) message.remove_prefix(line + 1);
    return {Applied::no, FailureCode::tls, core::printable(without_place(message))};
  }
  if (message.find("no password supplied") != std::string_view::npos) {
    return {Applied::no, FailureCode::auth, "the server wants a password: " + said};
  }
  return {Applied::no, FailureCode::unreachable, said};
}

}  // namespace tenure::postgres
