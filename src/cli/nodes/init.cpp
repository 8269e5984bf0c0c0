#include "cli/nodes/init.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "cli/doctor/closed_node.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/seen_node.hpp"
#include "core/base/text.hpp"
#include "core/lease/record.hpp"
#include "redis/net/caller.hpp"
#include "redis/net/speech.hpp"
#include "redis/record_text.hpp"
#include "redis/text/failure_text.hpp"
#include "redis/text/set_text.hpp"
#include "runtime/instance_id.hpp"
#include "runtime/text/quarantine_text.hpp"
#include "runtime/wall_clock.hpp"

namespace tenure::cli {

namespace {

using core::Failure;

// The script judges by the same: what only says that there was none before counts as none, if it is of our set.
bool is_new(const SeenNode& node, const redis::Keyspace& ours) {
  const auto known = redis::read_record(node.record);
  return node.record.empty() || (known && !known->open && known->unknown() && known->terms.set == ours.set);
}

struct Made {
  bool made = false;
  std::string record;  // the new one, or the one that was there
};

tl::expected<Made, Failure> make_record(redis::Caller& redis, const redis::Keyspace& keyspace) {
  const auto value =
      redis.call(redis::init_call({runtime::random_from_kernel().hex16(), runtime::wall_now_ms()}, keyspace));
  if (!value) return tl::unexpected(value.error());
  if (value->items.size() != 2) return tl::unexpected(core::misfit);
  return Made{value->items[0].text == "made", value->items[1].text};
}

std::string exists_text(const std::string& text, const redis::Keyspace& ours) {
  const auto record = redis::read_record(text);
  if (record && record->terms.set != ours.set) {
    const auto other = redis::set_text(*record, ours);
    return other.what + ": " + set_advice(other);
  }
  if (!record)
    return "it has something that is not a record of Tenure: \"" + core::printable(text, 60) + "\"";
  return std::string("it has a record of Tenure already (") + (record->open ? "open" : "quarantined") +
         ", leases of at most " + core::to_text(record->terms.cap) + ")";
}

// Behind "nothing was changed": whoever runs init after a restart wants to know how to get on.
std::string wait_text(const std::optional<ClosedNode>& closed) {
  if (!closed || !closed->left_max) return "";
  std::string text = ", and there is nothing to do but wait: " + closed->what;
  if (closed->code != quarantined) text += "; " + runtime::left_text({{}, *closed->left_max});
  return text + ". tenure doctor shows how long";
}

// All nodes, and what comes of them.
class Init {
 public:
  using Report = std::function<void(const std::string& line)>;

  Init(Nodes nodes, Report report) : nodes_(std::move(nodes)), report_(std::move(report)) {}

  // Nothing is changed unless every node can be reached and is new. A node without a record beside others
  // that have one has rather lost it, and whoever then gave leases there at once could give one twice.
  int run() {
    look();
    if (code_ == ExitCode::no_quorum) {
      if (nodes_.several()) say("nothing was changed on any node");
    } else if (std::ranges::all_of(seen_, [&](const SeenNode& it) { return is_new(it, nodes_.keyspace); })) {
      make();
    } else {
      leave_alone();
    }
    return number(code_);
  }

 private:
  void look() {
    for (const auto& address : nodes_.addresses) {
      auto seen = see_node(address, nodes_);
      if (seen) {
        seen_.push_back(std::move(*seen));
      } else {
        failed(address, seen.error());
      }
    }
  }

  void make() {
    const std::string cap = core::to_text(nodes_.keyspace.cap);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto& address = nodes_.addresses[i];
      const auto made = make_record(seen_[i].redis, nodes_.keyspace);
      if (!made) {
        failed(address, made.error());
      } else if (!made->made) {
        exists(address, made->record, std::nullopt);
      } else {
        const std::string which = nodes_.several() ? redis::to_text(address) + ": " : "";
        report_(which + "made: this Redis is ready for Tenure (leases of at most " + cap + ")");
      }
    }
  }

  void leave_alone() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto& address = nodes_.addresses[i];
      if (is_new(seen_[i], nodes_.keyspace)) {
        say(redis::to_text(address) +
            ": it has no record of Tenure, and others have: its data was lost, or it "
            "is new. Nothing was changed there: it joins by itself, " +
            core::to_text(core::quarantine_length(nodes_.keyspace.cap)) + " after a client has come to stay");
      } else {
        exists(address, seen_[i].record, why_closed(i));
      }
    }
  }

  std::optional<ClosedNode> why_closed(std::size_t node) const {
    const NodeFacts facts{
        .address = nodes_.addresses[node], .info = seen_[node].info, .record = seen_[node].record};
    return closed_node(facts, {{{}, nodes_.keyspace}, {}, runtime::wall_now_ms(), nodes_.tls_options});
  }

  void failed(const redis::Address& address, const Failure& failure) {
    say(redis::failure_text(address, redis::diagnosed(address, failure)));
    code_ = ExitCode::no_quorum;
  }

  void exists(const redis::Address& address, const std::string& record,
              const std::optional<ClosedNode>& closed) {
    say(redis::to_text(address) + ": " + exists_text(record, nodes_.keyspace) + "; nothing was changed" +
        (nodes_.several() ? " there" : "") + wait_text(closed));
    if (code_ == ExitCode::done) code_ = ExitCode::exists;
  }

  Nodes nodes_;
  Report report_;
  std::vector<SeenNode> seen_{};  // of all nodes, unless some failed
  ExitCode code_ = ExitCode::done;
};

}  // namespace

int init(Nodes nodes, std::function<void(const std::string& line)> report) {
  if (const auto warning = redis::warning_of_even(nodes)) say(*warning);
  return Init(std::move(nodes), std::move(report)).run();
}

int init(const InitArgs& args) {
  auto nodes = choose_nodes(args.nodes);
  if (!nodes) return fail(ExitCode::usage, nodes.error());
  const int code = init(std::move(*nodes), [](const std::string& line) { std::puts(line.c_str()); });
  const int written = finish_output();
  return code == number(ExitCode::done) ? written : code;
}

}  // namespace tenure::cli
