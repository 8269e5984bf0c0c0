// GET /metrics: what a command's client, and its poller, have counted, as Prometheus reads it. docs/metrics.md says what each is.
#pragma once

#include "http/routes.hpp"
#include "tenure/client.hpp"
#include "tenure/metrics.hpp"

namespace tenure::cli {

// Null: there is none at the moment, as between two campaigns.
http::Response metrics_page(const Client* client, const PollerMetrics* poller = nullptr);

}  // namespace tenure::cli
