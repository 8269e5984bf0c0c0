// Connects to what an address means, without blocking: to a server, or to the master that Sentinels name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "core/base/time.hpp"
#include "core/message.hpp"
#include "redis/net/master_search.hpp"
#include "redis/url.hpp"
#include "runtime/net/dial.hpp"
#include "runtime/net/stream.hpp"
#include "runtime/net/tls.hpp"

namespace tenure::redis {

// A connection that was idle for so long is looked at before it is used: its server may have closed it, or have been frozen
// meanwhile, and replaced, and go on as if it were the master.
constexpr core::Duration idle_max = std::chrono::seconds(1);

class RedisDial {
 public:
  // The first three live longer than this. Of several addresses that a name has, number `first` is tried first. The limits are for
  // a search.
  RedisDial(const Address& address, const runtime::Tls& tls, Lookups& lookups, std::size_t first,
            MasterSearch::Limits limits);

  // Connected, not yet, or why not. To be called when fd() is ready for events(); of a search both are others after each call.
  tl::expected<std::optional<runtime::Stream>, core::Failure> step();
  int fd() const { return search_ ? search_->fd() : direct_->fd(); }
  short events() const;

  // It was a search, and no Sentinel has named any server.
  bool is_clueless() const { return search_ && search_->is_clueless(); }
  // For who cannot wait any longer.
  core::Failure timed_out() const;

 private:
  const Address& address_;
  std::optional<runtime::Dial> direct_;
  std::optional<MasterSearch> search_;
};

}  // namespace tenure::redis
