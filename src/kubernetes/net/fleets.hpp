// Why no fleet is kept in Kubernetes.
#pragma once

namespace tenure::kubernetes {

inline constexpr auto no_fleets =
    "Kubernetes keeps no fleets: a call to the API server for each renewal is too much for thousands of "
    "sessions; keep a fleet, its "
    "leases and its data, on another store, Redis or PostgreSQL";

}  // namespace tenure::kubernetes
