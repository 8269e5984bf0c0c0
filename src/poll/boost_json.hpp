// Boost.JSON in a namespace of our own: whoever links libtenure-poll.a may have another Boost, and of two definitions of one
// name a linker refuses the second or silently takes one for both. Nothing else of ours includes Boost.
#pragma once

#define boost tenure_boost
// Boost names this file in angle brackets, in which our macro would count as well.
#define BOOST_USER_CONFIG "boost/config/user.hpp"
#include <boost/json.hpp>
#undef boost

namespace tenure::poll {

namespace json = tenure_boost::json;

}  // namespace tenure::poll
