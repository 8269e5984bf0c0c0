// Sessions of a client: one for all its leases of a length, made when it is first needed, and renewed with each of them.
#include "consul/failure.hpp"
#include "consul/net/desk.hpp"
#include "consul/session_text.hpp"
#include "core/base/text.hpp"

namespace tenure::consul {

namespace {

constexpr int tries_max = 4;

core::Failure out_of_bounds(core::Ttl ttl) {
  return {core::Applied::no, core::FailureCode::unsupported,
          "a TTL of " + core::to_text(ttl) + " is none that Consul's sessions can have: they last from " +
              core::to_text(session_ttl_min) + " to " + core::to_text(session_ttl_max)};
}

Task<tl::expected<std::string, core::Failure>> make_session(Desk& desk, core::Ttl ttl,
                                                            const std::string& owner) {
  const std::string& delay = desk.shared.place().address.lock_delay;
  const SessionWish wish{"Tenure: " + owner, ttl, delay.empty() ? lock_delay_for(ttl) : delay};
  auto asked = desk.talk.call(desk.owner, "PUT", "/v1/session/create", session_text(wish));
  auto answer = co_await asked;
  if (!answer) co_return tl::unexpected(before_all(std::move(answer.error())));
  if (answer->status != 200) co_return tl::unexpected(before_all(classify(answer->status, answer->body)));
  auto id = read_session_id(answer->body);
  if (id) desk.shared.add_session(ttl, *id);
  co_return id;
}

}  // namespace

Task<tl::expected<bool, core::Failure>> renew_session(Desk desk, std::string id) {
  auto asked = desk.talk.call(desk.owner, "PUT", "/v1/session/renew/" + http_client::url_escaped(id));
  auto answer = co_await asked;
  if (!answer) co_return tl::unexpected(std::move(answer.error()));
  if (answer->status == 200) co_return true;
  // Consul says that of a session, and something else of a path that it does not know.
  if (answer->status == 404 && answer->body.find(id) != std::string::npos) {
    desk.shared.forget_session(id);
    co_return false;
  }
  co_return tl::unexpected(classify(answer->status, answer->body));
}

Task<tl::expected<std::string, core::Failure>> session_for(Desk desk, core::Ttl ttl, std::string owner) {
  if (ttl < session_ttl_min || ttl > session_ttl_max) co_return tl::unexpected(out_of_bounds(ttl));
  desk.shared.bury_lapsed(desk.now);
  for (int tries = 0; tries < tries_max; ++tries) {
    if (auto id = desk.shared.session(ttl)) {
      const auto renewed = co_await renew_session(desk, *id);
      if (!renewed) co_return tl::unexpected(before_all(renewed.error()));
      if (*renewed) co_return std::move(*id);
      continue;
    }
    if (!desk.maker.busy(ttl)) {
      const SessionMaker::Turn turn(desk.maker, ttl);
      auto made = co_await make_session(desk, ttl, owner);
      co_return made;
    }
    // Somebody else's is made, and began perhaps before we asked: it has to be renewed for us.
    SessionMaker::Waiting waiting{desk.maker, ttl, desk.owner};
    co_await waiting;
  }
  co_return tl::unexpected(core::Failure{core::Applied::no, core::FailureCode::busy,
                                         "the sessions of this client end as soon as they are made"});
}

}  // namespace tenure::consul
