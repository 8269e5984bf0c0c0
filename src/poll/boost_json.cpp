// Boost.JSON itself, compiled here once: so there is no library to link, and others only include its headers.
#include "poll/boost_json.hpp"

#define boost tenure_boost
#include <boost/json/src.hpp>
