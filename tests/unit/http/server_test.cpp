// The server over real sockets: what it answers, and what it does with whoever asks badly, slowly or not at all.
#include "http/server.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/cached.hpp"
#include "support/http_client.hpp"
#include "support/wait.hpp"

namespace tenure::http {
namespace {

using namespace std::chrono_literals;
using test::HttpAnswer;
using test::HttpClient;

constexpr std::size_t large = 16'000'000;

// Says what it is given, once each.
class Feed {
 public:
  void say(const std::string& text) {
    const std::lock_guard lock(mutex_);
    text_ += text;
  }
  std::unique_ptr<EventStream> stream() {
    struct Reader : EventStream {
      explicit Reader(Feed& feed) : feed_(feed) { feed_.readers += 1; }
      ~Reader() override { feed_.readers -= 1; }
      std::string next() override {
        const std::lock_guard lock(feed_.mutex_);
        const auto from = std::exchange(at_, feed_.text_.size());
        return feed_.text_.substr(from);
      }
      Feed& feed_;
      std::size_t at_ = 0;
    };
    return std::make_unique<Reader>(*this);
  }
  void serve_at(Routes& routes) {
    routes.add_stream("/feed",
                      [this](const Request& request) -> tl::expected<std::unique_ptr<EventStream>, Response> {
                        if (request.last_event_id == "13")
                          return tl::unexpected(Response::text(503, "not that one\n"));
                        return stream();
                      });
  }
  std::atomic<int> readers = 0;

 private:
  std::mutex mutex_;
  std::string text_;
};

class HttpServerTest : public testing::Test {
 protected:
  // Patient, apart from what a test is about.
  void serve(Limits limits = {.request = 60s, .handler = 60s, .response = 60s},
             const std::string& token = "") {
    routes.add("/hello",
               [](const Request& request) { return Response::text(200, "hello " + request.query + "\n"); });
    routes.add("/json", [](const Request&) { return Response::json("{}\n"); });
    routes.add(
        "/probe",
        [](const Request& request) { return Response::text(200, request.trusted ? "all\n" : "some\n"); },
        Routes::For::everybody);
    routes.add("/throws",
               [](const Request&) -> std::optional<Response> { throw std::runtime_error("secret"); });
    routes.add("/never", [](const Request&) { return std::optional<Response>(); });
    routes.add("/large", [](const Request&) {
      std::string body;
      body.resize(large, 'x');
      return Response::text(200, std::move(body));
    });
    auto opened = Listener::open({});
    ASSERT_TRUE(opened) << opened.error().message;
    listener.emplace(std::move(*opened));
    server.emplace(*listener, routes, Access{token, listener->address(), ""}, limits);
    server->start();
  }
  std::uint16_t port() const { return listener->address().port; }
  HttpClient client() const { return HttpClient(port()); }
  HttpAnswer get(const std::string& path, const std::string& headers = "Host: localhost\r\n") const {
    return client().get(path, headers);
  }

  Feed feed;  // outlives the server
  Routes routes;
  std::optional<Listener> listener;
  std::optional<Server> server;
};

TEST_F(HttpServerTest, AHandlerAnswersAtItsPathAndNowhereElse) {
  serve();
  const auto answer = get("/hello?you&me");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello you&me\n");
  EXPECT_EQ(answer.header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(get("/json").header("Content-Type"), "application/json");
  for (const auto* path : {"/", "/hello/", "/Hello", "//hello", "/hell", "/hello%20", "/./hello"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(HttpServerTest, EveryAnswerKeepsBrowsersSafe) {
  serve();
  for (const auto* path : {"/hello", "/json", "/nothing", "/throws"}) {
    const auto answer = get(path);
    EXPECT_TRUE(answer.header("Content-Security-Policy").starts_with("default-src 'none'; script-src 'self'"))
        << path;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(answer.header("Cache-Control"), "no-store");
    EXPECT_EQ(answer.head.find("Access-Control"), std::string::npos);
  }
}

TEST_F(HttpServerTest, OneConnectionAsksAgainAndAgain) {
  serve();
  auto visitor = client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(visitor.get("/hello").body, "hello \n");
  // Two at once, of which the second says that it is the last.
  visitor.send(
      "GET /hello?1 HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hello?2 HTTP/1.1\r\nHost: localhost\r\n"
      "Connection: close\r\n\r\n");
  EXPECT_EQ(visitor.receive().body, "hello 1\n");
  EXPECT_EQ(visitor.receive().body, "hello 2\n");
  EXPECT_EQ(visitor.receive_all(), 0U);
}

TEST_F(HttpServerTest, HeadIsGetWithoutTheBody) {
  serve();
  auto visitor = client();
  const auto answer = visitor.ask("HEAD", "/hello");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.header("Content-Length"), "7");
  EXPECT_EQ(visitor.get("/json").body, "{}\n");  // right behind it
  for (const std::string headers :
       {"", "Host: evil.example\r\n", "Host: localhost\r\nContent-Length: 5\r\n"}) {
    auto refused = client();
    const auto head = refused.ask("HEAD", "/hello", headers);
    EXPECT_GE(head.status, 400);
    EXPECT_EQ(refused.receive_all(), 0U) << head.head;
  }
}

TEST_F(HttpServerTest, APageOfAnotherSiteIsRefused) {
  serve();
  const auto refused = get("/hello", "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n");
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.body.starts_with("a page of another site asks")) << refused.body;
  EXPECT_EQ(get("/hello", "Host: localhost\r\nSec-Fetch-Site: same-origin\r\n").status, 200);
}

TEST_F(HttpServerTest, AQueryThatCannotBeDecodedIsRefused) {
  serve();
  for (const auto* query : {"a=%", "a=%4", "a=%zz&b=1"}) {
    EXPECT_EQ(get(std::string("/hello?") + query).status, 400) << query;
  }
  EXPECT_EQ(get("/hello?a=%41").status, 200);
}

TEST_F(HttpServerTest, OtherMethodsAreRefused) {
  serve();
  for (const auto* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"}) {
    const auto answer = client().ask(method, "/hello");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.header("Allow"), "GET, HEAD");
  }
}

TEST_F(HttpServerTest, ABodyIsRefused) {
  serve();
  EXPECT_EQ(get("/hello", "Host: localhost\r\nContent-Length: 5\r\n").status, 413);
  EXPECT_EQ(get("/hello", "Host: localhost\r\nContent-Length: 99999999999\r\n").status, 413);
  EXPECT_EQ(get("/hello", "Host: localhost\r\nTransfer-Encoding: chunked\r\n").status, 413);
  EXPECT_EQ(get("/hello", "Host: localhost\r\nContent-Length: 0\r\n").status, 200);
}

TEST_F(HttpServerTest, WhatIsNoRequestIsToldSo) {
  serve();
  for (const auto* bytes :
       {"hello\r\n\r\n", "GET /hello\r\n\r\n", "GET /hello HTTP/1.1\r\nHost localhost\r\n\r\n",
        "GET hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "GET http://localhost/hello HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /hello HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"}) {
    auto visitor = client();
    visitor.send(bytes);
    EXPECT_EQ(visitor.receive().status, 400) << bytes;
    EXPECT_EQ(visitor.receive_all(), 0U);
  }
}

TEST_F(HttpServerTest, AHostOfOthersIsRefused) {
  serve();
  EXPECT_EQ(get("/hello", "Host: evil.example\r\n").status, 421);
  EXPECT_EQ(get("/probe", "Host: evil.example:80\r\n").status, 421);
}

TEST_F(HttpServerTest, ATokenIsAskedForExceptWhereAllMayLook) {
  serve({}, "0123456789abcdef");
  const std::string right = "Host: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n";
  const std::string wrong = "Host: localhost\r\nAuthorization: Bearer 0123456789abcdeX\r\n";
  EXPECT_EQ(get("/hello", right).status, 200);
  EXPECT_EQ(get("/hello", wrong).status, 401);
  EXPECT_EQ(get("/hello").header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(get("/nothing").status, 401);  // nor does anybody learn which paths there are
  EXPECT_EQ(get("/nothing", right).status, 404);
  EXPECT_EQ(get("/probe").body, "some\n");
  EXPECT_EQ(get("/probe", right).body, "all\n");
}

TEST_F(HttpServerTest, AFileOfThePageIsTheSameForAnybody) {
  routes.add_file("/page", "text/html; charset=utf-8", "<!doctype html>");
  serve({}, "0123456789abcdef");
  // A link in somebody's notes, a name that only a proxy knows, no token: the page itself tells nothing.
  for (const std::string headers : {"Host: localhost\r\n", "Host: ops.example\r\n",
                                    "Host: localhost\r\nSec-Fetch-Site: cross-site\r\n"}) {
    const auto answer = get("/page", headers);
    EXPECT_EQ(answer.status, 200) << headers;
    EXPECT_EQ(answer.body, "<!doctype html>");
    EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
    EXPECT_TRUE(answer.header("Content-Security-Policy").starts_with("default-src 'none'"));
  }
  EXPECT_EQ(client().ask("POST", "/page").status, 405);
}

TEST_F(HttpServerTest, AStreamGoesOnUntilItsReaderLeaves) {
  feed.serve_at(routes);
  serve();
  auto reader = client();
  reader.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto head = reader.receive();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Type"), "text/event-stream");
  EXPECT_EQ(head.header("Cache-Control"), "no-store");
  feed.say("data: one\n\n");
  EXPECT_EQ(reader.receive_until("one\n\n"), "data: one\n\n");
  feed.say("data: two\n\n");
  EXPECT_EQ(reader.receive_until("two\n\n"), "data: two\n\n");
  EXPECT_EQ(get("/hello").status, 200);  // others are served meanwhile
  {
    const auto leaves = std::move(reader);
  }
  EXPECT_TRUE(test::wait_until([&] {
    feed.say(": still there?\n\n");
    return feed.readers == 0;
  }));
}

TEST_F(HttpServerTest, AStreamMayBeRefusedAndAsksForTheToken) {
  feed.serve_at(routes);
  serve({}, "0123456789abcdef");
  EXPECT_EQ(get("/feed").status, 401);
  const std::string right = "Host: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n";
  EXPECT_EQ(get("/feed", right + "Last-Event-ID: 13\r\n").body, "not that one\n");
  auto head = client();
  EXPECT_EQ(head.ask("HEAD", "/feed", right).status, 200);
  EXPECT_EQ(head.receive_all(), 0U);
  EXPECT_TRUE(test::wait_until([&] { return feed.readers == 0; }));
}

TEST_F(HttpServerTest, StreamsLeaveConnectionsToOthers) {
  feed.serve_at(routes);
  serve({.connections = 4, .streams = 2});
  const std::string ask = "GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n";
  auto one = client();
  auto two = client();
  one.send(ask);
  two.send(ask);
  EXPECT_EQ(one.receive().status, 200);
  EXPECT_EQ(two.receive().status, 200);
  EXPECT_EQ(get("/feed").status, 503);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(get("/hello").status, 200);
  feed.say("data: x\n\n");
  EXPECT_EQ(one.receive_until("\n\n"), "data: x\n\n");
}

TEST_F(HttpServerTest, WhoDoesNotReadAStreamIsCutOff) {
  feed.serve_at(routes);
  serve({.response = 300ms});
  HttpClient slow(port(), {.receive_buffer = 4'096});
  slow.send("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(slow.receive().status, 200);
  feed.say(std::string(large, 'x'));
  EXPECT_TRUE(test::wait_until([&] { return feed.readers == 0; }));
  EXPECT_LT(slow.receive_all(), large);
}

TEST_F(HttpServerTest, WhatAHandlerThrowsStaysHere) {
  serve();
  const auto answer = get("/throws");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  EXPECT_EQ(get("/hello").status, 200);
}

TEST_F(HttpServerTest, AnOversizedRequestIsRefusedAndTheConnectionEnds) {
  serve({.head_bytes = 1'000});
  EXPECT_EQ(get("/hello", "Host: localhost\r\nX: " + std::string(800, 'x') + "\r\n").status, 200);
  for (const std::size_t size : {1'000U, 5'000U, 200'000U}) {
    auto visitor = client();
    EXPECT_EQ(visitor.get("/hello", "Host: localhost\r\nX: " + std::string(size, 'x') + "\r\n").status, 431);
    EXPECT_EQ(visitor.get("/hello").status, 0);
  }
  auto visitor = client();
  EXPECT_EQ(visitor.get("/" + std::string(5'000, 'x')).status, 431);
}

TEST_F(HttpServerTest, WhoDoesNotCompleteARequestInTimeIsCutOff) {
  serve({.request = 200ms});
  auto silent = client();
  EXPECT_EQ(silent.receive_all(), 0U);
  auto half = client();
  half.send("GET /hello HTTP/1.1\r\nHost: local");
  EXPECT_EQ(half.receive_all(), 0U);
  // A byte now and then gains no time.
  auto trickle = client();
  EXPECT_TRUE(test::wait_until([&] {
    std::this_thread::sleep_for(20ms);
    return !trickle.send("x");
  }));
}

TEST_F(HttpServerTest, ManyHalfRequestsKeepNobodyOut) {
  serve({.connections = 8, .request = 60s});
  std::vector<HttpClient> half;
  for (int i = 0; i < 40; ++i) {
    half.push_back(client());
    half.back().send("GET /hello HTTP/1.1\r\n");
    if (i % 10 == 9) {
      EXPECT_EQ(get("/hello").status, 200) << i;
    }
  }
  // The oldest made room, and the newest are still heard.
  EXPECT_EQ(half.front().receive_all(), 0U);
  half.back().send("Host: localhost\r\n\r\n");
  EXPECT_EQ(half.back().receive().status, 200);
}

TEST_F(HttpServerTest, ManyThatWereRefusedAndStayKeepNobodyOut) {
  serve({.connections = 8});
  std::vector<HttpClient> refused;
  for (int i = 0; i < 40; ++i) {
    refused.push_back(client());
    refused.back().send(i % 2 == 0 ? "hello\r\n\r\n"
                                   : "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(refused.back().receive().status, i % 2 == 0 ? 400 : 200) << i;
  }
  EXPECT_EQ(get("/hello").status, 200);
}

TEST_F(HttpServerTest, WhereAllAreBeingAnsweredFurtherOnesAreTurnedAway) {
  serve({.connections = 2, .handler = 60s});
  auto one = client();
  auto two = client();
  one.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n");
  two.send("GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(test::wait_until([&] { return get("/hello").status == 0; }));
}

TEST_F(HttpServerTest, WhoDoesNotTakeTheAnswerIsCutOff) {
  serve({.connections = 1, .response = 500ms});
  HttpClient slow(port(), {.receive_buffer = 4'096});
  slow.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(test::wait_until([&] { return get("/hello").status == 0; }));    // it has the only place
  ASSERT_TRUE(test::wait_until([&] { return get("/hello").status == 200; }));  // and had it
  EXPECT_LT(slow.receive_all(), large);
}

TEST_F(HttpServerTest, ALargeAnswerArrivesWhole) {
  serve();
  EXPECT_EQ(get("/large").body.size(), large);
}

TEST_F(HttpServerTest, AHandlerThatNeverKnowsIsGivenUp) {
  serve({.handler = 100ms});
  EXPECT_EQ(get("/never").status, 503);
}

TEST_F(HttpServerTest, ASlowAnswerHoldsUpNoOtherAndIsMadeOnceForMany) {
  std::atomic<bool> go = false;
  std::atomic<int> made = 0;
  Cached<Response> slow(
      [&] {
        made += 1;
        go.wait(false);
        return Response::text(200, "at last\n");
      },
      {60s});
  routes.add("/slow", [&](const Request&) { return slow.get(); });
  serve();
  auto one = client();
  auto two = client();
  for (auto* visitor : {&one, &two}) visitor->send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(test::wait_until([&] { return made == 1; }));
  EXPECT_EQ(get("/hello").status, 200);
  go = true;
  go.notify_all();
  EXPECT_EQ(one.receive().body, "at last\n");
  EXPECT_EQ(two.receive().body, "at last\n");
  EXPECT_EQ(get("/slow").body, "at last\n");
  EXPECT_EQ(made, 1);
  server.reset();  // before what its handlers use
}

TEST_F(HttpServerTest, StartedAgainItServesWhoeverCameMeanwhile) {
  serve();
  ASSERT_EQ(get("/hello").status, 200);
  server->stop();
  auto visitor = client();
  visitor.send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  server->start();
  EXPECT_EQ(visitor.receive().status, 200);
}

TEST(Listener, APortThatIsTakenIsToldSo) {
  const auto first = Listener::open({});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_NE(first->address().port, 0);
  const auto second = Listener::open(first->address());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ListenError::Code::taken);
  EXPECT_NE(second.error().message.find(first->address().text()), std::string::npos)
      << second.error().message;
}

TEST(Listener, AnAddressOfAnotherMachineIsToldSo) {
  const auto opened = Listener::open({"192.0.2.1", 0});  // RFC 5737: nobody has it
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ListenError::Code::no_address);
}

TEST(Listener, APortThatTheUserMayNotUseIsToldSo) {
  int first_free_to_all = 0;
  std::ifstream("/proc/sys/net/ipv4/ip_unprivileged_port_start") >> first_free_to_all;
  if (first_free_to_all <= 81) GTEST_SKIP() << "here everybody may use every port";
  // In a process of its own, which gives up what root may do.
  EXPECT_EXIT(
      {
        if (getuid() == 0 && setuid(65'534) != 0) _exit(1);
        const auto opened = Listener::open({"127.0.0.1", 81});
        _exit(!opened && opened.error().code == ListenError::Code::not_permitted ? 0 : 2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(Routes, AParameterIsFoundAndDecoded) {
  const Request request{"/x", "limit=10&after=s%2D1+x&after=2&empty=&bad=%4", true};
  EXPECT_EQ(request.parameter("limit"), "10");
  EXPECT_EQ(request.parameter("after"), "s-1 x");
  EXPECT_EQ(request.parameter("empty"), "");
  EXPECT_EQ(request.parameter("bad"), std::nullopt);
  EXPECT_EQ(request.parameter("lim"), std::nullopt);
}

}  // namespace
}  // namespace tenure::http
