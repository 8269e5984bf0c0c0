#include "kubernetes/yaml.hpp"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <new>

namespace tenure::kubernetes {

namespace {

constexpr std::size_t depth_max = 32;

// Of libyaml, which is C.
class Parser {
 public:
  explicit Parser(std::string_view text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    // Bytes, as libyaml takes them.
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  tl::expected<Yaml, std::string> document() {
    for (Event event = next();; event = next()) {
      if (!event) return tl::unexpected(error());
      if (event->type == YAML_STREAM_END_EVENT) return Yaml{};
      if (event->type == YAML_DOCUMENT_START_EVENT) break;
    }
    const Event event = next();
    return event ? value(*event, 0) : tl::unexpected(error());
  }

 private:
  struct Delete {
    void operator()(yaml_event_t* event) const {
      yaml_event_delete(event);
      delete event;
    }
  };
  using Event = std::unique_ptr<yaml_event_t, Delete>;

  Event next() {
    auto event = std::make_unique<yaml_event_t>();
    if (yaml_parser_parse(&parser_, event.get()) == 0) return nullptr;
    return Event(event.release());
  }

  std::string error() const {
    return std::string(parser_.problem != nullptr ? parser_.problem : "it is no YAML") + " in line " +
           std::to_string(parser_.problem_mark.line + 1);
  }

  // That event began it.
  tl::expected<Yaml, std::string> value(const yaml_event_t& begin, std::size_t depth) {
    if (depth > depth_max) return tl::unexpected(std::string("it is nested too deeply"));
    switch (begin.type) {
      case YAML_SCALAR_EVENT:
        return Yaml{scalar(begin)};
      case YAML_MAPPING_START_EVENT:
        return mapping(depth);
      case YAML_SEQUENCE_START_EVENT:
        return sequence(depth);
      default:
        break;
    }
    // What stands for another part could make a small file a large tree.
    return tl::unexpected("an alias in line " + std::to_string(begin.start_mark.line + 1) +
                          " is not supported");
  }

  tl::expected<Yaml, std::string> mapping(std::size_t depth) {
    Yaml made;
    while (true) {
      const Event name = next();
      if (!name) return tl::unexpected(error());
      if (name->type == YAML_MAPPING_END_EVENT) return made;
      if (name->type != YAML_SCALAR_EVENT) return tl::unexpected(std::string("a name in it is no text"));
      const Event begin = next();
      if (!begin) return tl::unexpected(error());
      auto member = value(*begin, depth + 1);
      if (!member) return member;
      made.members.emplace_back(scalar(*name), std::move(*member));
    }
  }

  tl::expected<Yaml, std::string> sequence(std::size_t depth) {
    Yaml made;
    while (true) {
      const Event begin = next();
      if (!begin) return tl::unexpected(error());
      if (begin->type == YAML_SEQUENCE_END_EVENT) return made;
      auto item = value(*begin, depth + 1);
      if (!item) return item;
      made.items.push_back(std::move(*item));
    }
  }

  // "null", as it is written without quotes, is nothing.
  static std::string scalar(const yaml_event_t& event) {
    const auto& it = event.data.scalar;
    std::string text(reinterpret_cast<const char*>(it.value), it.length);
    const bool plain = it.style == YAML_PLAIN_SCALAR_STYLE;
    return plain && (text == "null" || text == "~") ? std::string() : text;
  }

  yaml_parser_t parser_{};
};

}  // namespace

const Yaml* Yaml::find(std::string_view name) const {
  const auto found =
      std::ranges::find(members, name, [](const auto& it) -> std::string_view { return it.first; });
  return found != members.end() ? &found->second : nullptr;
}

std::string Yaml::text_of(std::string_view name) const {
  const Yaml* found = find(name);
  return found != nullptr ? found->text : std::string();
}

tl::expected<Yaml, std::string> read_yaml(std::string_view text) { return Parser(text).document(); }

}  // namespace tenure::kubernetes
