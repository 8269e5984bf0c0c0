// A connection on which Redis says whatever it likes: every request is answered once, or known to be open at the end.
// Lines of the input: open · ask KIND (of replies.cpp) · flush · close · or a value that Redis says (values.hpp).
#include "redis/conversation.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/base/check.hpp"
#include "fuzz/replies.hpp"
#include "fuzz/target.hpp"
#include "fuzz/values.hpp"

namespace tenure::fuzz {

namespace {

using core::must;
using core::RequestId;

class Connection {
 public:
  void open() {
    // A connection is opened once.
    if (std::exchange(opened_, true)) return;
    it_.open(out_);
    count_sent();
  }

  void ask(const core::Request& request) {
    const RequestId id{++last_id_};
    requests_.emplace(id, request);
    it_.ask(id, request, out_);
    count_sent();
    must(it_.carries(id), "what was asked is carried");
  }

  void flush() {
    it_.flush(out_);
    count_sent();
  }

  // False when the connection is of no use any more.
  bool hear(const redis::Value& value) {
    std::vector<redis::Conversation::Answer> answers;
    const auto heard = it_.hear(value, out_, answers);
    if (!heard) {
      expect_shown_safely(heard.error());
      return false;
    }
    must(awaited_ > 0, "a reply to nothing is refused");
    awaited_ -= 1;
    count_sent();
    for (const auto& [id, reply] : answers) {
      const auto asked = requests_.find(id);
      must(asked != requests_.end(), "an answer is to what was asked and not answered yet");
      expect_usable(asked->second, reply);
      requests_.erase(asked);
      must(!it_.carries(id), "what was answered is carried no more");
    }
    must(it_.waiting() == !requests_.empty(), "it waits while a request is open");
    flush();
    // Else a request would wait for ever.
    must(requests_.empty() || awaited_ > 0 || !opened_, "who waits has asked");
    return true;
  }

  void close() {
    const auto open = it_.close();
    must(open.size() == requests_.size(), "what was not answered is open");
    for (const auto& [id, applied] : open) must(requests_.erase(id) == 1, "each is open once");
    must(!it_.waiting(), "a closed connection waits for nothing");
  }

 private:
  void count_sent() {
    awaited_ += out_.size();
    for (const auto& command : out_) must(!command.empty(), "a command has a name");
    out_.clear();
  }

  redis::Conversation it_{{.user = "", .password = "secret", .database = 1}, {}, [] {
                            return redis::Introduction{"fresh", 1'700'000'000'000};
                          }};
  bool opened_ = false;
  std::uint64_t last_id_ = 0;
  std::map<RequestId, core::Request> requests_;  // open ones
  std::size_t awaited_ = 0;                      // replies
  std::vector<redis::Command> out_;
};

const core::Request* request_named(std::string_view name) {
  for (const auto& it : requests()) {
    if (it.name == name) return &it.request;
  }
  return nullptr;
}

}  // namespace

void try_input(std::string_view input) {
  std::optional<Connection> connection(std::in_place);
  while (const auto line = next_line(input)) {
    if (*line == "open") {
      connection->open();
    } else if (line->starts_with("ask ")) {
      if (const auto* request = request_named(line->substr(4))) connection->ask(*request);
    } else if (*line == "flush") {
      connection->flush();
    } else if (*line == "close") {
      connection->close();
      connection.emplace();
    } else if (const auto value = read_value(*line, input)) {
      if (!connection->hear(*value)) {
        connection->close();
        connection.emplace();
      }
    }
  }
  connection->close();
}

}  // namespace tenure::fuzz
