// Sessions that are kept in one Redis, as a source of them: by a scan of all keys, or by an index.
#pragma once

#include <optional>

#include "redis/net/caller.hpp"
#include "redis/poll/session_index.hpp"
#include "redis/session_call.hpp"
#include "tenure/session.hpp"

namespace tenure::redis {

class RedisSessions final : public SessionSource {
 public:
  struct Source {
    Address address{};
    runtime::Tls tls{};
    SessionKeys keys{};
    StoredSessionsOptions::Find find = StoredSessionsOptions::Find::scan;
    poll::Addresses addresses = poll::Addresses::http;
    core::Duration timeout{};
  };
  explicit RedisSessions(Source source);

  tl::expected<Sessions, std::string> read() override;

 private:
  void confirm();
  tl::expected<Sessions, core::Failure> read_all();
  tl::expected<Sessions, core::Failure> read_by_scan();
  tl::expected<Sessions, core::Failure> read_by_index();

  Source source_;
  SessionIndex index_;
  std::optional<Caller> redis_{};
};

}  // namespace tenure::redis
