// Where a demonstration takes place: a private Redis that comes and goes with it, or nodes that somebody named, where it has a fleet
// of its own.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/demo/demo_process.hpp"
#include "cli/exit_code.hpp"
#include "cli/fleet/chosen_fleet.hpp"
#include "tenure/session.hpp"

namespace tenure::cli {

// Why a demonstration cannot begin: a sentence, and how it ends then.
struct CannotBegin {
  std::string why;
  ExitCode code = ExitCode::own_error;
};

class DemoPlace {
 public:
  // The folder is the demonstration's own.
  static tl::expected<DemoPlace, CannotBegin> make_private(const std::filesystem::path& folder);
  static tl::expected<DemoPlace, CannotBegin> at(NodeArgs nodes, const std::filesystem::path& folder);

  // For people.
  const std::string& name() const { return name_; }
  // What tenure poll and tenure web are to be told.
  const std::vector<std::string>& words() const { return words_; }

  // An error is a sentence.
  std::optional<std::string> add(const std::vector<Session>& sessions);
  // By session; empty where nobody has it. Nothing: they could not be seen.
  std::optional<std::map<std::string, std::string>> owners() const;
  // Leaves nothing behind: to be called when all instances have ended. An error is a sentence.
  std::optional<std::string> leave();

 private:
  DemoPlace(std::string name, std::vector<std::string> words, ChosenFleet fleet);

  std::string name_;
  std::vector<std::string> words_;
  ChosenFleet fleet_;
  std::unique_ptr<FleetData> data_;
  std::vector<std::string> ids_{};      // of the sessions that were added
  std::optional<DemoProcess> redis_{};  // the private one
};

}  // namespace tenure::cli
