#include "cli/endpoint/metrics_page.hpp"

#include <memory>
#include <string>

#include "metrics/prometheus_text.hpp"

namespace tenure::cli {

http::Response metrics_page(const Client* client, const PollerMetrics* poller) {
  if (client == nullptr) return http::Response::text(503, "there is no client at the moment; ask again\n");
  auto page = metrics::prometheus_text(client->metrics(), poller);
  return {200, metrics::prometheus_content_type, std::make_shared<const std::string>(std::move(page))};
}

}  // namespace tenure::cli
