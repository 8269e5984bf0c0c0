// What one pass of the benchmark has found, as values: rows of entries with their figures, and goals.
// Nothing here knows how it was measured, or how it will be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenure::bench {

enum class Unit : std::uint8_t { seconds, percent, times, bytes, megabytes, count };

struct Figure {
  std::string label;  // the column that it stands in
  double value = 0;
  Unit unit = Unit::seconds;
  double spread =
      0;  // between the quartiles of the blocks, as a share of the median; zero: there are no blocks
};

enum class Kind : std::uint8_t {
  floor,   // the least that a hand-made program would do
  tenure,  // ours
  peer,    // somebody else's
};

struct Entry {
  std::string name;
  Kind kind = Kind::tenure;
  std::vector<Figure> figures{};
  std::string remark{};  // why there are none, or what is special
};

struct Goal {
  enum class Side : std::uint8_t { at_least, at_most };

  std::string text;
  std::optional<double> value{};  // nothing: what it is compared with is not here
  Side side = Side::at_least;
  double bound = 0;
  Unit unit = Unit::times;
  std::string why{};  // what is known of the reason, should it be missed

  bool met_by(double measured) const {
    return side == Side::at_least ? measured >= bound : measured <= bound;
  }
};

// Server and clients together on one core, or the servers on one and all clients on another.
enum class Cores : std::uint8_t { one, apart };

struct Row {
  std::string id;     // a word for file names
  std::string title;  // what is done
  std::string note;   // how, in sentences
  // The figure by which entries are compared with the first one: less is faster. Empty: they are not alike.
  std::string compared{};
  std::vector<Entry> entries{};
  std::vector<Goal> goals{};
  Cores cores = Cores::apart;

  // Nothing where that was not measured.
  std::optional<double> find(std::string_view entry, std::string_view label) const;
  const Figure* figure(std::string_view entry, std::string_view label) const;
  // How many times the time of `of` is that of `entry`: above one, `entry` is faster.
  std::optional<double> speed(std::string_view entry, std::string_view of) const;
};

}  // namespace tenure::bench
