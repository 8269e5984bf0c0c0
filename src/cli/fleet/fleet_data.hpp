// What a fleet keeps beside its leases, as commands read and change it: sessions, heartbeats, results. A class for each kind of store;
// each works over connections of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "cli/fleet/fleet_view.hpp"
#include "tenure/session.hpp"

namespace tenure::cli {

// All errors are sentences that say which place they speak of.
class FleetData {
 public:
  template <class Answer>
  using Asked = tl::expected<Answer, std::string>;

  FleetData() = default;
  virtual ~FleetData() = default;
  FleetData(const FleetData&) = delete;
  FleetData& operator=(const FleetData&) = delete;

  // Where its sessions are, for people: "the key session:ID"; with an id the one of that session.
  virtual std::string sessions_place(const std::string& id) const = 0;

  // What was read before need not be read again.
  virtual Asked<Sessions> sessions() = 0;
  // Of those that live.
  virtual Asked<std::vector<FleetFacts::Beat>> beats() = 0;
  // One for each id.
  virtual Asked<std::vector<FleetFacts::Result>> results(const std::vector<std::string>& ids) = 0;

  // What is written of one session; of a long text only its beginning.
  struct FoundText {
    enum class Kind : std::uint8_t { absent, text, no_session };
    Kind kind = Kind::absent;
    std::string text{};
  };
  virtual Asked<FoundText> find(const std::string& id) = 0;
  // Only over what was found. False: something else is there by now.
  virtual Asked<bool> put(const std::string& id, const std::string& text, const FoundText& over) = 0;
  // False: there was none.
  virtual Asked<bool> remove(const std::string& id) = 0;
  // Removes these sessions, their results, and all that is kept of a fleet in which nobody takes part any more.
  virtual Asked<void> forget(const std::vector<std::string>& ids) = 0;
};

}  // namespace tenure::cli
