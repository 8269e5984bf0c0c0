#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/doctor/node_findings.hpp"
#include "cli/message.hpp"
#include "cli/nodes/advice.hpp"
#include "cli/nodes/init_nodes.hpp"
#include "core/base/text.hpp"
#include "redis/text/nodes.hpp"
#include "runtime/text/quarantine_text.hpp"
#include "runtime/text/set_text.hpp"

namespace tenure::cli {

using core::Failure;
using core::FoundRecord;

bool is_new(const FoundRecord& record, const core::Terms& ours) {
  const auto& known = record.read;
  return record.absent() || (known && !known->open && known->unknown() && known->terms.set == ours.set);
}

std::string exists_text(const FoundRecord& record, const core::Terms& ours) {
  if (record.read && record.read->terms.set != ours.set) {
    const auto other = runtime::set_text(*record.read, ours);
    return other.what + ": " + set_advice(other);
  }
  if (!record.read) {
    return "it has something that is not a record of Tenure: \"" + core::printable(record.text, 60) + "\"";
  }
  return std::string("it has a record of Tenure already (") + (record.read->open ? "open" : "quarantined") +
         ", leases of at most " + core::to_text(record.read->terms.cap) + ")";
}

namespace {

// All nodes, and what comes of them.
class Init {
 public:
  using Report = std::function<void(const std::string& line)>;

  Init(InitNodes& nodes, const Report& report) : nodes_(nodes), report_(report) {}

  // Nothing is changed unless every node can be reached and is new. A node without a record beside others
  // that have one has rather lost it, and whoever then gave leases there at once could give one twice.
  int run() {
    look();
    if (code_ == ExitCode::no_quorum) {
      if (nodes_.several()) say("nothing was changed on any node");
    } else if (std::ranges::all_of(seen_,
                                   [&](const FoundRecord& it) { return is_new(it, nodes_.terms()); })) {
      make();
    } else {
      leave_alone();
    }
    return number(code_);
  }

 private:
  void look() {
    for (std::size_t i = 0; i < nodes_.names().size(); ++i) {
      auto seen = nodes_.see(i);
      if (seen) {
        seen_.push_back(std::move(*seen));
      } else {
        failed(i, seen.error());
      }
    }
  }

  void make() {
    const std::string cap = core::to_text(nodes_.terms().cap);
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const auto made = nodes_.make(i);
      if (!made) {
        failed(i, made.error());
      } else if (!made->made) {
        exists(i, made->record, "");
      } else {
        const std::string which = nodes_.several() ? nodes_.names()[i] + ": " : "";
        report_(which + "made: this " + nodes_.kind() + " is ready for Tenure (leases of at most " + cap +
                ")");
      }
    }
  }

  void leave_alone() {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      if (is_new(seen_[i], nodes_.terms())) {
        say(nodes_.names()[i] +
            ": it has no record of Tenure, and others have: its data was lost, or it "
            "is new. Nothing was changed there: it joins by itself, " +
            core::to_text(core::quarantine_length(nodes_.terms().cap)) + " after a client has come to stay");
      } else {
        exists(i, seen_[i], nodes_.wait_text(i));
      }
    }
  }

  void failed(std::size_t node, const Failure& failure) {
    say(nodes_.names()[node] + ": " + failure.detail);
    code_ = ExitCode::no_quorum;
  }

  void exists(std::size_t node, const FoundRecord& record, const std::string& wait_text) {
    say(nodes_.names()[node] + ": " + exists_text(record, nodes_.terms()) + "; nothing was changed" +
        (nodes_.several() ? " there" : "") + wait_text);
    if (code_ == ExitCode::done) code_ = ExitCode::exists;
  }

  InitNodes& nodes_;
  const Report& report_;
  std::vector<FoundRecord> seen_{};  // of all nodes, unless some failed
  ExitCode code_ = ExitCode::done;
};

}  // namespace

std::string text_of_wait(std::string_view code, const std::string& what, core::Ttl left_max) {
  std::string text = ", and there is nothing to do but wait: " + what;
  if (code != quarantined) text += "; " + runtime::left_text({{}, left_max});
  return text + ". tenure doctor shows how long";
}

int init_all(InitNodes& nodes, const std::function<void(const std::string& line)>& report) {
  if (const auto warning = redis::warning_of_even(nodes.names().size())) say(*warning);
  return Init(nodes, report).run();
}

int init_all(InitNodes& nodes) {
  const int code = init_all(nodes, [](const std::string& line) { std::puts(line.c_str()); });
  const int written = finish_output();
  return code == number(ExitCode::done) ? written : code;
}

}  // namespace tenure::cli
