// Tenure's side of the comparison: a client of these nodes.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "redis/url.hpp"
#include "support/nodes.hpp"
#include "tenure/tenure.hpp"

namespace tenure::bench {

inline std::string url_of(const test::Nodes& nodes) { return redis::to_text(nodes.addresses().front()); }

inline Client client_of(std::vector<std::string> urls, std::string id = {}) {
  ClientOptions options;
  options.nodes = std::move(urls);
  options.id = std::move(id);
  return Client::open(std::move(options)).value();
}

inline Client client_of(const test::Nodes& nodes, std::chrono::microseconds spin = {}) {
  ClientOptions options;
  options.nodes.clear();
  for (const auto& address : nodes.addresses()) options.nodes.push_back(redis::to_text(address));
  options.spin = spin;
  return Client::open(std::move(options)).value();
}

// The value, or the end of the benchmark.
template <class Value>
Value expect(tl::expected<Value, Refusal> outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().message);
  return std::move(*outcome);
}

inline void expect(bool well, const char* what) {
  if (!well) throw std::runtime_error(what);
}

}  // namespace tenure::bench
