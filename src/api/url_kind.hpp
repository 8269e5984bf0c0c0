// Which store a URL names, by its scheme alone: whether it can be read is for the store to say.
#pragma once

#include <string_view>

#include "consul/scheme.hpp"
#include "kubernetes/url.hpp"
#include "postgres/url.hpp"

namespace tenure::detail {

// Of Kubernetes or Consul: one server, or what stands for one, which is called by HTTP.
inline bool is_http_store(std::string_view url) { return kubernetes::is_url(url) || consul::is_url(url); }

// Also what no store knows counts as Redis, which says which schemes there are.
inline bool is_redis(std::string_view url) { return !postgres::is_url(url) && !is_http_store(url); }

}  // namespace tenure::detail
