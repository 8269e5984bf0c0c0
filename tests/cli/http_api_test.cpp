// What is served is what docs/http-api.md says: the tables of fields in it are read, and real answers are held against them. And
// tenure web, which serves most of it.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

#include "cli/endpoint.hpp"
#include "poll/json_text.hpp"
#include "support/paths.hpp"
#include "support/poll_fleet.hpp"

namespace tenure::test {
namespace {

namespace json = poll::json;

// The types of fields by their path: "sessions[].result.ok" is a boolean.
using Fields = std::map<std::string, std::string>;

std::string between_ticks(const std::string& text, std::size_t from = 0) {
  const auto open = text.find('`', from);
  const auto close = open == std::string::npos ? open : text.find('`', open + 1);
  return close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

// By the headings "### `PATH`" and "### `PATH` on `COMMAND`" ("PATH COMMAND").
std::map<std::string, Fields> documented() {
  std::ifstream file(std::string(paths::source_dir) + "/docs/http-api.md");
  std::map<std::string, Fields> all;
  std::string heading;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) {
      heading = line.starts_with("### ") ? line.substr(4) : "";
      if (const auto path = between_ticks(heading); !path.empty()) {
        const auto command = between_ticks(heading, heading.find(path) + path.size() + 1);
        heading = path + (command.empty() ? "" : " " + command);
      }
    } else if (!heading.empty() && line.starts_with("| `")) {
      const auto field = between_ticks(line);
      const auto from = line.find("| ", 2) + 2;
      all[heading][field] = line.substr(from, line.find(" |", from) - from);
    }
  }
  return all;
}

std::string type_of(const json::value& value) {
  if (value.is_null()) return "null";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "boolean";
  if (value.is_number()) return "number";
  return value.is_array() ? "array" : "object";
}

bool allows(const std::string& types, const std::string& type) {
  return types == type || types.starts_with(type + " or ") || types.ends_with(" or " + type);
}

// Holds answers against fields, and remembers which of these it has seen with a value.
class Schema {
 public:
  explicit Schema(Fields fields) : fields_(std::move(fields)) {}

  void check(const std::string& body) {
    const auto read = poll::read_json(body);
    ASSERT_TRUE(read) << read.error() << ": " << body;
    ASSERT_TRUE(read->is_object()) << body;
    check_object(read->as_object(), "");
  }

  // Fields that were never there, or always null.
  std::set<std::string> unseen() const {
    std::set<std::string> names;
    for (const auto& [name, types] : fields_) {
      if (!seen_.contains(name) && types != "null") names.insert(name);
    }
    return names;
  }

 private:
  void check_object(const json::object& object, const std::string& path) {
    std::set<std::string> there;
    for (const auto& member : object) {
      const std::string name = path + std::string(member.key()) + (member.value().is_array() ? "[]" : "");
      there.insert(name);
      check_value(member.value(), name);
    }
    for (const auto& [name, types] : fields_) {
      const bool ours = name.starts_with(path) && name.find('.', path.size()) == std::string::npos;
      EXPECT_TRUE(!ours || there.contains(name)) << name << " is documented, and not there";
    }
  }

  void check_value(const json::value& value, const std::string& name) {
    ASSERT_TRUE(fields_.contains(name)) << name << " is there, and not documented";
    if (const auto* array = value.if_array()) {
      for (const auto& item : *array) check_value(item, name);
      return;
    }
    EXPECT_TRUE(allows(fields_.at(name), type_of(value))) << name << " is " << type_of(value);
    if (!value.is_null()) seen_.insert(name);
    if (const auto* object = value.if_object()) check_object(*object, name + ".");
  }

  Fields fields_;
  std::set<std::string> seen_{};
};

Schema schema(const std::string& path, const std::string& command) {
  static const auto all = documented();
  Fields fields;
  for (const auto& name : {path, path + " " + command}) {
    if (const auto found = all.find(name); found != all.end())
      fields.insert(found->second.begin(), found->second.end());
  }
  EXPECT_FALSE(fields.empty()) << path;
  return Schema(std::move(fields));
}

using Unseen = std::set<std::string>;

TEST(HttpApi, TheDocumentIsUnderstood) {
  const auto all = documented();
  for (const auto* name : {"errors", "/leader", "/api/v1/self", "/api/v1/self run", "/api/v1/self elect",
                           "/api/v1/self poll", "/api/v1/sessions poll", "/api/v1/sessions web",
                           "/api/v1/nodes", "/api/v1/locks", "/api/v1/elections", "/api/v1/fleets",
                           "/api/v1/fleet", "/api/v1/timeline", "hello", "look", "change", "many"}) {
    EXPECT_TRUE(all.contains(name)) << name;
  }
  EXPECT_EQ(all.size(), 18U);
  EXPECT_EQ(all.at("/api/v1/sessions web").at("sessions[].result"), "object or null");
}

TEST(HttpApi, WhatRunSaysOfItselfIsDocumented) {
  ReadyRedis redis;
  const auto words = Words{"run", "job"} + redis_options({redis.url()}) + Words{"--"} + stay();
  const ServingTenure holder(words);
  ASSERT_TRUE(holder.comes_to("/api/v1/self", 200, "\"held\": true"));
  auto self = schema("/api/v1/self", "run");
  self.check(holder.get("/api/v1/self").body);
  EXPECT_EQ(self.unseen(), Unseen{});
  const ServingTenure waiter(words);
  self.check(waiter.get("/api/v1/self").body);
  EXPECT_TRUE(has(waiter.get("/api/v1/self").body, "\"lease\": null"));
  auto nodes = schema("/api/v1/nodes", "run");
  nodes.check(holder.get("/api/v1/nodes").body);
  redis.kill();
  ASSERT_TRUE(holder.comes_to("/api/v1/nodes", 200, "no_quorum"));
  nodes.check(holder.get("/api/v1/nodes").body);
  EXPECT_EQ(nodes.unseen(), Unseen{});
}

TEST(HttpApi, WhatElectSaysOfItselfIsDocumented) {
  ReadyRedis redis;
  const ServingTenure watcher(Words{"elect", "a", "--observe"} + redis_options({redis.url()}));
  auto self = schema("/api/v1/self", "elect");
  auto leader = schema("/leader", "elect");
  self.check(watcher.get("/api/v1/self").body);
  leader.check(watcher.get("/leader").body);
  const ServingTenure candidate(Words{"elect", "a"} + redis_options({redis.url()}));
  ASSERT_TRUE(candidate.comes_to("/leader", 200, "\"term\": 1"));
  ASSERT_TRUE(candidate.comes_to("/api/v1/self", 200, "\"leads\": true"));
  self.check(candidate.get("/api/v1/self").body);
  leader.check(candidate.get("/leader").body);
  EXPECT_EQ(self.unseen(), Unseen{});
  EXPECT_EQ(leader.unseen(), Unseen{});
}

TEST(HttpApi, WhatPollSaysOfItselfIsDocumentedAndItsSessionsComePageByPage) {
  PollFleet fleet({.sessions = 5});
  const ServingTenure instance(Words{"poll", "--ttl", "3s"} + fleet.place());
  ASSERT_TRUE(instance.comes_to("/api/v1/sessions", 200, "\"total\": 5")) << fleet.told();
  ASSERT_TRUE(instance.comes_to("/api/v1/self", 200, "\"instances\": [{"));
  auto self = schema("/api/v1/self", "poll");
  self.check(instance.get("/api/v1/self").body);
  EXPECT_EQ(self.unseen(), Unseen{});
  auto sessions = schema("/api/v1/sessions", "poll");
  const auto first = instance.get("/api/v1/sessions?limit=2").body;
  sessions.check(first);
  EXPECT_TRUE(has(first, "\"s-1\"") && has(first, "\"next\": 2") && !has(first, "\"s-3\"")) << first;
  const auto last = instance.get("/api/v1/sessions?limit=3&offset=2").body;
  sessions.check(last);
  EXPECT_TRUE(has(last, "\"s-3\"") && has(last, "\"s-5\"") && has(last, "\"next\": null")) << last;
  EXPECT_EQ(sessions.unseen(), Unseen{});
  for (const std::string part :
       {"limit=0", "limit=1001", "limit=-1", "limit=x", "limit=", "offset=-1", "offset=x"}) {
    const auto refused = instance.get("/api/v1/sessions?" + part);
    EXPECT_EQ(refused.status, 400) << part;
    schema("errors", "").check(refused.body);
  }
}

// Names and addresses as nobody should choose them, and results that somebody else wrote.
class WebTest : public testing::Test {
 protected:
  WebTest() {
    make_ready({redis.url()});
    for (const auto& [id, address] :
         {std::pair(hostile, "http://user:secret@127.0.0.1:1/"), {"z-1", "http://127.0.0.1:1/"}}) {
      EXPECT_EQ(tenure::test::tenure(Words{"sessions", "add", id, address} + place()).code, 0);
    }
    instance = start_tenure(Words{"poll", "--ttl", "3s"} + place());
    holder = start_tenure(Words{"run", "</script>\"'"} + place() + Words{"--"} + stay());
    candidate = start_tenure(Words{"elect", "my:<b>", "--id", "<i>web-1</i>"} + place());
    EXPECT_TRUE(prints(*candidate, "elected")) << candidate->err();
    EXPECT_TRUE(prints(*holder, "\n")) << holder->err();
  }
  Words place() const { return redis_options({redis.url()}); }

  const std::string hostile = "<img src=x onerror=alert(1)>";
  RedisServer redis;
  std::unique_ptr<Process> instance, holder, candidate;
};

TEST_F(WebTest, WhatTheNodesShowIsDocumentedAndEscapedAndHasNoSecrets) {
  const ServingTenure web(Words{"web"} + place());
  ASSERT_TRUE(
      web.comes_to("/api/v1/fleet", 200, "\"owned\": 2, \"unlisted\": 0, \"nobody\": 0, \"failing\": 2"))
      << web.get("/api/v1/fleet").body;
  ASSERT_TRUE(web.comes_to("/api/v1/fleets", 200, "\"fleet\": \"poll\""));
  for (const std::string path : {"/api/v1/self", "/api/v1/nodes", "/api/v1/locks", "/api/v1/elections",
                                 "/api/v1/fleets", "/api/v1/sessions"}) {
    const auto answer = web.get(path);
    EXPECT_EQ(answer.status, 200) << path;
    EXPECT_EQ(answer.header("Content-Type"), "application/json") << path;
    EXPECT_EQ(answer.header("X-Content-Type-Options"), "nosniff") << path;
    EXPECT_FALSE(has(answer.body, "secret")) << answer.body;
    auto fields = schema(path, "web");
    fields.check(answer.body);
    Unseen unseen = fields.unseen();
    if (path == "/api/v1/nodes") unseen.erase("nodes[].reason");
    if (path == "/api/v1/sessions") unseen.erase("sessions[].due_ms");  // they fail, and back off
    for (const std::string list : {"/api/v1/sessions", "/api/v1/locks", "/api/v1/elections"}) {
      if (path == list) unseen.erase("next");
    }
    if (path == "/api/v1/elections") unseen.erase("elections[].owner_began");  // its id was chosen
    EXPECT_EQ(unseen, Unseen{}) << path << answer.body;
  }
  EXPECT_EQ(web.get("/livez").body, "ok\n");
  EXPECT_TRUE(has(web.get("/readyz").body, "ready: 1 of 1"));
  EXPECT_TRUE(has(web.get("/api/v1/locks").body, R"("name": "</script>\"'")"))
      << web.get("/api/v1/locks").body;
  EXPECT_TRUE(has(web.get("/api/v1/elections").body, R"("owner": "<i>web-1</i>")"));
  EXPECT_TRUE(has(web.get("/api/v1/sessions").body, R"("address": "http://***@127.0.0.1:1/")"));
  web.process().send(SIGTERM);
  EXPECT_EQ(web.process().exit_code(), 0);
}

TEST_F(WebTest, AFleetIsDocumentedAlsoWhileItsNodesGiveNoLeases) {
  const ServingTenure web(Words{"web"} + place());
  auto fields = schema("/api/v1/fleet", "web");
  ASSERT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"status\": \"ready\""));
  fields.check(web.get("/api/v1/fleet").body);
  for (const auto& process : {&instance, &holder, &candidate}) (*process)->send(SIGKILL);
  redis.restart();
  ASSERT_TRUE(web.comes_to("/readyz", 503, "no record of Tenure"));
  ASSERT_TRUE(web.comes_to("/api/v1/fleet", 200, "\"open\": false"));
  fields.check(web.get("/api/v1/fleet").body);
  EXPECT_EQ(fields.unseen(), Unseen{"not_open[].left_ms"});  // nobody has begun to wait
}

TEST_F(WebTest, SessionsComePageByPageAndOfTheFleetThatIsNamed) {
  const ServingTenure web(Words{"web"} + place());
  const auto first = web.get("/api/v1/sessions?limit=1").body;
  EXPECT_TRUE(has(first, "\"total\": 2") && has(first, "\"next\": 1")) << first;
  schema("/api/v1/sessions", "web").check(first);
  const auto second = web.get("/api/v1/sessions?limit=1&offset=1").body;
  EXPECT_TRUE(has(second, "\"id\": \"z-1\"") && has(second, "\"next\": null")) << second;
  EXPECT_TRUE(has(web.get("/api/v1/sessions?search=%3CIMG").body, "\"total\": 1"));
  EXPECT_TRUE(has(web.get("/api/v1/sessions?sort=failing").body, "\"total\": 2"));
  EXPECT_EQ(web.get("/api/v1/sessions?sort=colour").status, 400);
  EXPECT_TRUE(has(web.get("/api/v1/sessions?fleet=other").body, "\"total\": 0"));
  EXPECT_TRUE(has(web.get("/api/v1/fleet?fleet=other").body, "\"fleet\": \"other\""));
  const auto refused = web.get("/api/v1/fleet?fleet=redlock");
  EXPECT_EQ(refused.status, 404);
  schema("errors", "").check(refused.body);
}

// The data of the next event of that kind.
std::string next_event(HttpClient& stream, const std::string& event) {
  for (;;) {
    const auto text = stream.receive_until("\n\n");
    if (text.empty()) throw std::runtime_error("the stream ended before " + event);
    if (!has(text, "event: " + event + "\n")) continue;
    const auto from = text.find("data: ") + 6;
    return text.substr(from, text.find('\n', from) - from);
  }
}

// The data of the next change of a lock.
std::string next_lock(HttpClient& stream) {
  for (;;) {
    auto data = next_event(stream, "change");
    if (has(data, "\"kind\": \"lock\"")) return data;
  }
}

HttpClient watch(const ServingTenure& web, const std::string& headers = "") {
  HttpClient stream(web.port());
  stream.send("GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  EXPECT_EQ(stream.receive().status, 200);
  return stream;
}

// O2
TEST_F(WebTest, WhoeverWatchesIsToldOfATakeOverAndTheTimelineShowsIt) {
  const ServingTenure web(Words{"web"} + place());
  ASSERT_TRUE(web.comes_to("/api/v1/timeline?kind=lock", 200, "\"total\": 1"));
  auto lanes = schema("/api/v1/timeline", "web");
  lanes.check(web.get("/api/v1/timeline").body);
  auto stream = watch(web);
  schema("hello", "").check(next_event(stream, "hello"));
  auto looks = schema("look", "");
  looks.check(next_event(stream, "look"));
  holder->send(SIGTERM);
  auto changes = schema("change", "");
  const auto gone = next_lock(stream);
  changes.check(gone);
  EXPECT_TRUE(has(gone, "\"owner\": null")) << gone;
  const auto next =
      start_tenure(Words{"run", "</script>\"'", "--id", "web-7"} + place() + Words{"--"} + stay());
  const auto taken = next_lock(stream);
  changes.check(taken);
  EXPECT_TRUE(has(taken, "\"owner\": \"web-7\"") && has(taken, "\"was\": null")) << taken;
  const auto shown = web.get("/api/v1/timeline?kind=lock").body;
  lanes.check(shown);
  EXPECT_TRUE(has(shown, "\"owner\": \"web-7\"")) << shown;
  EXPECT_EQ(web.get("/api/v1/timeline?kind=lock&from_ms=99999999999999").status, 200);
  for (const auto* bad : {"kind=key", "from_ms=x", "limit=0"}) {
    EXPECT_EQ(web.get(std::string("/api/v1/timeline?") + bad).status, 400) << bad;
  }
  EXPECT_TRUE(has(web.get("/api/v1/timeline?kind=election&search=MY").body, "\"total\": 1"));
  EXPECT_TRUE(has(web.get("/api/v1/timeline?kind=election&search=x").body, "\"total\": 0"));
}

TEST_F(WebTest, ATimelineIsDocumentedAlsoWhileNothingCanBeSeen) {
  const ServingTenure web(Words{"web"} + place());
  auto lanes = schema("/api/v1/timeline", "web");
  ASSERT_TRUE(web.comes_to("/api/v1/timeline", 200, "\"total\": 2"));
  // The first in the list, and not there at the first look: its beginning lies between two.
  EXPECT_EQ(tenure::test::tenure(Words{"sessions", "add", "0-later", "http://127.0.0.1:1/"} + place()).code,
            0);
  const auto path = "/api/v1/timeline?limit=1";
  ASSERT_TRUE(web.comes_to(path, 200, "\"name\": \"0-later\""));
  lanes.check(web.get(path).body);
  auto stream = watch(web);
  next_event(stream, "look");
  for (const auto& process : {&instance, &holder, &candidate}) (*process)->send(SIGKILL);
  redis.kill();
  std::string look;
  do look = next_event(stream, "look");
  while (has(look, "\"error\": null"));
  schema("look", "").check(look);
  ASSERT_TRUE(web.comes_to(path, 200, "\"blind\": [{"));
  lanes.check(web.get(path).body);
  redis.restart();  // empty: it gives no leases
  ASSERT_TRUE(web.comes_to(path, 200, "\"quarantines\": [{"));
  lanes.check(web.get(path).body);
  ASSERT_TRUE(wait_until([&] { return !has(web.get(path).body, "\"to_ms\": null, \"to_min_ms\""); }));
  lanes.check(web.get(path).body);
  EXPECT_EQ(lanes.unseen(), Unseen{"quarantines[].to_ms"}) << web.get(path).body;  // nobody has begun to wait
}

TEST_F(WebTest, ABrokenStreamGoesOnWhereItWas) {
  const ServingTenure web(Words{"web"} + place());
  ASSERT_TRUE(web.comes_to("/api/v1/timeline?kind=lock", 200, "\"total\": 1"));
  std::string id;
  {
    auto stream = watch(web);
    const auto hello = next_event(stream, "hello");
    id = hello.substr(hello.find("\"id\": ") + 6);
    id.resize(id.find('}'));
  }
  holder->send(SIGTERM);
  ASSERT_TRUE(wait_until([&] { return has(web.get("/api/v1/locks").body, "\"total\": 0"); }));
  auto stream = watch(web, "Last-Event-ID:" + id + "\r\n");
  EXPECT_TRUE(has(next_lock(stream), "\"owner\": null"));
  // One of another process is told to ask for everything.
  auto other = watch(web, "Last-Event-ID: 5\r\n");
  EXPECT_EQ(next_event(other, "reset"), "{}");
}

TEST_F(WebTest, ThePageIsServedToABrowserWithoutAToken) {
  const auto file = std::filesystem::temp_directory_path() / ("tenure-token-" + std::to_string(getpid()));
  std::ofstream(file) << "0123456789abcdef\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_read);
  const ServingTenure web(Words{"web", "--http-token-file", file.string()} + place());
  std::filesystem::remove(file);
  const auto page = web.get("/", "Host: ops.example\r\nSec-Fetch-Site: cross-site\r\n");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_TRUE(has(page.body, "<!doctype html>")) << page.body;
  EXPECT_EQ(web.get("/web/app.js").header("Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(web.get("/api/v1/locks").status, 401);
  EXPECT_EQ(web.get("/api/v1/events").status, 401);
}

TEST_F(WebTest, WhoWatchesAnotherFleetIsToldOfItsChangesAndHasItsTimeline) {
  const ServingTenure web(Words{"web"} + place());
  EXPECT_EQ(tenure::test::tenure(
                Words{"sessions", "add", "b-1", "http://127.0.0.1:1/", "--fleet", "billing"} + place())
                .code,
            0);
  HttpClient stream(web.port());
  stream.send("GET /api/v1/events?fleet=billing HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(stream.receive().status, 200);
  EXPECT_TRUE(has(web.get("/api/v1/timeline?fleet=billing").body, "\"total\": 0"));
  const auto other = start_tenure(Words{"poll", "--ttl", "3s", "--fleet", "billing", "--id", "b"} + place());
  std::string change;
  do change = next_event(stream, "change");
  while (!has(change, "\"kind\": \"session\""));
  EXPECT_TRUE(has(change, "\"fleet\": \"billing\", \"name\": \"b-1\", \"owner\": \"b\"")) << change;
  EXPECT_TRUE(has(web.get("/api/v1/timeline?fleet=billing").body, "\"name\": \"b-1\""));
  EXPECT_EQ(web.get("/api/v1/events?fleet=redlock").status, 404);
}

TEST_F(WebTest, ChangesNothing) {
  for (const auto& process : {&instance, &holder, &candidate}) {
    (*process)->send(SIGTERM);
    EXPECT_TRUE((*process)->wait());
  }
  const auto before = contents(redis);
  const ServingTenure web(Words{"web"} + place());
  for (const auto* path : {"/readyz", "/api/v1/nodes", "/api/v1/locks", "/api/v1/elections", "/api/v1/fleets",
                           "/api/v1/fleet", "/api/v1/sessions", "/api/v1/timeline", "/"}) {
    EXPECT_EQ(web.get(path).status, 200) << path;
  }
  EXPECT_EQ(contents(redis), before);
}

TEST_F(WebTest, ARedisThatIsAwayIsToldWithItsReasonAndComesBack) {
  const ServingTenure web(Words{"web"} + place());
  redis.kill();
  for (const auto* path :
       {"/api/v1/locks", "/api/v1/elections", "/api/v1/fleets", "/api/v1/fleet", "/api/v1/sessions"}) {
    ASSERT_TRUE(web.comes_to(path, 503, redis.url())) << path;
    schema("errors", "").check(web.get(path).body);
  }
  EXPECT_EQ(web.get("/livez").status, 200);
  redis.restart();
  EXPECT_TRUE(web.comes_to("/api/v1/locks", 200));
}

TEST(Web, ThePasswordOfANodeIsShownToNobody) {
  ReadyRedis redis(RedisServer::Options{.arguments = {"--requirepass", "secret"}, .password = "secret"},
                   ":secret");
  const ServingTenure web(Words{"web"} + redis_options({redis.url(":secret")}));
  EXPECT_TRUE(has(web.get("/api/v1/nodes").body, "***@")) << web.get("/api/v1/nodes").body;
  redis.kill();
  ASSERT_TRUE(web.comes_to("/readyz", 503, "***@"));
  ASSERT_TRUE(web.comes_to("/api/v1/nodes", 200, "no_quorum"));
  for (const auto* path : {"/readyz", "/api/v1/self", "/api/v1/nodes", "/api/v1/locks", "/api/v1/fleet"}) {
    EXPECT_FALSE(has(web.get(path).body, "secret")) << path;
  }
}

}  // namespace
}  // namespace tenure::test
