// tenure sessions add, rm, pause and resume.
#include "cli/fleet/chosen_fleet.hpp"
#include "cli/fleet/sessions.hpp"
#include "cli/message.hpp"
#include "cli/secrets.hpp"
#include "core/base/names.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

using FoundText = FleetData::FoundText;

// What to do with the session as it was found.
struct Wish {
  ExitCode code = ExitCode::done;
  std::string sentence;               // said when it is done, or why it is not
  std::optional<std::string> text{};  // to be written; nothing: it stays as it is
};

Wish refusal(ExitCode code, std::string sentence) { return {code, std::move(sentence), {}}; }

std::string to_text(const Session& session) {
  return without_secrets(core::printable(session.address)) + " every " + core::to_text(session.interval) +
         (session.paused ? ", paused" : "");
}

// One session, changed only as it was seen.
class Desk {
 public:
  Desk(const ChosenFleet& fleet, std::string id) : data_(open_data(fleet)), id_(std::move(id)) {}

  // Somebody else may change it at the same moment: then decide() is asked again.
  template <class Decide>
  int change(const Decide& decide) {
    for (int i = 0; i < tries_max; ++i) {
      const auto found = data_->find(id_);
      if (!found) return fail(ExitCode::no_quorum, found.error());
      if (found->kind == FoundText::Kind::no_session) {
        return fail(ExitCode::exists,
                    data_->sessions_place(id_) + " is not a string: no session of Tenure's");
      }
      const Wish wish = decide(*found);
      if (!wish.text) return fail(wish.code, wish.sentence);
      const auto put = data_->put(id_, *wish.text, *found);
      if (!put) return fail(ExitCode::no_quorum, put.error());
      if (*put) return fail(wish.code, wish.sentence);
    }
    return fail(ExitCode::busy, id_ + " is changed by somebody else all the time; nothing was done");
  }

  int remove() {
    const auto removed = data_->remove(id_);
    if (!removed) return fail(ExitCode::no_quorum, removed.error());
    if (!*removed) return fail(ExitCode::unknown, unknown());
    return fail(ExitCode::done, "removed " + core::printable(id_));
  }

  std::string unknown() const { return "there is no session " + core::printable(id_); }

 private:
  static constexpr int tries_max = 10;

  std::unique_ptr<FleetData> data_;
  std::string id_;
};

Wish decide_add(const FoundText& found, const Session& wished, bool replace) {
  const std::string id = core::printable(wished.id);
  if (found.kind == FoundText::Kind::absent) {
    return {ExitCode::done, "added " + id + ": " + to_text(wished), poll::write_session(wished)};
  }
  const auto there = poll::read_session(wished.id, found.text, poll::Addresses::any);
  if (there && there->address == wished.address && there->interval == wished.interval) {
    // Written again for the index, which does not have it if it was made without this command.
    return {ExitCode::done, id + " is there already: " + to_text(*there), found.text};
  }
  // Seen only in part, it cannot be replaced as it was seen.
  const bool cut = found.text.size() > poll::session_text_max;
  if (cut)
    return refusal(ExitCode::exists, id + " is there already, and bad: " + there.error() + "; rm it first");
  if (!replace) {
    const std::string what = there ? to_text(*there) : "bad, " + there.error();
    return refusal(ExitCode::exists, id + " is there already: " + what + "; --replace changes it");
  }
  Session replaced = wished;
  if (there) replaced.paused = there->paused;
  return {ExitCode::done, "replaced " + id + ": " + to_text(replaced),
          there ? poll::rewrite_session(found.text, replaced) : poll::write_session(replaced)};
}

Wish decide_pause(const FoundText& found, const std::string& name, bool paused) {
  const std::string id = core::printable(name);
  const std::string word = paused ? "paused" : "resumed";
  auto session = poll::read_session(name, found.text, poll::Addresses::any);
  if (!session) {
    return refusal(ExitCode::unknown, id + " is a bad session, and is not polled: " + session.error());
  }
  if (session->paused == paused) {
    return {ExitCode::done, id + (paused ? " is paused already" : " is not paused"), found.text};
  }
  session->paused = paused;
  return {ExitCode::done, word + " " + id, poll::rewrite_session(found.text, *session)};
}

}  // namespace

int sessions_add(const SessionsAddArgs& args) {
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  Session wished{.id = args.id, .address = args.address};
  if (args.every) wished.interval = std::chrono::ceil<std::chrono::milliseconds>(*args.every);
  if (const auto error = poll::session_error(wished, fleet->addresses)) return fail(ExitCode::usage, *error);
  return Desk(*fleet, args.id).change([&](const FoundText& found) {
    return decide_add(found, wished, args.replace);
  });
}

int sessions_change(const SessionsChangeArgs& args) {
  using What = SessionsChangeArgs::What;
  auto fleet = choose_fleet(args.target);
  if (!fleet) return fail(ExitCode::usage, fleet.error());
  if (const auto error = core::name_error("the session id", args.id)) return fail(ExitCode::usage, *error);
  Desk desk(*fleet, args.id);
  if (args.what == What::remove) return desk.remove();
  return desk.change([&](const FoundText& found) {
    if (found.kind == FoundText::Kind::absent) return refusal(ExitCode::unknown, desk.unknown());
    return decide_pause(found, args.id, args.what == What::pause);
  });
}

}  // namespace tenure::cli
