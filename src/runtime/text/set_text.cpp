#include "runtime/text/set_text.hpp"

#include "core/base/text.hpp"

namespace tenure::runtime {

namespace {

std::string nodes_text(std::size_t count) {
  return count == 1 ? "a single node" : "a set of " + std::to_string(count) + " nodes";
}

}  // namespace

SetText set_text(const core::Record& record, const core::Terms& ours) {
  using Why = NotOpen::Why;
  const core::Terms& theirs = record.terms;
  if (theirs.set == core::no_set && record.why.ends_with(">" + std::string(core::no_set))) {
    return {Why::left_set, "it was taken out of its set of nodes by tenure reconfigure",
            "name the nodes that decide now"};
  }
  if (theirs.set == core::no_set) {
    return {Why::between_sets,
            "it is between two sets of nodes: tenure reconfigure was begun and not finished",
            "run tenure reconfigure again, with the nodes that shall decide"};
  }
  const std::size_t there = core::nodes_in(theirs.set);
  const std::size_t here = core::nodes_in(ours.set);
  const std::string shown = core::printable(theirs.set, 80);
  if (there != here) {
    return {Why::other_count,
            "it belongs to " + nodes_text(there) + " (" + shown + "), and you name " + std::to_string(here) +
                (here == 1 ? " node" : " nodes"),
            "name the nodes of that set"};
  }
  if (there == 1) {
    return {Why::other_name,
            "it is known by the name " + shown + ", and you say " + core::printable(ours.set, 80),
            "use the same node_set as the others do, or none"};
  }
  return {Why::other_set,
          "it belongs to another set of " + std::to_string(there) + " nodes (" + shown + ") than you name (" +
              core::printable(ours.set, 80) + ")",
          "name the same nodes as the others do, by the same addresses, or have everybody use the same "
          "node_set"};
}

}  // namespace tenure::runtime
