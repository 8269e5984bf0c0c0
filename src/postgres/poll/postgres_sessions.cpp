#include "postgres/poll/postgres_sessions.hpp"

#include <utility>

namespace tenure::postgres {

PostgresSessions::PostgresSessions(std::unique_ptr<Server> server, std::string fleet,
                                   poll::Addresses addresses)
    : server_(std::move(server)), fleet_(std::move(fleet)), addresses_(addresses) {}

// One letter more than is allowed shows that a text is longer.
tl::expected<SessionsRead, core::Failure> PostgresSessions::ask(std::int64_t since) {
  return server_->ask(sessions_call(fleet_, since, poll::session_text_max + 1)).and_then(sessions_read);
}

tl::expected<Sessions, std::string> PostgresSessions::read() {
  auto read = ask(version_);
  if (read && !read->complete && read->life != life_) read = ask(0);
  if (!read) return tl::unexpected(server_->name() + ": " + read.error().detail);
  if (read->complete) known_.clear();
  for (const SessionText& it : read->texts) {
    known_.insert_or_assign(it.id, poll::read_session(it.id, it.text, addresses_));
  }
  version_ = read->version;
  life_ = read->life;
  Sessions sessions;
  for (const auto& [id, session] : known_) {
    if (session) {
      sessions.good.push_back(*session);
    } else {
      sessions.bad.push_back({id, session.error()});
    }
  }
  return sessions;
}

}  // namespace tenure::postgres
