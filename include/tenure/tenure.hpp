// All of the public API. Start at Client.
#pragma once

#include "tenure/client.hpp"
#include "tenure/clock.hpp"
#include "tenure/election.hpp"
#include "tenure/event.hpp"
#include "tenure/fleet.hpp"
#include "tenure/handler.hpp"
#include "tenure/lease.hpp"
#include "tenure/lock.hpp"
#include "tenure/log.hpp"
#include "tenure/metrics.hpp"
#include "tenure/options.hpp"
#include "tenure/poller.hpp"
#include "tenure/refusal.hpp"
#include "tenure/session.hpp"
