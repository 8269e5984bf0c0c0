// GET /metrics of what has no client: each node as a look at it has shown it, as Prometheus reads it. docs/metrics.md says what each is.
#pragma once

#include <functional>

#include "cli/doctor/diagnosis.hpp"
#include "http/routes.hpp"
#include "tenure/metrics.hpp"

namespace tenure::cli {

// Those of one name one after the other. What is not known of a node is left out.
void for_each(const Diagnosis& seen, const std::function<void(const Metric&)>& visit);

http::Response node_metrics_page(const Diagnosis& seen);

}  // namespace tenure::cli
