#include "kubernetes/watch_event.hpp"

#include "poll/json_text.hpp"

namespace tenure::kubernetes {

namespace json = poll::json;

namespace {

// An object in etcd is smaller than this.
constexpr std::size_t line_max = std::size_t{4} << 20U;

std::string text_in(const json::object& parent, const char* name) {
  const auto* found = parent.if_contains(name);
  const auto* text = found != nullptr ? found->if_string() : nullptr;
  return text != nullptr ? std::string(*text) : std::string();
}

std::optional<WatchEvent::Kind> kind_of(std::string_view type) {
  using enum WatchEvent::Kind;
  if (type == "ADDED" || type == "MODIFIED") return changed;
  if (type == "DELETED") return deleted;
  if (type == "BOOKMARK") return bookmark;
  if (type == "ERROR") return error;
  return std::nullopt;
}

}  // namespace

std::optional<WatchEvent> read_event(std::string_view line) {
  const auto read = poll::read_json(line);
  const auto* event = read ? read->if_object() : nullptr;
  const auto* found = event != nullptr ? event->if_contains("object") : nullptr;
  const auto* object = found != nullptr ? found->if_object() : nullptr;
  if (object == nullptr) return std::nullopt;
  const auto kind = kind_of(text_in(*event, "type"));
  if (!kind) return std::nullopt;
  WatchEvent made{*kind};
  if (made.kind == WatchEvent::Kind::error) return made;
  const auto* metadata = object->if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return std::nullopt;
  made.object = text_in(metadata->get_object(), "name");
  made.version = text_in(metadata->get_object(), "resourceVersion");
  if (made.kind == WatchEvent::Kind::changed) {
    auto lease = read_lease(json::serialize(*found));
    if (!lease) return std::nullopt;
    made.lease = std::move(*lease);
  }
  return made;
}

bool EventLines::take(std::string_view piece, std::vector<WatchEvent>& events) {
  rest_.append(piece);
  std::size_t from = 0;
  for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', from)) {
    const auto line = std::string_view(rest_).substr(from, end - from);
    from = end + 1;
    if (line.empty()) continue;
    auto event = read_event(line);
    if (!event) return false;
    events.push_back(std::move(*event));
  }
  rest_.erase(0, from);
  return rest_.size() <= line_max;
}

}  // namespace tenure::kubernetes
