#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "words.hpp"

namespace tenure::bench {

namespace {

constexpr double page_width = 760;
constexpr double bars_from = 330;
constexpr double bars_width = 270;
constexpr double line_height = 24;
constexpr double head_height = 58;

struct Bar {
  std::string name;  // empty: one more of the entry above
  Kind kind = Kind::tenure;
  double value = 0;
  std::string text;
  bool pale = false;
};

const char* colour_of(Kind kind) {
  switch (kind) {
    case Kind::floor:
      return "#8b949e";
    case Kind::tenure:
      return "#0969da";
    case Kind::peer:
      return "#bf8700";
  }
  return "";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

// Many latencies lie far apart: their bars are as long as their logarithm from a tenth of the least.
enum class Axis : std::uint8_t { linear, logarithmic };

struct Chart {
  std::string title;
  std::string caption;
  std::vector<Bar> bars;
  Axis axis = Axis::linear;
};

double length_of(const Chart& chart, double value) {
  const auto [least, most] = std::ranges::minmax(chart.bars, {}, &Bar::value);
  if (chart.axis == Axis::linear) return value / most.value * bars_width;
  const double from = std::log10(least.value / 2);
  return (std::log10(value) - from) / (std::log10(most.value) - from) * bars_width;
}

std::string drawn(const Chart& chart) {
  std::ostringstream out;
  const double height = head_height + line_height * static_cast<double>(chart.bars.size()) + 14;
  out << R"(<svg xmlns="http://www.w3.org/2000/svg" width=")" << page_width << R"(" height=")" << height
      << R"(" viewBox="0 0 )" << page_width << ' ' << height
      << R"(" font-family="system-ui, sans-serif" font-size="13" fill="#1f2328">)"
      << "\n"
      << R"(<rect x="0.5" y="0.5" width=")" << page_width - 1 << R"(" height=")" << height - 1
      << R"(" rx="8" fill="#ffffff" stroke="#d0d7de"/>)"
      << "\n"
      << R"(<text x="16" y="24" font-size="15" font-weight="600">)" << escaped(chart.title) << "</text>\n"
      << R"(<text x="16" y="43" fill="#59636e">)" << escaped(chart.caption) << "</text>\n"
      << R"(<text x=")" << page_width - 16 << R"(" y="43" text-anchor="end" fill="#59636e">)";
  for (const auto& [kind, name] : {std::pair(Kind::floor, "by hand"), std::pair(Kind::tenure, "Tenure"),
                                   std::pair(Kind::peer, "others")})
    out << R"(<tspan fill=")" << colour_of(kind) << R"(">■</tspan> )" << name << "  ";
  out << "</text>\n";
  double y = head_height;
  for (const Bar& bar : chart.bars) {
    const double length = std::max(1.0, length_of(chart, bar.value));
    out << R"(<text x=")" << bars_from - 10 << R"(" y=")" << y + 15 << R"(" text-anchor="end")"
        << (bar.kind == Kind::tenure ? R"( font-weight="600")" : "") << ">" << escaped(bar.name) << "</text>"
        << R"(<rect x=")" << bars_from << R"(" y=")" << y + 2 << R"(" width=")" << length << R"(" height=")"
        << line_height - 6 << R"(" rx="2" fill=")" << colour_of(bar.kind) << '"'
        << (bar.pale ? R"( fill-opacity="0.5")" : "") << "/>"
        << R"(<text x=")" << bars_from + length + 6 << R"(" y=")" << y + 15 << R"(">)" << escaped(bar.text)
        << "</text>\n";
    y += line_height;
  }
  out << "</svg>\n";
  return out.str();
}

Chart speeds(const Summary& summary, const std::string& title) {
  Chart chart{title, "speed, longer is faster; 1 is " + summary.row().entries.front().name, {}};
  for (const Entry& entry : summary.row().entries) {
    if (const auto speed = summary.speed(entry.name))
      chart.bars.push_back(
          {entry.name, entry.kind, speed->middle, to_text(*speed, Unit::times, summary.passes() > 1), false});
  }
  return chart;
}

Chart latency_bars(const Summary& summary, const std::string& title) {
  Chart chart{title, "p50, and pale p99, shorter is faster; on a logarithmic scale", {}, Axis::logarithmic};
  for (const Entry& entry : summary.row().entries) {
    for (const char* label : {"p50", "p99"}) {
      const auto span = summary.figure(entry.name, label);
      if (!span) continue;
      const bool pale = std::string(label) == "p99";
      chart.bars.push_back({pale ? "" : entry.name, entry.kind, span->middle,
                            to_text(*span, Unit::seconds, summary.passes() > 1), pale});
    }
  }
  return chart;
}

bool has_latencies(const Row& row) { return row.compared == "p50" || row.compared == "p99"; }

}  // namespace

bool has_plot(const Row& row) { return !row.compared.empty(); }

std::string plot(const Summary& row, const std::string& title) {
  return drawn(has_latencies(row.row()) ? latency_bars(row, title) : speeds(row, title));
}

}  // namespace tenure::bench
