// Metrics in the text format of Prometheus (version 0.0.4): the body of an answer to GET /metrics. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tenure/metrics.hpp"

namespace tenure::metrics {

inline constexpr std::string_view prometheus_content_type = "text/plain; version=0.0.4; charset=utf-8";

// With those of a poller, where there is one.
std::string prometheus_text(const Metrics& metrics, const PollerMetrics* poller = nullptr);

// Whatever is told, those of one name one after the other.
using Tell = std::function<void(const std::function<void(const Metric&)>&)>;
std::string prometheus_text_of(const Tell& tell);

}  // namespace tenure::metrics
