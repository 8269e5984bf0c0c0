// Asynchronous calls as operations of Boost.Asio (1.81 or later, headers only), for every completion token: callbacks, use_future,
// co_await. Not part of tenure.hpp: who includes this needs Boost, and nothing else does.
//
//   boost::asio::io_context io;
//   tenure::AsioDriver driver(client, io.get_executor());
//   auto lease = co_await driver.acquire(client.lock("job"), boost::asio::use_awaitable);
#pragma once

#include <fcntl.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "tenure/client.hpp"

namespace tenure {

namespace detail {

struct AsioState;

// How an operation ends: in Client::poll(), sooner when it is cancelled, or not; or elsewhere.
enum class AsioKind { polled, goes_on, not_polled };

// One that is under way. Its state keeps it until it has ended; what the client still holds of it keeps no client alive.
class AsioOperation {
 public:
  virtual ~AsioOperation() = default;
  AsioOperation() = default;
  AsioOperation(const AsioOperation&) = delete;
  AsioOperation& operator=(const AsioOperation&) = delete;

  // As its cancellation slot wishes. What cannot be taken back goes on.
  virtual void cancel() = 0;
  // Nobody polls for it any more.
  virtual void abort() = 0;

 protected:
  friend struct AsioState;
  std::weak_ptr<AsioState> state_;
  bool under_way_ = false;  // guarded by its mutex
  std::size_t place_ = 0;
  bool polled_ = true;  // it ends in Client::poll()
};

// What the driver and its operations share. The mutex is for those that end on a thread of the client.
struct AsioState : std::enable_shared_from_this<AsioState> {
  AsioState(const Client& its_client, const boost::asio::any_io_executor& executor)
      : client(its_client), readable(executor, ::fcntl(client.descriptor(), F_DUPFD_CLOEXEC, 0)) {}

  void begin(std::shared_ptr<AsioOperation> operation) {
    {
      const std::lock_guard lock(mutex);
      operation->state_ = weak_from_this();
      operation->under_way_ = true;
      polled += operation->polled_ ? 1 : 0;
      operation->place_ = under_way.size();
      under_way.push_back(std::move(operation));
    }
    wait();
  }
  // False: it has ended before.
  bool end(AsioOperation& operation) {
    std::shared_ptr<AsioOperation> ended;
    const std::lock_guard lock(mutex);
    if (!std::exchange(operation.under_way_, false)) return false;
    polled -= operation.polled_ ? 1 : 0;
    ended = std::move(under_way[operation.place_]);
    if (operation.place_ + 1 < under_way.size()) {
      under_way[operation.place_] = std::move(under_way.back());
      under_way[operation.place_]->place_ = operation.place_;
    }
    under_way.pop_back();
    return true;
  }
  // Only while there is something to wait for: else the user's context would never run out of work.
  void wait() {
    {
      const std::lock_guard lock(mutex);
      if (waiting || gone || polled == 0) return;
      waiting = true;
    }
    readable.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](boost::system::error_code error) { self->poll(error); });
  }
  void poll(boost::system::error_code error) {
    {
      const std::lock_guard lock(mutex);
      waiting = false;
    }
    if (error) return;
    // Also when a handler throws: that is for whoever runs the context.
    struct Again {
      AsioState& state;
      ~Again() { state.wait(); }
    };
    const Again again{*this};
    client.poll();
  }
  void stop() {
    std::vector<std::shared_ptr<AsioOperation>> all;
    {
      const std::lock_guard lock(mutex);
      gone = true;
      all = under_way;
    }
    boost::system::error_code ignored;
    static_cast<void>(readable.close(ignored));
    for (const auto& operation : all) operation->abort();
    // What was granted to one of them meanwhile is given back.
    if (!all.empty()) client.poll();
  }

  Client client;
  boost::asio::posix::stream_descriptor readable;
  std::mutex mutex;
  std::vector<std::shared_ptr<AsioOperation>> under_way;
  std::size_t polled = 0;  // how many of them end in Client::poll()
  bool waiting = false;
  bool gone = false;
};

// One whose handler takes a tl::expected.
template <class Result, class CompletionHandler>
class AsioCall final : public AsioOperation,
                       public std::enable_shared_from_this<AsioCall<Result, CompletionHandler>> {
 public:
  AsioCall(CompletionHandler handler, const boost::asio::any_io_executor& executor, AsioKind kind)
      : work_(boost::asio::prefer(boost::asio::get_associated_executor(handler, executor),
                                  boost::asio::execution::outstanding_work.tracked)),
        slot_(boost::asio::get_associated_cancellation_slot(handler)),
        handler_(std::move(handler)),
        can_be_cancelled_(kind != AsioKind::goes_on) {
    polled_ = kind != AsioKind::not_polled;
  }

  void connect() {
    if (!can_be_cancelled_ || !slot_.is_connected()) return;
    slot_.assign([weak = this->weak_from_this()](boost::asio::cancellation_type type) {
      const auto self = weak.lock();
      if (self && type != boost::asio::cancellation_type::none) self->cancel();
    });
  }
  // For calls that take a token.
  std::stop_token stop_token() { return stop_.emplace().get_token(); }
  // For what ends when a token is stopped, on whatever thread.
  void end_when_stopped(const std::stop_token& token) {
    on_stop_.emplace(token, OnStop{this->weak_from_this()});
  }

  // Once; what comes later is dropped. Never called while it is begun.
  void complete(Result result) {
    const auto self = this->shared_from_this();
    if (!end()) return;
    boost::asio::dispatch(work_, bound(std::move(result)));
  }
  void cancel() override {
    if (stop_) {
      stop_->request_stop();  // it ends by itself, refused
    } else if (const auto self = this->shared_from_this(); end()) {
      boost::asio::post(work_, bound(cancelled("the call was cancelled")));
    }
  }
  void abort() override {
    if (stop_) stop_->request_stop();
    if (!end()) return;
    boost::asio::post(work_, bound(cancelled("the driver is gone that waited for it")));
  }

 private:
  struct OnStop {
    std::weak_ptr<AsioCall> call;
    void operator()() const {
      // On the executor: here it may be any thread, or the very call that begins it.
      if (const auto it = call.lock()) boost::asio::post(it->work_, [it] { it->complete_empty(); });
    }
  };
  using Executor = boost::asio::associated_executor_t<CompletionHandler, boost::asio::any_io_executor>;
  using Work = std::decay_t<decltype(boost::asio::prefer(std::declval<Executor>(),
                                                         boost::asio::execution::outstanding_work.tracked))>;
  using Slot = boost::asio::associated_cancellation_slot_t<CompletionHandler>;

  void complete_empty() {
    if constexpr (std::is_void_v<typename Result::value_type>) complete(Result{});
  }
  bool end() {
    const auto state = state_.lock();
    if (!state || !state->end(*this)) return false;
    if (can_be_cancelled_ && slot_.is_connected()) slot_.clear();
    return true;
  }
  auto bound(Result result) {
    return [handler = std::move(handler_), result = std::move(result)]() mutable {
      std::move(handler)(std::move(result));
    };
  }
  static Result cancelled(std::string why) {
    return tl::unexpected(Refusal{Refusal::Code::cancelled, std::move(why)});
  }

  Work work_;
  Slot slot_;
  CompletionHandler handler_;
  bool can_be_cancelled_;
  std::optional<std::stop_source> stop_{};
  std::optional<std::stop_callback<OnStop>> on_stop_{};
};

}  // namespace detail

/// Polls a client from an executor, while one of the operations below is under way. Each ends with the tl::expected that the blocking
/// call returns, on the executor of its handler. Begin them, and destroy the driver, on the thread that runs the executor,
/// or on its strand: then handlers run inside of Client::poll(), and what they ask for leaves together.
///
/// Cancelling an operation by its slot ends it as refused (cancelled); what was acquired meanwhile is given back. So does
/// destroying the driver, whatever is under way: handlers are then posted, never called by the destructor. A release or
/// extension that was sent goes on without them. When the context stops, nothing happens until it runs again: leases are
/// renewed meanwhile, and nobody hears of them. The driver keeps the client alive, and goes before its context does.
class AsioDriver {
 public:
  using executor_type = boost::asio::any_io_executor;

  AsioDriver(const Client& client, executor_type executor)
      : executor_(std::move(executor)), state_(std::make_shared<detail::AsioState>(client, executor_)) {}
  ~AsioDriver() { state_->stop(); }
  AsioDriver(const AsioDriver&) = delete;
  AsioDriver& operator=(const AsioDriver&) = delete;

  [[nodiscard]] executor_type get_executor() const { return executor_; }
  [[nodiscard]] const Client& client() const { return state_->client; }

  /// void(tl::expected<Lease, Refusal>)
  template <class CompletionToken>
  auto acquire(Lock lock, Wait wait, CompletionToken&& token) {
    using Result = tl::expected<Lease, Refusal>;
    return start<Result>(
        [](auto call, Lock its_lock, Wait its_wait) {
          const std::stop_token stop = call->stop_token();
          its_lock.async_acquire(
              its_wait, [call](Result result) { call->complete(std::move(result)); }, stop);
        },
        detail::AsioKind::polled, token, std::move(lock), std::move(wait));
  }

  /// The same, with a Wait that suits most.
  template <class CompletionToken>
  auto acquire(Lock lock, CompletionToken&& token) {
    return acquire(std::move(lock), Wait{}, std::forward<CompletionToken>(token));
  }

  /// void(tl::expected<Released, Refusal>). Once begun it is not taken back: its cancellation slot is not used. The lease may go
  /// meanwhile.
  template <class CompletionToken>
  auto release(Lease& lease, CompletionToken&& token) {
    using Result = tl::expected<Released, Refusal>;
    return start<Result>(
        [](auto call, Lease* its_lease) {
          its_lease->async_release([call](Result result) { call->complete(std::move(result)); });
        },
        detail::AsioKind::goes_on, token, &lease);
  }

  /// void(tl::expected<BootClock::time_point, Refusal>). The same.
  template <class CompletionToken>
  auto extend(Lease& lease, CompletionToken&& token) {
    using Result = tl::expected<BootClock::time_point, Refusal>;
    return start<Result>(
        [](auto call, Lease* its_lease) {
          its_lease->async_extend([call](Result result) { call->complete(std::move(result)); });
        },
        detail::AsioKind::goes_on, token, &lease);
  }

  /// void(tl::expected<void, Refusal>): when Lease::lost() stops; Lease::loss() says why. Of a lease that goes without being
  /// lost it never ends: cancel it.
  template <class CompletionToken>
  auto lost(const Lease& lease, CompletionToken&& token) {
    return start<tl::expected<void, Refusal>>(
        [](auto call, const std::stop_token& lost) { call->end_when_stopped(lost); },
        detail::AsioKind::not_polled, token, lease.lost());
  }

  /// void(tl::expected<std::uint64_t, Refusal>): the term, as Election::wait_for_leadership() gives it.
  template <class CompletionToken>
  auto leadership(const Election& election, CompletionToken&& token) {
    using Result = tl::expected<std::uint64_t, Refusal>;
    return start<Result>(
        [](auto call, const Election* its_election) {
          const std::stop_token stop = call->stop_token();
          its_election->async_wait_for_leadership(
              [call](Result result) { call->complete(std::move(result)); }, stop);
        },
        detail::AsioKind::polled, token, &election);
  }

 private:
  template <class Result, class Begin, class CompletionToken, class... Arguments>
  auto start(Begin begin, detail::AsioKind kind, CompletionToken& token, Arguments... arguments) {
    return boost::asio::async_initiate<CompletionToken, void(Result)>(
        [state = state_, executor = executor_, begin, kind](auto handler, auto... its_arguments) {
          using Handler = std::decay_t<decltype(handler)>;
          const auto call =
              std::make_shared<detail::AsioCall<Result, Handler>>(std::move(handler), executor, kind);
          state->begin(call);
          call->connect();
          begin(call, std::move(its_arguments)...);
        },
        token, std::move(arguments)...);
  }

  executor_type executor_;
  std::shared_ptr<detail::AsioState> state_;
};

}  // namespace tenure
