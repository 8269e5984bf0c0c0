#include "http/server.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "http/response_head.hpp"
#include "runtime/boot_clock.hpp"

namespace tenure::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;
using tcp = asio::ip::tcp;

// From one question to a handler whose answer is not known yet to the next.
constexpr std::chrono::milliseconds ask_again{10};
// The same for a stream. A person does not see the difference to at once.
constexpr std::chrono::milliseconds stream_again{50};
// A stream that has nothing to tell says so now and then: both sides notice that way when the other is gone.
constexpr std::chrono::seconds stream_quiet_max{15};
constexpr auto nothing_new = ":\n\n";
// How long, and for how much, the rest of a request that was refused is read: a socket that is closed with something unread takes
// the answer back.
constexpr std::chrono::milliseconds linger_time{1'000};
constexpr std::size_t linger_bytes = 262'144;
// Without a descriptor for a new connection, there may be one a moment later.
constexpr std::chrono::milliseconds accept_again{100};

class Session;

// What all connections share.
struct Floor {
  const Routes& routes;
  const Access& access;
  const Limits& limits;
  std::map<std::uint64_t, Session*> sessions{};  // by age
  std::size_t streams = 0;                       // of these
};

// One connection: reads a request, answers it, and again.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Floor& floor, std::uint64_t number)
      : stream_(std::move(socket)),
        timer_(stream_.get_executor()),
        floor_(floor),
        number_(number),
        buffer_(floor.limits.head_bytes + 1) {
    floor_.sessions.emplace(number_, this);
  }
  ~Session() {
    floor_.sessions.erase(number_);
    if (stream_of_events_) floor_.streams -= 1;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    reading_ = true;
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(floor_.limits.head_bytes));
    parser_->body_limit(0);
    stream_.expires_after(floor_.limits.request);
    beast::http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
  }

  // Nothing was asked for yet, or all of it was answered, so that nobody is owed an answer.
  bool owes_nothing() const { return reading_ || lingering_; }
  void cut_off() {
    reading_ = false;
    lingering_ = false;
    stream_.close();
  }

 private:
  using Http = beast::http::error;

  void on_read(const error_code& error) {
    if (!reading_) return;
    reading_ = false;
    is_head_ = parser_->get().method() == beast::http::verb::head;
    if (error == Http::header_limit || error == Http::buffer_overflow) {
      return refuse(431, "the request is larger than " + std::to_string(floor_.limits.head_bytes) + " bytes");
    }
    if (error == Http::body_limit) return refuse(413, no_body);
    // Left, too late, or cut off: nobody waits for an answer.
    if (error == Http::end_of_stream || error == Http::partial_message) return;
    if (error.category() == beast::http::make_error_code(Http::bad_method).category()) {
      return refuse(400, "this is not a request of HTTP/1.1: " + error.message());
    }
    if (!error) on_request();
  }

  void on_request() {
    const auto& head = parser_->get();
    keep_alive_ = head.keep_alive();
    if (parser_->chunked() || parser_->content_length().value_or(0) > 0) return refuse(413, no_body);
    const auto host = head.count("Host") == 1 ? std::string(head["Host"]) : "";
    if (host.empty()) return refuse(400, "a request must say Host, once");
    const std::string authorization(head["Authorization"]);
    const std::string fetch_site(head["Sec-Fetch-Site"]);
    const std::string target(head.target());
    const auto mark = std::min(target.find('?'), target.size());
    route_ = floor_.routes.find(std::string_view(target).substr(0, mark));
    const bool is_public = route_ != nullptr && route_->whom == Routes::For::anybody;
    const auto verdict =
        is_public ? Access::Verdict::everybody : floor_.access.admit({host, authorization, fetch_site});
    if (verdict == Access::Verdict::wrong_host) {
      return refuse(
          421, "the Host of the request is not this machine: use its IP address, localhost or its own name");
    }
    if (verdict == Access::Verdict::foreign_page) {
      return refuse(403,
                    "a page of another site asks for this: only pages from here may, or who shows the token");
    }
    const auto method = head.method();
    if (method != beast::http::verb::get && !is_head_) return refuse(405, "only GET and HEAD are answered");
    if (!target.starts_with('/')) return refuse(400, "a request must name a path");
    request_ = {target.substr(0, mark), target.substr(std::min(mark + 1, target.size())),
                verdict == Access::Verdict::trusted, std::string(head["Last-Event-ID"])};
    if (!request_.can_be_decoded()) return refuse(400, "a % in the query is not followed by two hex digits");
    if (!request_.trusted && (route_ == nullptr || route_->whom == Routes::For::trusted)) {
      return respond(Response::text(401, "this needs the token: Authorization: Bearer TOKEN\n"));
    }
    if (route_ == nullptr) return respond(Response::text(404, "there is nothing at this path\n"));
    if (route_->stream) return begin_stream();
    answer_by_ = runtime::boot_now() + floor_.limits.handler;
    ask_handler();
  }

  void begin_stream() {
    if (floor_.streams >= floor_.limits.streams) {
      return respond(Response::json("{\"error\": \"there are too many viewers; try again later\"}\n", 503));
    }
    auto stream = route_->stream(request_);
    if (!stream) return respond(std::move(stream.error()));
    stream_of_events_ = std::move(*stream);
    floor_.streams += 1;
    keep_alive_ = false;
    said_ = stream_head();
    if (is_head_) return send_events([](Session& self) { self.on_written(); });
    send_events(&Session::pump);
  }

  // Whoever does not take what it is told is cut off after a while, like any other slow reader.
  template <class Then>
  void send_events(Then then) {
    stream_.expires_after(floor_.limits.response);
    asio::async_write(stream_, asio::buffer(said_),
                      [self = shared_from_this(), then](const error_code& error, std::size_t) {
                        if (!error) std::invoke(then, *self);
                      });
  }

  void pump() {
    stream_.expires_never();
    said_ = stream_of_events_->next();
    if (said_.empty() && runtime::boot_now() >= quiet_since_ + stream_quiet_max) said_ = nothing_new;
    if (!said_.empty()) {
      quiet_since_ = runtime::boot_now();
      return send_events(&Session::pump);
    }
    timer_.expires_after(stream_again);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->pump();
    });
  }

  void ask_handler() {
    std::optional<Response> response;
    try {
      response = route_->handler(request_);
    } catch (const std::exception&) {
      response = Response::text(500, "internal error\n");
    }
    if (!response && runtime::boot_now() >= answer_by_) {
      response = Response::text(503, "there was no answer in time\n");
    }
    if (response) return respond(std::move(*response));
    timer_.expires_after(ask_again);
    timer_.async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->ask_handler();
    });
  }

  // What the request still carries is not understood: the connection ends.
  void refuse(unsigned status, const std::string& sentence) {
    keep_alive_ = false;
    respond(Response::text(status, sentence + "\n"));
  }

  void respond(Response response) {
    response_ = std::move(response);
    said_ = response_head(response_, keep_alive_);
    const asio::const_buffer body =
        is_head_ || !response_.body ? asio::const_buffer() : asio::buffer(*response_.body);
    stream_.expires_after(floor_.limits.response);
    asio::async_write(stream_, std::array{asio::const_buffer(asio::buffer(said_)), body},
                      [self = shared_from_this()](const error_code& error, std::size_t) {
                        if (!error) self->on_written();
                      });
  }

  void on_written() {
    response_ = {};
    is_head_ = false;
    if (keep_alive_) return read();
    ::shutdown(stream_.socket().native_handle(), SHUT_WR);
    stream_.expires_after(linger_time);
    lingering_ = true;
    linger();
  }

  void linger() {
    stream_.async_read_some(asio::buffer(unread_),
                            [self = shared_from_this()](const error_code& error, std::size_t got) {
                              self->lingered_ += got;
                              if (!error && self->lingered_ < linger_bytes) self->linger();
                            });
  }

  static constexpr auto no_body = "a request may not have a body";

  beast::tcp_stream stream_;
  asio::steady_timer timer_;
  Floor& floor_;
  std::uint64_t number_;
  beast::flat_buffer buffer_;
  std::optional<beast::http::request_parser<beast::http::empty_body>> parser_{};
  bool reading_ = false;
  bool lingering_ = false;
  bool keep_alive_ = false;
  bool is_head_ = false;
  Request request_{};
  const Routes::Route* route_ = nullptr;
  core::Time answer_by_{};
  Response response_{};
  std::string said_{};  // the head of an answer; of a stream also what follows
  std::unique_ptr<EventStream> stream_of_events_{};
  core::Time quiet_since_ = runtime::boot_now();
  std::array<char, 4'096> unread_{};
  std::size_t lingered_ = 0;
};

}  // namespace

// Lives from start() to stop().
struct Server::Running {
  Running(const Listener& listener, const Routes& routes, const Access& access, const Limits& limits)
      : floor{routes, access, limits}, acceptor(io), timer(io), v6(listener.address().v6()) {
    // Of its own, because Asio closes it.
    const int socket = fcntl(listener.fd(), F_DUPFD_CLOEXEC, 0);
    if (socket < 0) throw std::system_error(errno, std::generic_category(), "the HTTP endpoint");
    acceptor.assign(protocol(), socket);
    thread = std::thread([this] { serve(); });
  }
  ~Running() {
    io.stop();
    thread.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  tcp protocol() const { return v6 ? tcp::v6() : tcp::v4(); }

  void serve() {
    while (!io.stopped()) {
      try {
        if (!accepting) wait_for_connections();
        io.run();
      } catch (const std::exception&) {
        continue;  // out of memory, for one connection: it is gone, and the others go on
      }
    }
  }

  void wait_for_connections() {
    acceptor.async_wait(tcp::acceptor::wait_read, [this](const error_code& error) {
      if (!error) accept();
    });
    accepting = true;
  }

  void accept() {
    accepting = false;
    bool lacks = false;
    try {
      lacks = !accept_one();
    } catch (const std::exception&) {
      lacks = true;  // of memory, as a rule: this visitor is gone, and the next may be luckier
    }
    if (!lacks) return wait_for_connections();
    timer.expires_after(accept_again);
    timer.async_wait([this](const error_code& error) {
      accepting = false;
      if (!error) wait_for_connections();
    });
    accepting = true;
  }

  // False: there is nothing left to take a connection with.
  bool accept_one() {
    // By hand: Asio would let programs that are started inherit it.
    tcp::socket connection(io);
    const int visitor = accept4(acceptor.native_handle(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (visitor < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    try {
      connection.assign(protocol(), visitor);
    } catch (...) {
      close(visitor);
      throw;
    }
    if (make_room()) std::make_shared<Session>(std::move(connection), floor, ++count)->read();
    return true;
  }

  // Whoever keeps connections open without asking for anything, or after the answer, keeps nobody else out.
  bool make_room() {
    if (floor.sessions.size() < floor.limits.connections) return true;
    const auto idle =
        std::ranges::find_if(floor.sessions, [](const auto& it) { return it.second->owes_nothing(); });
    if (idle == floor.sessions.end()) return false;
    idle->second->cut_off();
    return true;
  }

  Floor floor;  // outlives the connections, which io keeps
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer timer;
  bool v6;
  std::uint64_t count = 0;
  bool accepting = false;  // new connections are waited for, or will be in a moment
  std::thread thread;
};

Server::Server(const Listener& listener, Routes routes, Access access, Limits limits)
    : listener_(listener), routes_(std::move(routes)), access_(std::move(access)), limits_(limits) {}

Server::~Server() = default;

void Server::start() {
  if (!running_) running_ = std::make_unique<Running>(listener_, routes_, access_, limits_);
}

void Server::stop() { running_.reset(); }

}  // namespace tenure::http
