// What tenure web tells Prometheus of the nodes.
#include "cli/endpoint/node_metrics.hpp"

#include <gtest/gtest.h>

#include "unit/cli/diagnosis_sample.hpp"

namespace tenure::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(NodeMetrics, TellWhatIsKnownOfEachNode) {
  const auto page = node_metrics_page(test::sample_diagnosis());
  EXPECT_EQ(page.status, 200);
  const std::string& text = *page.body;
  const std::string one = R"({node="1",address="redis://a:6379/0"} )";
  const std::string two = R"({node="2",address="redis://b:6379/0"} )";
  const std::string three = R"({node="3",address="redis://c:6379/0"} )";
  EXPECT_TRUE(has(text, "tenure_node_up" + one + "1\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_up" + three + "0\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_healthy" + one + "1\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_healthy" + two + "0\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_healthy" + three + "0\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_last_round_trip_seconds" + one + "0.0003\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_clock_offset_seconds" + one + "-0.015\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_quarantined" + one + "0\n")) << text;
  EXPECT_TRUE(has(text, "tenure_node_quarantined" + two + "1\n")) << text;
}

TEST(NodeMetrics, LeaveOutWhatIsNotKnown) {
  const auto page = node_metrics_page(test::sample_diagnosis());
  const std::string three = R"({node="3",address="redis://c:6379/0"})";
  for (const char* name : {"last_round_trip_seconds", "clock_offset_seconds", "quarantined"}) {
    EXPECT_FALSE(has(*page.body, "tenure_node_" + std::string(name) + three)) << name;
  }
}

}  // namespace
}  // namespace tenure::cli
