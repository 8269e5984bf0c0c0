#include "faults/report.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace tenure::faults {

namespace {

constexpr std::size_t sentences_max = 20;

std::string format(const char* text, auto... values) {
  std::array<char, 400> line{};
  std::snprintf(line.data(), line.size(), text, values...);
  return line.data();
}

double seconds(core::Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string milliseconds(const std::optional<core::Duration>& duration) {
  if (!duration) return "-";
  return format("%.1f ms", std::chrono::duration<double, std::milli>(*duration).count());
}

std::string row(const char* what, const Verdict& it) {
  return format("%-9s %8zu %9zu %8zu %8zu %9zu %13zu %14s %12s\n", what, it.grants, it.acts, it.refused,
                it.excused, it.overlaps, it.disorders, milliseconds(it.slack.smallest()).c_str(),
                milliseconds(it.slack.median()).c_str());
}

std::string faults_line(const Report& report) {
  std::string line =
      format("faults: %zu", std::accumulate(report.faults.begin(), report.faults.end(), std::size_t{0}));
  const char* before = " (";
  for (std::size_t i = 0; i < kinds; ++i) {
    if (report.faults.at(i) == 0) continue;
    line += before + std::string(name(static_cast<Kind>(i))) + ' ' + std::to_string(report.faults.at(i));
    before = ", ";
  }
  return line + (*before == ',' ? ")\n" : "\n");
}

}  // namespace

std::string to_text(const Report& report) {
  const char* const store = report.crowd.store == Store::redis ? "Redis" : "PostgreSQL";
  std::string text = format(
      "seed %llu, %.0f s, %s: %zu nodes, %zu lock clients, %zu candidates, %zu instances with %zu sessions\n",
      static_cast<unsigned long long>(report.seed), seconds(report.length), store, report.crowd.nodes,
      report.crowd.locks, report.crowd.candidates, report.crowd.instances, report.crowd.sessions);
  text += faults_line(report);
  text += format("%-9s %8s %9s %8s %8s %9s %13s %14s %12s\n", "", "grants", "acts", "refused", "excused",
                 "overlaps", "out of order", "slack: least", "median");
  text += row("short", report.short_locks) + row("long", report.long_locks) + row("terms", report.terms) +
          row("sessions", report.sessions);
  text += format("results: looked at %zu times, a token went back %zu times\n", report.looks_at_results,
                 report.results_went_back);
  if (report.alive_after) {
    text += format("calm: all owned and at work again %.1f s after the last fault\n",
                   seconds(*report.alive_after));
  } else if (!report.missing.empty()) {
    text += "calm: NOT all owned and at work again: " + report.missing + '\n';
  }
  text +=
      "longest time that this machine kept a thread waiting: " + milliseconds(report.longest_stall) + '\n';
  for (const Verdict* verdict : report.verdicts()) {
    const auto& all = verdict->sentences;
    for (std::size_t i = 0; i < std::min(all.size(), sentences_max); ++i)
      text += "VIOLATED: " + all[i] + '\n';
    if (all.size() > sentences_max) text += format("… and %zu more\n", all.size() - sentences_max);
  }
  return text;
}

std::string progress(const Report& report, core::Duration since) {
  const auto sum = [&](std::size_t Verdict::* count) {
    std::size_t all = 0;
    for (const Verdict* verdict : report.verdicts()) all += verdict->*count;
    return all;
  };
  return format(
      "%5.0f s  faults %zu, grants %zu, writes and polls %zu, refused %zu, overlaps %zu, out of order %zu",
      seconds(since), std::accumulate(report.faults.begin(), report.faults.end(), std::size_t{0}),
      sum(&Verdict::grants), sum(&Verdict::acts), sum(&Verdict::refused), sum(&Verdict::overlaps),
      sum(&Verdict::disorders));
}

}  // namespace tenure::faults
