// docs/metrics.md lists every metric that there is and no other, and the dashboard and the alerts ask for none that there is
// not.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "cli/endpoint/node_metrics.hpp"
#include "poll/boost_json.hpp"
#include "support/paths.hpp"
#include "unit/cli/diagnosis_sample.hpp"
#include "unit/metrics/samples.hpp"

namespace tenure::test {
namespace {

using Names = std::set<std::string>;

std::string file(const std::string& name) {
  std::ifstream in(std::string(paths::source_dir) + "/" + name);
  EXPECT_TRUE(in) << name;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Names all_matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  Names found;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

// With or without what the text format puts behind the name of a histogram.
struct Known {
  Names names{};
  Names series{};

  Known() {
    const auto add = [this](const Metric& metric) {
      const std::string name(metric.name);
      names.insert(name);
      if (metric.type != Metric::Type::histogram) {
        series.insert(name);
      } else {
        for (const char* suffix : {"_bucket", "_sum", "_count"}) series.insert(name + suffix);
      }
    };
    for_each(sample_metrics(), add);
    for_each(sample_poller(), add);
    cli::for_each(sample_diagnosis(), add);
  }
};

TEST(MetricsDocument, ListsEveryMetricAndNoOther) {
  EXPECT_EQ(all_matches(file("docs/metrics.md"), R"(\n\| `(tenure_[a-z_]+)`)"), Known().names);
}

TEST(MetricsDocument, SaysTheTypeOfEach) {
  const std::string document = file("docs/metrics.md");
  const auto check = [&](const Metric& metric) {
    const char* type = metric.type == Metric::Type::counter ? "counter"
                       : metric.type == Metric::Type::gauge ? "gauge"
                                                            : "histogram";
    std::string labels;
    for (const auto& label : metric.labels)
      labels += (labels.empty() ? "`" : ", `") + std::string(label.name) + "`";
    const std::string row = "| `" + std::string(metric.name) + "` | " + type + " | " + labels + " |";
    EXPECT_NE(document.find(row), std::string::npos) << row;
  };
  for_each(sample_metrics(), check);
  for_each(sample_poller(), check);
  cli::for_each(sample_diagnosis(), check);
}

TEST(MetricsDocument, NamesOnlySeriesThatThereAreInItsExamples) {
  const Known known;
  for (const auto& name : all_matches(file("docs/metrics.md"), R"(\b(tenure_[a-z_]+))")) {
    EXPECT_TRUE(known.names.contains(name) || known.series.contains(name)) << name;
  }
}

TEST(Alerts, AskOnlyForSeriesThatThereAre) {
  const Known known;
  const Names asked = all_matches(file("deploy/prometheus-alerts.yaml"), R"(\b(tenure_[a-z_]+))");
  EXPECT_FALSE(asked.empty());
  for (const auto& name : asked) EXPECT_TRUE(known.series.contains(name)) << name;
}

TEST(Alerts, AreAllExplainedInTheDocument) {
  const Names alerts = all_matches(file("deploy/prometheus-alerts.yaml"), R"(alert: (\w+))");
  EXPECT_FALSE(alerts.empty());
  EXPECT_EQ(all_matches(file("docs/metrics.md"), R"(\n\| `(Tenure\w+)`)"), alerts);
}

TEST(Alerts, HaveACaseEachInWhichTheyFire) {
  const Names fired =
      all_matches(file("tests/deploy/alerts_test.yaml"), R"(alertname: (\w+)\n +exp_alerts:\n)");
  EXPECT_EQ(fired, all_matches(file("deploy/prometheus-alerts.yaml"), R"(alert: (\w+))"));
}

TEST(Dashboard, IsJsonAndAsksOnlyForSeriesThatThereAre) {
  const std::string text = file("deploy/grafana-tenure.json");
  poll::json::error_code error;
  const auto dashboard = poll::json::parse(text, error);
  ASSERT_FALSE(error) << error.message();
  const Known known;
  Names asked;
  for (const auto& panel : dashboard.at("panels").as_array()) {
    if (!panel.as_object().contains("targets")) continue;
    EXPECT_FALSE(panel.at("targets").as_array().empty()) << panel.at("title").as_string().c_str();
    for (const auto& target : panel.at("targets").as_array()) {
      const Names names = all_matches(target.at("expr").as_string().c_str(), R"(\b(tenure_[a-z_]+))");
      EXPECT_FALSE(names.empty()) << target.at("expr").as_string().c_str();
      asked.insert(names.begin(), names.end());
    }
  }
  EXPECT_GE(asked.size(), 20U);
  for (const auto& name : asked) EXPECT_TRUE(known.series.contains(name)) << name;
}

}  // namespace
}  // namespace tenure::test
