// Calls of a server by HTTP: what is answered, and what becomes of those that are not.
#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "http_client/calling.hpp"
#include "support/host_names.hpp"
#include "support/wait.hpp"
#include "support/web_server.hpp"

namespace tenure::test {
namespace {

using core::Applied;
using core::FailureCode;
using namespace std::chrono_literals;
using Guest = WebServer::Guest;
using Request = WebServer::Request;

// Says what it was asked.
bool echo(const Request& request, Guest& guest) {
  std::string text = request.method + " " + request.target + "\n";
  for (const auto& [name, value] : request.headers) text += name + "=" + value + "\n";
  return guest.answer(200, text + "\n" + request.body,
                      "X-Number: " + std::to_string(request.connection) + "\r\n");
}

bool hang(const Request& /*request*/, Guest& guest) {
  guest.wait_for_end();
  return false;
}

std::set<std::string> descriptors() {
  std::set<std::string> numbers;
  DIR* folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) numbers.insert(entry->d_name);
  closedir(folder);
  return numbers;
}

TEST(HttpCalls, ARequestIsSentAsItIsAndItsAnswerComesWhole) {
  WebServer server(echo);
  Calling client({.base = server.base() + "/v1"});
  const auto answer = client.call({.method = "PUT",
                                   .target = "/kv/a%2Fb?cas=0",
                                   .headers = {"X-Consul-Token: secret", "Content-Type: application/json"},
                                   .body = std::string("{\"a\":\0}", 7),
                                   .timeout = 5s});
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->headers.at("x-number"), "1");
  EXPECT_TRUE(answer->body.starts_with("PUT /v1/kv/a%2Fb?cas=0\n")) << answer->body;
  EXPECT_NE(answer->body.find("x-consul-token=secret\n"), std::string::npos);
  EXPECT_NE(answer->body.find("content-type=application/json\n"), std::string::npos);
  EXPECT_TRUE(answer->body.ends_with(std::string("\n\n{\"a\":\0}", 9))) << answer->body;
}

TEST(HttpCalls, ABodyIsNotCalledAFormNorIsItAnnounced) {
  WebServer server(echo);
  Calling client({.base = server.base()});
  const auto answer =
      client.call({.method = "POST", .target = "/", .body = std::string(1'000'000, 'x'), .timeout = 5s});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body.find("content-type="), std::string::npos);
  EXPECT_EQ(answer->body.find("expect="), std::string::npos);
  EXPECT_NE(client.call({.method = "PUT", .target = "/", .timeout = 5s})->body.find("content-length=0\n"),
            std::string::npos);
}

TEST(HttpCalls, StatusesAreAnswersAndRedirectsAreNotFollowed) {
  WebServer server([](const Request& request, Guest& guest) {
    if (request.target == "/gone") return guest.answer(404, "none");
    return guest.answer(302, "", "Location: /gone\r\n");
  });
  Calling client({.base = server.base()});
  EXPECT_EQ(client.get("/gone")->status, 404);
  EXPECT_EQ(client.get("/moved")->status, 302);
}

TEST(HttpCalls, InterimAnswersAndTrailersAreNoAnswers) {
  WebServer server([](const Request& /*request*/, Guest& guest) {
    return guest.send(
        "HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        "Trailer: X-End\r\n\r\n2\r\nok\r\n0\r\nX-End: 1\r\n\r\n");
  });
  Calling client({.base = server.base()});
  const auto answer = client.get("/");
  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_EQ(answer->body, "ok");
  EXPECT_FALSE(answer->headers.contains("x-hint"));
}

TEST(HttpCalls, AConnectionIsKeptForTheNextCall) {
  WebServer server(echo);
  Calling client({.base = server.base()});
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(client.get("/"));
  EXPECT_EQ(server.connections(), 1);
  EXPECT_FALSE(client.calls().busy());
  EXPECT_EQ(client.calls().awaited().fd, -1) << "nothing to poll for";
}

TEST(HttpCalls, TwentyAtOnceAreAnsweredEachForItself) {
  std::atomic<int> there = 0;
  WebServer server([&](const Request& request, Guest& guest) {
    ++there;
    wait_until([&] { return there == 20; }, 5s);
    return guest.answer(200, request.target);
  });
  Calling client({.base = server.base()});
  std::map<HttpCallId, std::string> asked;
  for (int i = 0; i < 20; ++i) {
    const std::string target = "/" + std::to_string(i);
    asked[client.begin({.method = "GET", .target = target, .timeout = 10s})] = target;
  }
  while (!asked.empty()) {
    const auto news = client.next();
    ASSERT_TRUE(news);
    ASSERT_TRUE(news->answer) << news->answer.error().detail;
    EXPECT_EQ(news->answer->body, asked.at(news->id));
    asked.erase(news->id);
  }
  EXPECT_EQ(there, 20);
}

TEST(HttpCalls, MoreThanMayBeConnectedWaitForEachOther) {
  WebServer server(echo);
  Calling client({.base = server.base()});
  for (int i = 0; i < 300; ++i) client.begin({.method = "GET", .target = "/", .timeout = 20s});
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(client.next()->answer);
  EXPECT_LE(server.connections(), 64);
}

TEST(HttpCalls, AServerThatDoesNotAnswerIsGivenUpInTime) {
  WebServer server(hang);
  Calling client({.base = server.base()});
  const core::Time began = runtime::boot_now();
  const auto answer = client.get("/", 200ms);
  ASSERT_FALSE(answer);
  EXPECT_GE(runtime::boot_now() - began, 200ms);
  EXPECT_EQ(answer.error().code, FailureCode::timed_out);
  EXPECT_EQ(answer.error().applied, Applied::perhaps);
  EXPECT_EQ(answer.error().detail, core::silence.detail);
  EXPECT_TRUE(wait_until([&] { return server.ended() == 1; })) << "its connection is closed";
  EXPECT_FALSE(client.calls().busy());
}

TEST(HttpCalls, APortThatNobodyListensOnIsTold) {
  std::string base;
  {
    const WebServer gone(echo);
    base = gone.base();
  }
  Calling client({.base = base});
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.get("/");
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, FailureCode::unreachable);
    EXPECT_EQ(answer.error().applied, Applied::no);
    EXPECT_EQ(answer.error().detail, "connection refused");
  }
}

TEST(HttpCalls, ANameThatNobodyKnowsIsTold) {
  Calling client({.base = "http://nowhere.invalid:80"});
  const auto answer = client.get("/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::unreachable);
  EXPECT_EQ(answer.error().applied, Applied::no);
  EXPECT_EQ(answer.error().detail, "its name cannot be resolved");
}

TEST(HttpCalls, ANameServerThatHangsIsGivenUpInTimeAndNotWaitedForAtTheEnd) {
  let_names_hang(5s);
  const core::Time began = runtime::boot_now();
  {
    Calling client({.base = "http://hangs.invalid:80"});
    const auto answer = client.get("/", 100ms);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, FailureCode::timed_out);
    EXPECT_EQ(answer.error().applied, Applied::no) << "nothing was sent";
  }
  EXPECT_LT(runtime::boot_now() - began, 4s);
}

TEST(HttpCalls, AnAddressThatIsNoneIsTold) {
  Calling client({.base = "http://127.0.0.1:notaport"});
  const auto answer = client.get("/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::unreachable);
  EXPECT_EQ(answer.error().applied, Applied::no);
}

TEST(HttpCalls, AConnectionThatBreaksLeavesTheOutcomeOpen) {
  WebServer server([](const Request& request, Guest& guest) {
    if (request.target == "/half") guest.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    if (request.target == "/head") guest.send("HTTP/1.1 200 OK\r\nConte");
    return false;
  });
  Calling client({.base = server.base()});
  for (const char* target : {"/nothing", "/half", "/head"}) {
    const auto answer = client.call({.method = "PUT", .target = target, .timeout = 5s});
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().code, FailureCode::closed) << target << ": " << answer.error().detail;
    EXPECT_EQ(answer.error().applied, Applied::perhaps) << target;
  }
}

// It may have been handled, and a second time would be another request.
TEST(HttpCalls, WhatChangesSomethingIsNotSentAgainWhereAKeptConnectionBreaks) {
  std::atomic<int> writes = 0;
  std::atomic<int> reads = 0;
  WebServer server([&](const Request& request, Guest& guest) {
    if (request.target == "/first") return guest.answer(200, "");
    if (request.method == "PUT") return ++writes > 1 && guest.answer(200, "again");
    return ++reads > 1 && guest.answer(200, "again");
  });
  Calling client({.base = server.base()});
  ASSERT_TRUE(client.get("/first"));
  const auto answer = client.call({.method = "PUT", .target = "/write", .timeout = 5s});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::closed);
  EXPECT_EQ(answer.error().applied, Applied::perhaps);
  EXPECT_EQ(writes, 1);
  ASSERT_TRUE(client.get("/first"));
  EXPECT_EQ(client.get("/read")->body, "again") << "what changes nothing is asked once more";
}

TEST(HttpCalls, WhatIsNotHttpIsTold) {
  WebServer server([](const Request& /*request*/, Guest& guest) {
    guest.send("-ERR unknown command\r\n");
    return false;
  });
  Calling client({.base = server.base()});
  const auto answer = client.get("/");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, FailureCode::protocol) << answer.error().detail;
}

TEST(HttpCalls, AnswersWithoutEndAreRefused) {
  WebServer server([](const Request& request, Guest& guest) {
    const std::string block(60'000, 'x');
    guest.send("HTTP/1.1 200 OK\r\n");
    if (request.target == "/body") guest.send("\r\n");
    for (int i = 0;; ++i) {
      if (request.target == "/body" && !guest.send(block)) return false;
      if (request.target == "/headers" && !guest.send("X-" + std::to_string(i) + ": " + block + "\r\n"))
        return false;
    }
  });
  Calling client({.base = server.base()});
  for (const char* target : {"/body", "/headers"}) {
    const auto answer = client.get(target);
    ASSERT_FALSE(answer) << target;
    EXPECT_EQ(answer.error().code, FailureCode::protocol) << answer.error().detail;
    EXPECT_EQ(answer.error().detail, "its answer is longer than is read of any");
  }
  EXPECT_TRUE(wait_until([&] { return server.ended() == 2; }));
}

TEST(HttpCalls, AStreamIsToldInPiecesAsTheyComeAndThenItsEnd) {
  std::atomic<int> heard = 0;
  WebServer server([&](const Request& /*request*/, Guest& guest) {
    guest.begin_pieces();
    for (int i = 0; i < 3; ++i) {
      guest.piece("line " + std::to_string(i) + "\n");
      wait_until([&] { return heard == i + 1; });
    }
    return guest.end_pieces();
  });
  Calling client({.base = server.base()});
  const HttpCallId id = client.begin({.method = "GET", .target = "/watch", .stream = true});
  for (int i = 0; i < 3; ++i) {
    const auto news = client.next();
    ASSERT_TRUE(news && news->piece && news->answer) << i;
    EXPECT_EQ(news->answer->status, 200);
    EXPECT_EQ(news->answer->body, "line " + std::to_string(i) + "\n");
    heard = i + 1;
  }
  const auto end = client.end(id);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->body, "");
}

TEST(HttpCalls, AStreamMayBeLongerThanAnyAnswer) {
  constexpr std::size_t blocks = 400;
  WebServer server([&](const Request& /*request*/, Guest& guest) {
    guest.begin_pieces();
    for (std::size_t i = 0; i < blocks; ++i) guest.piece(std::string(60'000, 'x'));
    return guest.end_pieces();
  });
  Calling client({.base = server.base()});
  client.begin({.method = "GET", .target = "/watch", .stream = true});
  std::size_t heard = 0;
  while (auto news = client.next()) {
    ASSERT_TRUE(news->answer) << news->answer.error().detail;
    heard += news->answer->body.size();
    if (!news->piece) break;
  }
  EXPECT_EQ(heard, blocks * 60'000);
}

TEST(HttpCalls, AStreamThatBreaksIsAFailureAfterItsPieces) {
  WebServer server([](const Request& /*request*/, Guest& guest) {
    guest.begin_pieces();
    guest.piece("one");
    return false;
  });
  Calling client({.base = server.base()});
  const HttpCallId id = client.begin({.method = "GET", .target = "/watch", .stream = true});
  EXPECT_TRUE(client.next()->piece);
  const auto end = client.end(id);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, FailureCode::closed) << end.error().detail;
}

TEST(HttpCalls, NothingIsToldOfACallThatWasCancelledAndItsConnectionIsClosed) {
  WebServer server(hang);
  Calling client({.base = server.base()});
  const HttpCallId id = client.begin({.method = "PUT", .target = "/", .timeout = 200ms});
  EXPECT_FALSE(client.next(50ms));
  EXPECT_EQ(server.connections(), 1);
  client.calls().cancel(id);
  EXPECT_FALSE(client.calls().busy());
  EXPECT_TRUE(wait_until([&] { return server.ended() == 1; }));
  EXPECT_FALSE(client.next(300ms));
}

TEST(HttpCalls, CloseEndsAllConnectionsAndKeepsNoDescriptor) {
  WebServer server([](const Request& request, Guest& guest) {
    if (request.target == "/") return guest.answer(200, "");
    return hang(request, guest);
  });
  Calling client({.base = server.base()});
  EXPECT_TRUE(client.get("/"));  // what is loaded when it is first used
  client.calls().close();
  ASSERT_TRUE(wait_until([&] { return server.ended() == 1; }));
  const auto before = descriptors();
  EXPECT_TRUE(client.get("/"));
  for (int i = 0; i < 5; ++i) client.begin({.method = "GET", .target = "/hang"});
  EXPECT_FALSE(client.next(100ms));
  client.calls().close();
  EXPECT_TRUE(wait_until([&] { return server.ended() == server.connections(); }));
  EXPECT_EQ(descriptors(), before);
  EXPECT_TRUE(client.get("/")) << "and it can be used again";
}

TEST(HttpCalls, OneThatHangsDoesNotHoldUpAnother) {
  WebServer server([](const Request& request, Guest& guest) {
    if (request.target == "/") return guest.answer(200, "");
    return hang(request, guest);
  });
  Calling client({.base = server.base()});
  client.begin({.method = "GET", .target = "/hang", .timeout = 60s});
  EXPECT_TRUE(client.get("/"));
  EXPECT_TRUE(client.calls().busy());
}

TEST(HttpCalls, ProxiesOfTheEnvironmentAreNotAsked) {
  setenv("http_proxy", "http://127.0.0.1:1", 1);
  setenv("all_proxy", "http://127.0.0.1:1", 1);
  WebServer server(echo);
  Calling client({.base = server.base()});
  const auto answer = client.get("/");
  unsetenv("http_proxy");
  unsetenv("all_proxy");
  EXPECT_TRUE(answer);
}

TEST(UrlEscaped, OnlyWhatIsPlainStaysAsItIs) {
  EXPECT_EQ(http_client::url_escaped("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(http_client::url_escaped("a/b c%?#\n\xc3\xbc"), "a%2Fb%20c%25%3F%23%0A%C3%BC");
}

}  // namespace
}  // namespace tenure::test
