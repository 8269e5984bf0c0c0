#include "cli/endpoint/node_metrics.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/doctor/node_findings.hpp"
#include "metrics/node_families.hpp"
#include "metrics/prometheus_text.hpp"

namespace tenure::cli {

namespace {

using metrics::Family;
using Value = std::optional<double>;

constexpr Family node_healthy{"tenure_node_healthy", "Whether the node would give a lease now."};
constexpr Family node_last_round_trip{"tenure_node_last_round_trip_seconds",
                                      "Median round trip of some requests, when last looked at."};

Value seconds(const std::optional<core::Duration>& length) {
  if (!length) return std::nullopt;
  return std::chrono::duration<double>(*length).count();
}

// Also where the first client to come will begin it.
Value in_quarantine(const Diagnosis& seen, std::size_t node) {
  if (!seen.nodes[node].record) return std::nullopt;
  constexpr std::array<std::string_view, 4> codes{quarantined, record_absent, "restarted",
                                                  "replication_changed"};
  const bool is = std::ranges::any_of(seen.findings, [&](const Finding& it) {
    return it.node == node && std::ranges::find(codes, it.code) != codes.end();
  });
  return is ? 1 : 0;
}

}  // namespace

void for_each(const Diagnosis& seen, const std::function<void(const Metric&)>& visit) {
  const auto gauge = [&](const Family& family, const auto& value_of) {
    for (std::size_t i = 0; i < seen.nodes.size(); ++i) {
      const Value value = value_of(i);
      if (!value) continue;
      const std::string number = std::to_string(i + 1);
      const std::array labels{Metric::Label{"node", number}, Metric::Label{"address", seen.nodes[i].name}};
      visit({family.name, family.help, Metric::Type::gauge, labels, *value});
    }
  };
  gauge(metrics::node_up, [&](std::size_t i) -> Value { return seen.nodes[i].down ? 0 : 1; });
  gauge(node_healthy, [&](std::size_t i) -> Value { return seen.healthy(i) ? 1 : 0; });
  gauge(node_last_round_trip, [&](std::size_t i) { return seconds(seen.nodes[i].round_trip); });
  gauge(metrics::node_clock_offset, [&](std::size_t i) { return seconds(seen.nodes[i].clock_ahead); });
  gauge(metrics::node_quarantined, [&](std::size_t i) { return in_quarantine(seen, i); });
}

http::Response node_metrics_page(const Diagnosis& seen) {
  auto page = metrics::prometheus_text_of([&](const auto& visit) { for_each(seen, visit); });
  return {200, metrics::prometheus_content_type, std::make_shared<const std::string>(std::move(page))};
}

}  // namespace tenure::cli
