#include "core/outbox.hpp"

#include "core/action.hpp"

namespace tenure::core {

RequestId Outbox::send(NodeIndex node, Request request, Duration answer_within) {
  const RequestId id = requests_.add({sender_, node});
  actions_.push_back(Send{node, id, std::move(request), answer_within});
  return id;
}

void Outbox::drop(NodeIndex node, RequestId id) {
  requests_.take(id);
  actions_.push_back(Drop{node, id});
}

void Outbox::tell(Action action) { actions_.push_back(std::move(action)); }

void Outbox::make_room(std::size_t actions) { actions_.reserve(actions_.size() + actions); }

}  // namespace tenure::core
