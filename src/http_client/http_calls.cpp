#include "http_client/http_calls.hpp"

#include <poll.h>

#include <list>
#include <new>
#include <system_error>
#include <unordered_map>

#include "http_client/call.hpp"
#include "http_client/failure.hpp"
#include "http_client/pool.hpp"
#include "runtime/boot_clock.hpp"
#include "runtime/boot_timer.hpp"

namespace tenure::http_client {

namespace {

constexpr runtime::ReadySet::Key of_timer = ~runtime::ReadySet::Key{0};

// What is polled as one descriptor; there while there is something to poll for, or a connection is kept.
struct Polled {
  Polled() { ready.watch(of_timer, {.fd = timer.fd(), .events = POLLIN}); }

  runtime::BootTimer timer{};
  runtime::ReadySet ready{};
  std::uint64_t connection = runtime::next_connection();
};

}  // namespace

struct HttpCalls::Machinery {
  struct Entry {
    std::unique_ptr<Call> call;
    Pool* pool;
  };

  explicit Machinery(const HttpServer& server) : place(server) {}
  ~Machinery() { close(); }
  Machinery(const Machinery&) = delete;
  Machinery& operator=(const Machinery&) = delete;

  void start(HttpCallId id, HttpRequest request) {
    if (!begin(id, std::move(request)))
      known.push_back({id, false, tl::unexpected(runtime::no_descriptor())});
    collect();
    set_timer();
  }

  void cancel(HttpCallId id) {
    std::erase_if(known, [&](const HttpNews& news) { return news.id == id; });
    const auto found = calls.find(id);
    if (found == calls.end()) return;
    // Who listens to a stream has heard enough, which says nothing against its connection.
    end(found->second, !found->second.call->is_stream());
    sweep();
    set_timer();
  }

  void close() {
    for (auto& [id, entry] : calls) entry.pool->remove(*entry.call);
    calls.clear();
    pools.clear();
    known.clear();
    polled.reset();
  }

  void on_ready(std::vector<HttpNews>& news) {
    if (polled) {
      polled->timer.clear();
      for (const auto key : polled->ready.ready()) {
        const auto owns = [&](const Pool& pool) {
          return key != of_timer && pool.owns(static_cast<int>(key));
        };
        if (const auto pool = std::ranges::find_if(pools, owns); pool != pools.end()) {
          pool->on_socket(static_cast<int>(key));
        }
      }
      for (Pool& pool : pools) pool.on_timer();
      collect();
      time_out_late();
    }
    std::ranges::move(known, std::back_inserter(news));
    known.clear();
    sweep();
    set_timer();
  }

  // False: this machine has nothing left to do it with.
  bool begin(HttpCallId id, HttpRequest request) try {
    if (!polled) polled = std::make_unique<Polled>();
    if (!polled->ready) {
      polled.reset();
      return false;
    }
    if (pools.empty() || pools.back().retired) pools.emplace_back(polled->ready);
    auto call = std::make_unique<Call>(id, std::move(request), place, runtime::boot_now());
    Call& begun = *call;
    calls[id] = {std::move(call), &pools.back()};
    if (pools.back().add(begun)) return true;
    calls.erase(id);
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  } catch (const std::system_error&) {
    return false;
  }

  // It is over. A call that got no answer leaves no connection behind by which another one would wait: one that calls share
  // (HTTP/2) ends with the calls that are on it, and no further one begins there. Of HTTP/1 libcurl closes it.
  void end(Entry& entry, bool in_doubt) {
    const HttpCallId id = entry.call->id();
    if (in_doubt && place.tls && !speaks_http1) entry.pool->retired = true;
    entry.pool->remove(*entry.call);
    calls.erase(id);
  }

  void collect() {
    for (Pool& pool : pools) {
      for (const auto& [call, result] : pool.ended()) {
        if (call->is_http1()) speaks_http1 = true;
        tell_piece(*call);
        known.push_back({call->id(), false, call->finish(result)});
        end(calls.at(call->id()), false);
      }
    }
    for (auto& [id, entry] : calls) tell_piece(*entry.call);
  }

  void tell_piece(Call& call) {
    if (auto piece = call.take_piece()) known.push_back({call.id(), true, std::move(*piece)});
  }

  void time_out_late() {
    const core::Time now = runtime::boot_now();
    std::vector<HttpCallId> late;
    for (const auto& [id, entry] : calls) {
      if (entry.call->deadline() && *entry.call->deadline() <= now) late.push_back(id);
    }
    for (const HttpCallId id : late) {
      Entry& entry = calls.at(id);
      known.push_back({id, false, tl::unexpected(time_out(entry.call->sent()))});
      end(entry, true);
    }
  }

  void sweep() {
    std::erase_if(pools, [](const Pool& pool) { return pool.retired && pool.calls() == 0; });
  }

  void set_timer() {
    if (!polled) return;
    const core::Time now = runtime::boot_now();
    std::optional<core::Time> due = known.empty() ? std::nullopt : std::optional(now);
    for (const Pool& pool : pools) due = core::sooner(due, pool.wake(now));
    for (const auto& [id, entry] : calls) due = core::sooner(due, entry.call->deadline());
    polled->timer.set(due);
  }

  bool busy() const { return !calls.empty() || !known.empty(); }

  const Place place;
  std::unique_ptr<Polled> polled{};
  std::list<Pool> pools{};  // the last one is where calls begin
  std::map<HttpCallId, Entry> calls{};
  std::vector<HttpNews> known{};  // and not told yet
  bool speaks_http1 = false;      // over TLS, too
};

HttpCalls::HttpCalls(const HttpServer& server) : machinery_(std::make_unique<Machinery>(server)) {}
HttpCalls::~HttpCalls() = default;

void HttpCalls::start(HttpCallId id, HttpRequest request) { machinery_->start(id, std::move(request)); }
void HttpCalls::cancel(HttpCallId id) { machinery_->cancel(id); }
void HttpCalls::close() { machinery_->close(); }
void HttpCalls::on_ready(std::vector<HttpNews>& news) { machinery_->on_ready(news); }
bool HttpCalls::busy() const { return machinery_->busy(); }

runtime::Awaited HttpCalls::awaited() const {
  if (!busy() || !machinery_->polled) return {};
  const auto& polled = *machinery_->polled;
  return {.fd = polled.ready.fd(), .events = POLLIN, .connection = polled.connection};
}

}  // namespace tenure::http_client
