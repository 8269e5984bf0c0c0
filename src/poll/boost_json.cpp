// Boost.JSON itself, compiled here once: so there is no library to link, and others only include its headers.
#include <boost/json/src.hpp>
