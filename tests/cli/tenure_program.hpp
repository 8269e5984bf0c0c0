// Runs the program in tests, against a Redis of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/redis_server.hpp"
#include "support/wait.hpp"

namespace tenure::test {

using Words = std::vector<std::string>;

struct Result {
  int code = 0;
  std::string out;
  std::string err;
};

// What the program must not take from the machine that the tests run on.
inline Words plain_environment(Words more = {}) {
  for (const char* name : {"TENURE_STORE",
                           "TENURE_REDIS",
                           "TENURE_REDIS_FILE",
                           "REDIS_URL",
                           "TENURE_TTL_MAX",
                           "TENURE_NODE_SET",
                           "TENURE_TLS_CA",
                           "TENURE_TLS_CERT",
                           "TENURE_TLS_KEY",
                           "TENURE_TLS_NAME",
                           "TENURE_LOG_FORMAT",
                           "TENURE_LOG_LEVEL",
                           "PGHOST",
                           "PGPORT",
                           "PGUSER",
                           "PGPASSWORD",
                           "PGDATABASE",
                           "PGSERVICE",
                           "PGSSLMODE",
                           "PGOPTIONS"}) {
    const auto sets = [&](const std::string& entry) { return entry.starts_with(std::string(name) + "="); };
    if (std::ranges::none_of(more, sets)) more.emplace_back(name);
  }
  return more;
}

inline std::unique_ptr<Process> start_tenure(Words words, Words environment = {}) {
  words.insert(words.begin(), paths::program);
  return std::make_unique<Process>(
      std::move(words), Process::Options{.environment = plain_environment(std::move(environment))});
}

inline Result result_of(const Process& process) {
  const int code = process.exit_code();
  return {code, process.out(), process.err()};
}

inline Result tenure(Words words, Words environment = {}) {
  return result_of(*start_tenure(std::move(words), std::move(environment)));
}

inline Words operator+(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// --redis URL for each.
inline Words redis_options(const Words& urls) {
  Words options;
  for (const auto& url : urls) options.insert(options.end(), {"--redis", url});
  return options;
}

template <class Servers>
Words urls_of(const Servers& servers) {
  Words urls;
  for (const auto& server : servers) urls.push_back(server.url());
  return urls;
}

// Makes servers known to Tenure, together. Throws where that is refused.
inline void make_ready(const Words& urls, const Words& options = {}) {
  const Result made = tenure(Words{"init"} + redis_options(urls) + options);
  if (made.code != 0) throw std::runtime_error("tenure init: " + made.err);
}

// tenure run NAME --redis URL OPTIONS -- COMMAND
struct Job {
  std::string name = "job";
  Words options{};
  Words command{"true"};

  Words words(const std::string& url) const { return words(Words{url}); }
  Words words(const Words& urls) const {
    return Words{"run", name} + redis_options(urls) + options + Words{"--"} + command;
  }
};

inline Words shell(const std::string& script) { return {"sh", "-c", script}; }

// Prints its token, then stays until it is ended.
inline Words stay() { return shell("echo $TENURE_TOKEN; exec sleep 60"); }

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool prints(const Process& process, const std::string& part) {
  return wait_until([&] { return has(process.out(), part); });
}

// The number that a command has printed as its first line.
inline long number_printed(const Process& process) {
  if (!prints(process, "\n")) throw std::runtime_error("it printed nothing; it says: " + process.err());
  return std::stol(process.out());
}

inline Words keys(RedisServer& redis) {
  Words names;
  for (const auto& item : redis.command({"KEYS", "*"}).items) names.push_back(item.text);
  std::ranges::sort(names);
  return names;
}

// Everything in it, to be compared.
inline Words contents(RedisServer& redis) {
  Words all = keys(redis);
  for (const auto& name : keys(redis)) all.push_back(redis.command({"DUMP", name}).text);
  return all;
}

// The words of each line, without the spaces between columns.
inline std::vector<Words> table(const std::string& text) {
  std::vector<Words> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; cells >> cell;) rows.back().push_back(cell);
  }
  return rows;
}

inline const Words only_record{"tenure:fence", "tenure:record"};

// A Redis that knows Tenure.
class ReadyRedis : public RedisServer {
 public:
  ReadyRedis() { make_ready({url()}); }
  explicit ReadyRedis(Options options, const std::string& user_info = {}) : RedisServer(std::move(options)) {
    make_ready({url(user_info)});
  }
};

// Of a second tenure run -n, while web-3 has the name with that token.
inline void expect_told_of_web_3(const Result& second, long token) {
  EXPECT_EQ(second.code, 75);
  EXPECT_EQ(second.out, "");
  EXPECT_TRUE(second.err.starts_with("tenure: job is held by web-3 for another ")) << second.err;
  EXPECT_TRUE(second.err.ends_with("s (token " + std::to_string(token) + ")\n")) << second.err;
}

}  // namespace tenure::test
