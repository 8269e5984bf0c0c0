#include "metrics/prometheus_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "support/promtool.hpp"
#include "unit/metrics/samples.hpp"

namespace tenure::metrics {
namespace {

using namespace std::chrono_literals;
using test::sample_metrics;
using test::sample_poller;

std::vector<std::string> lines_of(const std::string& text, const std::string& beginning = {}) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(beginning)) lines.push_back(line);
  }
  return lines;
}

bool has_line(const std::string& text, const std::string& line) {
  const auto lines = lines_of(text);
  return std::ranges::find(lines, line) != lines.end();
}

std::string page() {
  const PollerMetrics poller = sample_poller();
  return prometheus_text(sample_metrics(), &poller);
}

TEST(AHistogram, CountsWhatIsAsLongAsABoundBelowIt) {
  Histogram histogram;
  histogram.add(100us);  // the first bound
  histogram.add(100'001ns);
  histogram.add(60s);  // the last
  histogram.add(60'001ms);
  histogram.add(-5s);  // a clock was set
  EXPECT_EQ(histogram.counts.front(), 2U);
  EXPECT_EQ(histogram.counts[1], 1U);
  EXPECT_EQ(histogram.counts[Histogram::bounds.size() - 1], 1U);
  EXPECT_EQ(histogram.counts.back(), 1U);
  EXPECT_EQ(histogram.count(), 5U);
  EXPECT_NEAR(histogram.sum, 120.001, 0.001);
}

TEST(AHistogram, HasBoundsThatRise) { EXPECT_TRUE(std::ranges::is_sorted(Histogram::bounds)); }

TEST(PrometheusText, SaysWhatEachFamilyIsBeforeItsFirstSample) {
  const std::string text = page();
  EXPECT_TRUE(text.starts_with(
      "# HELP tenure_leases_held Leases held now, those of leaders and of sessions included.\n"
      "# TYPE tenure_leases_held gauge\n"
      "tenure_leases_held 3\n"))
      << text;
  EXPECT_TRUE(text.ends_with("\n"));
  EXPECT_TRUE(has_line(text, "# TYPE tenure_acquisitions_waiting gauge"));
  EXPECT_TRUE(has_line(text, "tenure_acquisitions_waiting 2"));
  EXPECT_TRUE(has_line(text, "# TYPE tenure_acquisitions_total counter"));
  EXPECT_TRUE(has_line(text, "tenure_acquisitions_total{outcome=\"granted\"} 10"));
  EXPECT_TRUE(has_line(text, "tenure_acquisitions_total{outcome=\"cancelled\"} 0"));
  EXPECT_TRUE(has_line(text, "tenure_losses_total{reason=\"missing\"} 1"));
  EXPECT_TRUE(
      has_line(text, "tenure_node_clock_offset_seconds{node=\"2\",address=\"redis://b:6379/0\"} -0.0015"));
  EXPECT_TRUE(has_line(text, "tenure_node_up{node=\"data\",address=\"redis://data:6379/0\"} 1"));
  EXPECT_TRUE(has_line(text, "tenure_election_term{election=\"1\"} 42"));
  EXPECT_TRUE(has_line(text, "tenure_fleet_sessions_share 5"));
  EXPECT_TRUE(has_line(text, "tenure_polls_total{outcome=\"failed\"} 2"));
}

TEST(PrometheusText, CountsInEachBucketAlsoWhatIsShorter) {
  const auto lines = lines_of(page(), "tenure_acquisition_wait_seconds");
  ASSERT_EQ(lines.size(), Histogram::bounds.size() + 3);
  EXPECT_EQ(lines[0], "tenure_acquisition_wait_seconds_bucket{le=\"0.0001\"} 0");
  EXPECT_EQ(lines[1], "tenure_acquisition_wait_seconds_bucket{le=\"0.00025\"} 2");
  EXPECT_EQ(lines[4], "tenure_acquisition_wait_seconds_bucket{le=\"0.0025\"} 2");
  EXPECT_EQ(lines[5], "tenure_acquisition_wait_seconds_bucket{le=\"0.005\"} 3");
  EXPECT_EQ(lines[17], "tenure_acquisition_wait_seconds_bucket{le=\"60\"} 3");
  EXPECT_EQ(lines[18], "tenure_acquisition_wait_seconds_bucket{le=\"+Inf\"} 4");
  EXPECT_EQ(lines[19], "tenure_acquisition_wait_seconds_sum 90.0034");
  EXPECT_EQ(lines[20], "tenure_acquisition_wait_seconds_count 4");
}

TEST(PrometheusText, SaysNothingTwice) {
  std::set<std::string> seen;
  for (const auto& line : lines_of(page())) {
    const std::string what = line.starts_with("#") ? line : line.substr(0, line.rfind(' '));
    EXPECT_TRUE(seen.insert(what).second) << line;
  }
}

TEST(PrometheusText, LeavesOutWhatIsNotKnown) {
  Metrics metrics;
  metrics.nodes = {{.address = "redis://a:6379/0"}};
  const std::string text = prometheus_text(metrics);
  EXPECT_TRUE(lines_of(text, "tenure_node_up").empty()) << "nothing was asked yet";
  EXPECT_TRUE(lines_of(text, "tenure_node_clock_offset").empty());
  EXPECT_TRUE(lines_of(text, "tenure_node_quarantine_left").empty());
  EXPECT_TRUE(lines_of(text, "tenure_fleet").empty());
  EXPECT_TRUE(lines_of(text, "tenure_poll").empty());
  EXPECT_TRUE(has_line(text, "tenure_node_quarantined{node=\"1\",address=\"redis://a:6379/0\"} 0"));
}

TEST(PrometheusText, EscapesWhatWouldEndALabel) {
  Metrics metrics;
  metrics.nodes = {{.address = "unix:///a\"b\\c\nd} 1\n"}};
  EXPECT_TRUE(has_line(prometheus_text(metrics),
                       "tenure_node_failures_total{node=\"1\",address=\"unix:///a\\\"b\\\\c\\nd} 1\\n\"} 0"));
}

TEST(PrometheusText, KeepsUtf8AndNothingElse) {
  const std::map<std::string, std::string> cases{
      {"é€😀", "é€😀"},
      {"a\xff", "a?"},
      {"\xc3", "?"},                 // cut short
      {"\xc0\xaf", "??"},            // longer than need be
      {"\xe0\x80\xaf", "???"},       // so is this
      {"\xed\xa0\x80", "???"},       // a surrogate
      {"\xf4\x90\x80\x80", "????"},  // beyond the last character
  };
  for (const auto& [given, expected] : cases) {
    Metrics metrics;
    metrics.nodes = {{.address = given}};
    EXPECT_TRUE(has_line(prometheus_text(metrics),
                         "tenure_node_failures_total{node=\"1\",address=\"" + expected + "\"} 0"))
        << expected;
  }
}

TEST(PrometheusText, WritesLargeAndSmallNumbersInFull) {
  Metrics metrics;
  metrics.acquisitions.granted = 12'345'678'901;
  metrics.wait.sum = 0.0000001;
  const std::string text = prometheus_text(metrics);
  EXPECT_TRUE(has_line(text, "tenure_acquisitions_total{outcome=\"granted\"} 12345678901"));
  EXPECT_TRUE(has_line(text, "tenure_acquisition_wait_seconds_sum 0.0000001"));
}

// Names and units by the conventions, and a page that Prometheus itself can read.
TEST(PrometheusText, SatisfiesPromtool) {
  Metrics metrics = sample_metrics();
  metrics.nodes.push_back({.address = "unix:///a\"b\\c\n\xff"});
  const PollerMetrics poller = sample_poller();
  EXPECT_EQ(test::promtool_complaints(prometheus_text(metrics, &poller)), "");
  EXPECT_EQ(test::promtool_complaints(prometheus_text({})), "");
  EXPECT_NE(test::promtool_complaints("# TYPE tenure_things counter\ntenure_things 1\n"), "")
      << "or it does not look";
}

}  // namespace
}  // namespace tenure::metrics
