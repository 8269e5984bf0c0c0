#include "core/survey.hpp"

#include <algorithm>
#include <utility>

#include "core/check.hpp"

namespace tenure::core {

namespace {

// Each holds a node up for a millisecond; others get their turn in between.
constexpr std::size_t looks_max = 4;

}  // namespace

void Survey::start(std::vector<std::string> keys, Time now, Outbox& out) {
  must(!under_way(), "one survey after the other");
  keys_ = std::move(keys);
  asked_ = 0;
  while (looks_.size() < looks_max && asked_ < keys_.size()) look(now, out);
}

void Survey::stop(Outbox& out) {
  for (const auto& [request, look] : sent_) out.forget(request);
  sent_.clear();
  looks_.clear();
}

void Survey::look(Time now, Outbox& out) {
  const std::size_t size = std::min(look_size_max, keys_.size() - asked_);
  LookRequest request;
  request.keys.reserve(size);
  for (std::size_t i = 0; i < size; ++i) request.keys.push_back(std::move(keys_[asked_ + i]));
  Look& look = looks_[asked_];
  look.size = size;
  look.answers.resize(nodes_);
  look.gives_up = now + node_timeout_;
  for (NodeIndex node = 0; node < nodes_; ++node) {
    const RequestId sent = out.send(node, request, node_timeout_);
    look.unanswered.emplace(sent, node);
    sent_.emplace(sent, asked_);
  }
  asked_ += size;
}

void Survey::on_reply(RequestId request, const Reply& reply, Time now, Outbox& out,
                      std::vector<Found>& found) {
  const auto sent = sent_.extract(request);
  if (sent.empty()) return;
  Look& look = looks_.at(sent.mapped());
  const auto node = look.unanswered.extract(request);
  const auto* sights = std::get_if<Sights>(&reply);
  if (sights != nullptr && sights->size() == look.size) look.answers[node.mapped()] = *sights;
  if (look.unanswered.empty() || decided(look)) end(sent.mapped(), now, out, found);
}

// Can a silent node change anything any more?
bool Survey::decided(const Look& look) const {
  const auto answered = std::ranges::count_if(look.answers, [](const auto& it) { return it.has_value(); });
  if (static_cast<std::size_t>(answered) < quorum_of(nodes_)) return false;
  for (std::size_t i = 0; i < look.size; ++i) {
    if (!view_of(sights_of(look.answers, i)).decided) return false;
  }
  return true;
}

void Survey::end(LookId id, Time now, Outbox& out, std::vector<Found>& found) {
  const Look look = std::move(looks_.extract(id).mapped());
  for (const auto& [request, node] : look.unanswered) {
    out.forget(request);
    sent_.erase(request);
  }
  const auto answered = std::ranges::count_if(look.answers, [](const auto& it) { return it.has_value(); });
  const bool enough = static_cast<std::size_t>(answered) >= quorum_of(nodes_);
  for (std::size_t i = 0; i < look.size; ++i) {
    found.push_back({id + i, enough ? std::optional(view_of(sights_of(look.answers, i))) : std::nullopt});
  }
  if (asked_ < keys_.size()) this->look(now, out);
}

void Survey::on_timer(Time now, Outbox& out, std::vector<Found>& found) {
  std::vector<LookId> over;
  for (auto& [id, look] : looks_) {
    if (look.gives_up > now) continue;
    over.push_back(id);
    for (const auto& [request, node] : look.unanswered) out.drop(node, request);
  }
  for (const LookId id : over) end(id, now, out, found);
}

std::optional<Time> Survey::wake() const {
  std::optional<Time> first;
  for (const auto& [id, look] : looks_) first = sooner(first, look.gives_up);
  return first;
}

}  // namespace tenure::core
