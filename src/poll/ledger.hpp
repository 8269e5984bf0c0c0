// Writes results into a store, and reads when a session was polled last: in batches, on a thread of its own, so that a store
// that is slow or away holds up no poll. What cannot be written within a while is dropped, and that is said once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/time.hpp"
#include "poll/result_store.hpp"

namespace tenure::poll {

class Ledger {
 public:
  struct Options {
    core::Duration keep_for = std::chrono::seconds(10);  // what was not written by then is dropped
    std::size_t bytes_max = 64'000'000;  // so is what comes when there is more than that to write
  };

  // What became of a result.
  struct Fate {
    enum class Kind : std::uint8_t {
      stored,
      lease_gone,  // the lease does not show this grant any more
      outdated,    // a later owner has stored one
      failed,      // the store cannot keep it there
      dropped,     // the store was away for too long
    };
    Kind kind{};
    std::string detail{};
  };

  // All of these are called on the ledger's thread, and do not block.
  using Written = std::function<void(Fate)>;
  using SlotRead = std::function<void(std::optional<WallTime>)>;
  struct Listener {
    std::function<void(const std::string& why)> on_dropping{};  // once, until on_back
    std::function<void()> on_back{};
  };

  Ledger(std::unique_ptr<ResultStore> store, Options options, Listener listener);
  ~Ledger();  // what is not written is dropped

  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  void write(Publish result, Written then);
  // Nothing where there is none, or nobody knows.
  void read_slot(std::string session, SlotRead then);
  // The end is near: from then on each result is tried once, and dropped where the store does not take it.
  void hurry(core::Time from);
  // Waits until all is written, at most until then.
  void drain(core::Time by);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tenure::poll
