#include "report.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "measure.hpp"
#include "overview.hpp"
#include "plot.hpp"
#include "words.hpp"

namespace tenure::bench {

namespace {

// In the order in which they first appear.
std::vector<Figure> columns(const Row& row) {
  std::vector<Figure> all;
  for (const Entry& entry : row.entries) {
    for (const Figure& figure : entry.figures) {
      if (std::ranges::none_of(all, [&](const Figure& it) { return it.label == figure.label; }))
        all.push_back(figure);
    }
  }
  return all;
}

using Cells = std::vector<std::string>;

std::string percent(double share) { return to_text(share * 100, Unit::percent); }

// The head and a line for each entry. In short: without ranges.
std::vector<Cells> table(const Summary& summary, bool ranges) {
  const Row& row = summary.row();
  const auto figures = columns(row);
  const bool blocks = std::ranges::any_of(figures, [](const Figure& it) { return it.spread > 0; });
  Cells head{""};
  if (!row.compared.empty())
    head.push_back(row.compared == time_column ? "speed" : "speed by " + row.compared);
  for (const Figure& it : figures) head.push_back(it.label);
  if (blocks) head.push_back("spread of blocks");
  std::vector<Cells> lines{head};
  for (const Entry& entry : row.entries) {
    Cells cells{entry.name};
    if (!row.compared.empty()) {
      const auto speed = summary.speed(entry.name);
      cells.push_back(speed ? to_text(*speed, Unit::times, ranges) : "–");
    }
    for (const Figure& it : figures) {
      const auto span = summary.figure(entry.name, it.label);
      cells.push_back(span ? to_text(*span, it.unit, ranges) : "–");
    }
    if (blocks) {
      const double spread = summary.spread(entry.name, figures.front().label);
      cells.push_back(spread > 0 ? percent(spread) : "–");
    }
    lines.push_back(std::move(cells));
  }
  return lines;
}

std::string bold(const std::string& text) { return "**" + text + "**"; }

void write_line(std::ostream& out, const Cells& cells) {
  for (const auto& cell : cells) out << "| " << cell << " ";
  out << "|\n";
}

std::string plot_name(const Row& row) {
  return row.id + (row.cores == Cores::one ? "-one-core" : "") + ".svg";
}

std::string heading(const Row& row) { return row.title + ", on " + to_text(row.cores); }

void write_row(std::ostream& out, const Summary& summary) {
  const Row& row = summary.row();
  out << "\n### " << heading(row) << "\n\n" << row.note << "\n\n";
  if (has_plot(row)) out << "![" << heading(row) << "](plots/" << plot_name(row) << ")\n\n";
  const auto lines = table(summary, summary.passes() > 1);
  write_line(out, lines.front());
  out << "|---";
  for (std::size_t i = 1; i < lines.front().size(); ++i) out << "|--:";
  out << "|\n";
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Cells cells = lines[i];
    const Entry& entry = row.entries[i - 1];
    if (entry.kind == Kind::tenure) cells.front() = bold(cells.front());
    if (!entry.remark.empty()) cells.front() += "<br>" + entry.remark;
    write_line(out, cells);
  }
}

std::string verdict(const Summary::Judged& judged, std::size_t passes) {
  if (!judged.span) return "not measured";
  std::string text = judged.met ? "met" : "**missed**";
  if (passes > 1 && judged.met_in != (judged.met ? passes : 0))
    text += (judged.met ? ", in " : ", met in ") + std::to_string(judged.met_in) + " of " +
            std::to_string(passes) + " passes";
  return text;
}

void write_goals(std::ostream& out, const std::vector<Summary>& rows) {
  out << "| work | goal | | measured | |\n|---|---|--:|--:|---|\n";
  for (const Summary& it : rows) {
    for (std::size_t i = 0; i < it.row().goals.size(); ++i) {
      const Goal& goal = it.row().goals[i];
      const auto judged = it.judge(i);
      write_line(out, {i == 0 ? heading(it.row()) : "", goal.text, shown_bound(goal),
                       judged.span ? to_text(*judged.span, goal.unit, it.passes() > 1) : "–",
                       verdict(judged, it.passes())});
    }
  }
}

// What is known of the reasons.
void write_missed(std::ostream& out, const std::vector<Summary>& rows) {
  bool any = false;
  for (const Summary& it : rows) {
    for (std::size_t i = 0; i < it.row().goals.size(); ++i) {
      const Goal& goal = it.row().goals[i];
      const auto judged = it.judge(i);
      if (!judged.span || judged.met) continue;
      if (!std::exchange(any, true)) out << "\n**What was missed, and why.**\n\n";
      out << "- " << heading(it.row()) << ", " << goal.text << " " << shown_bound(goal) << ": "
          << to_text(judged.span->middle, goal.unit) << ". "
          << (goal.why.empty() ? "The reason is not known yet." : goal.why) << "\n";
    }
  }
}

constexpr const char* how_to_read = R"(
**How to read it.** *Speed* is a ratio: the time of the first line of a table, divided by the time of this line, so 0.94
means: as fast as 0.94 times the first line. It is taken within each pass, and only such ratios are claims; times
are shown beside them to give an idea of the size, and move by tens of per cent from run to run. What stands in
parentheses, where there was more than one pass, are the lowest and the highest of them. *Spread of blocks* is the distance between the
quartiles of the blocks of one pass, as a share of their median. All contestants work in turn, in short blocks, so
that what the machine does beside it hits all of them alike. Lines in bold are Tenure; lines with a capital letter in
front are floors: C++ written by hand for this one purpose with hiredis or libpq, without renewal, deadlines, queues,
tokens, reconnecting, or threads that share a connection, as far as the line does not name them. The others are peers, at
their defaults where nothing else is said.

*On one core* means that the server, the program and all threads share a core: nothing is won or lost by waking another
core, and ratios repeat within some per cent. *On a core each* means that all servers share one core and all clients
another: every answer wakes a core that may sleep, which is what a user on a quiet machine has. Nothing is left to the
kernel to place.

**How to repeat it.** `./dev bench` installs what it needs, starts private servers and writes this page; its three
passes take about fifty minutes. `./dev bench --quick` takes about three minutes and is less exact. `./dev bench one many` measures these rows only
and prints them. Close other programs first.
)";

}  // namespace

std::string page(const Report& report) {
  std::ostringstream out;
  const std::size_t passes = report.rows.empty() ? 0 : report.rows.front().passes();
  out << "# Side by side\n\nHow Tenure compares with what could be written by hand and with what else there "
         "is, all in one run on one machine, gone through "
      << (passes > 1 ? std::to_string(passes) + " times: figures are medians of the passes" : "once")
      << ".\n";
  if (report.quick) out << "\nThis was a quick run: an impression, not a measurement.\n";
  if (const std::string table = overview(report.rows); !table.empty()) out << "\n## In short\n\n" << table;
  out << how_to_read << "\n## Goals\n\n";
  write_goals(out, report.rows);
  write_missed(out, report.rows);
  if (!report.failed.empty()) out << "\n**What could not be measured.**\n\n";
  for (const std::string& it : report.failed) out << "- " << it << "\n";
  out << "\n## Rows\n";
  for (const Summary& it : report.rows) write_row(out, it);
  out << "\n## Machine and versions\n\n| | |\n|---|---|\n";
  for (const Fact& it : report.facts) write_line(out, {it.name, it.value});
  return out.str();
}

void write_page(const Report& report, const std::filesystem::path& file) {
  const auto plots = file.parent_path() / "plots";
  std::filesystem::remove_all(plots);  // of rows that are no more
  std::filesystem::create_directories(plots);
  const auto write = [](const std::filesystem::path& to, const std::string& text) {
    std::ofstream out(to);
    out << text;
    out.close();
    if (!out) throw std::runtime_error("cannot write " + to.string());
  };
  for (const Summary& it : report.rows) {
    if (has_plot(it.row())) write(plots / plot_name(it.row()), plot(it, heading(it.row())));
  }
  write(file, page(report));
}

std::string in_short(const Summary& summary) {
  std::ostringstream out;
  const Row& row = summary.row();
  out << "\n" << heading(row) << "\n";
  const auto lines = table(summary, false);
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (std::size_t i = 0; i < lines[k].size(); ++i) out << "  " << padded(lines[k][i], widths[i]);
    if (k > 0) out << "  " << row.entries[k - 1].remark;
    out << "\n";
  }
  for (std::size_t i = 0; i < row.goals.size(); ++i) {
    const auto judged = summary.judge(i);
    out << "  "
        << (!judged.span ? "?"
            : judged.met ? "met   "
                         : "MISSED")
        << "  " << row.goals[i].text << " " << shown_bound(row.goals[i]);
    if (judged.span) out << ": " << to_text(*judged.span, row.goals[i].unit, summary.passes() > 1);
    out << "\n";
  }
  return out.str();
}

}  // namespace tenure::bench
