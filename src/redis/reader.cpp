#include "redis/reader.hpp"

#include <read.h>  // of hiredis; its other headers are not needed

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "core/base/check.hpp"

namespace tenure::redis {
namespace {

// hiredis before 1.0 knew only eight arrays within one another. Nobody needs more, so all versions stop there.
constexpr std::size_t depth_max = 8;

// "-9223372036854775808\r\n": no number or length is longer.
constexpr std::size_t number_line_max = 22;

constexpr std::size_t header_max = 32;

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};

// The kind of item that hiredis has begun and not finished; the field has another name before 1.0.
template <class AnyReader>
int unfinished_type(const AnyReader& reader) {
  if constexpr (requires { reader.rstack; }) {
    return reader.rstack[reader.ridx].type;
  } else {
    return reader.task[reader.ridx]->type;
  }
}

std::size_t depth_of(const redisReadTask* task) {
  std::size_t depth = 1;
  for (; task->parent != nullptr; task = task->parent) ++depth;
  return depth;
}

}  // namespace

// hiredis finds the items; the functions that it calls build them in place, as far as the limits go.
// They are noexcept because an exception must not cross its C frames.
struct Reader::State {
  explicit State(Limits given);

  static State& of(const redisReadTask* task) { return *static_cast<State*>(task->privdata); }

  void* place(const redisReadTask* task, Value value);
  void* refuse(std::string why);  // nullptr, on which hiredis gives up

  static void* on_string(const redisReadTask* task, char* bytes, std::size_t length) noexcept;
  template <class Count>  // int before hiredis 1.0, size_t since
  static void* on_array(const redisReadTask* task, Count count) noexcept;
  static void* on_integer(const redisReadTask* task, long long number) noexcept;
  static void* on_nil(const redisReadTask* task) noexcept;
  template <class... Any>
  static void* on_resp3(const redisReadTask* task, Any...) noexcept {
    return of(task).refuse("it is RESP3, which was not asked for");
  }

  std::size_t waiting() const { return reader->len - reader->pos; }
  void check_unfinished();
  void check_hiredis();

  Limits limits;
  Value root;
  std::size_t text = 0;      // bytes of text in root
  std::size_t elements = 0;  // announced by the arrays in root
  std::string failure;
  redisReplyObjectFunctions functions{};
  std::unique_ptr<redisReader, FreeReader> reader;
};

Reader::State::State(Limits given) : limits(given) {
  functions.createString = &on_string;
  functions.createArray = &on_array;
  functions.createInteger = &on_integer;
  functions.createNil = &on_nil;
  // Left empty, these would put a small number where a pointer is expected.
  [](auto& any) {
    if constexpr (requires { any.createDouble; }) any.createDouble = &on_resp3;
    if constexpr (requires { any.createBool; }) any.createBool = &on_resp3;
  }(functions);
  reader.reset(redisReaderCreateWithFunctions(&functions));
  core::must(reader != nullptr, "memory for a reader");
  reader->privdata = this;
}

void* Reader::State::place(const redisReadTask* task, Value value) {
  if (task->parent == nullptr) {
    root = std::move(value);
    return &root;
  }
  // Growing the parent moves only finished items: hiredis holds no pointers to those.
  auto& items = static_cast<Value*>(task->parent->obj)->items;
  items.push_back(std::move(value));
  return &items.back();
}

void* Reader::State::refuse(std::string why) {
  failure = std::move(why);
  return nullptr;
}

void* Reader::State::on_string(const redisReadTask* task, char* bytes, std::size_t length) noexcept {
  State& state = of(task);
  if (task->type == REDIS_REPLY_STRING) {
    // hiredis steps over the two bytes behind a string without looking at them.
    if (bytes[length] != '\r' || bytes[length + 1] != '\n')
      return state.refuse("a string does not end where it said");
  } else if (task->type != REDIS_REPLY_STATUS && task->type != REDIS_REPLY_ERROR) {
    return on_resp3(task);
  } else if (length > state.limits.line) {
    return state.refuse("a line is longer than " + std::to_string(state.limits.line) + " bytes");
  }
  if (length > state.limits.text - state.text) {
    return state.refuse("it is longer than " + std::to_string(state.limits.text) + " bytes");
  }
  state.text += length;
  std::string text(bytes, length);
  if (task->type == REDIS_REPLY_STATUS) return state.place(task, Value::status(std::move(text)));
  if (task->type == REDIS_REPLY_ERROR) return state.place(task, Value::error(std::move(text)));
  return state.place(task, Value::string(std::move(text)));
}

template <class Count>
void* Reader::State::on_array(const redisReadTask* task, Count count) noexcept {
  State& state = of(task);
  if (task->type != REDIS_REPLY_ARRAY) return on_resp3(task);
  if (depth_of(task) > depth_max) return state.refuse("its arrays are nested too deeply");
  if (static_cast<std::size_t>(count) > state.limits.elements - state.elements) {
    return state.refuse("it has more than " + std::to_string(state.limits.elements) + " elements");
  }
  state.elements += static_cast<std::size_t>(count);
  // Nothing is reserved: memory follows the bytes that arrived, not those that were announced.
  return state.place(task, Value::array({}));
}

void* Reader::State::on_integer(const redisReadTask* task, long long number) noexcept {
  return of(task).place(task, Value::of(number));
}

void* Reader::State::on_nil(const redisReadTask* task) noexcept {
  // RESP2 writes nil as a string or an array of length -1; the type of its own is RESP3.
  if (task->type == REDIS_REPLY_NIL) return on_resp3(task);
  return of(task).place(task, Value::nil());
}

// hiredis would wait for the rest of an unfinished item without end.
void Reader::State::check_unfinished() {
  if (waiting() == 0) return;
  const std::string_view rest(reader->buf + reader->pos, waiting());
  const int type = unfinished_type(*reader);
  if (type == REDIS_REPLY_STATUS || type == REDIS_REPLY_ERROR) {
    if (rest.size() > limits.line + 1)
      refuse("a line is longer than " + std::to_string(limits.line) + " bytes");
    return;
  }
  const std::size_t end = rest.substr(0, number_line_max).find("\r\n");
  if (end == std::string_view::npos) {
    if (rest.size() >= number_line_max) refuse("a number does not end");
    return;
  }
  std::size_t length = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + end, length);
  if (parsed.ec != std::errc{} || length > limits.text - text) {
    refuse("it is longer than " + std::to_string(limits.text) + " bytes");
  }
}

void Reader::State::check_hiredis() {
  if (reader->err != 0 && failure.empty()) failure = reader->errstr;
}

Reader::Reader() : Reader(Limits{}) {}
Reader::Reader(Limits limits) : state_(std::make_unique<State>(limits)) {}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

void Reader::feed(std::string_view bytes) {
  State& state = *state_;
  if (!state.failure.empty()) return;
  // Room for the largest value that the limits allow, all of it at once.
  const std::size_t room = state.limits.text + state.limits.line + header_max * (state.limits.elements + 1);
  if (bytes.size() > room - std::min(room, state.waiting())) {
    state.refuse("more than " + std::to_string(room) + " bytes wait to be read");
    return;
  }
  redisReaderFeed(state.reader.get(), bytes.data(), bytes.size());
  state.check_hiredis();
}

tl::expected<std::optional<Value>, std::string> Reader::next() {
  State& state = *state_;
  void* done = nullptr;
  if (state.failure.empty()) {
    redisReaderGetReply(state.reader.get(), &done);
    state.check_hiredis();
    if (done == nullptr && state.failure.empty()) state.check_unfinished();
  }
  if (!state.failure.empty()) {
    return tl::unexpected("this is not an answer that Redis would give: " + state.failure);
  }
  if (done == nullptr) return std::nullopt;
  state.text = state.elements = 0;
  return std::exchange(state.root, Value{});
}

}  // namespace tenure::redis
