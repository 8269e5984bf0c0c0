// What the Lease object of a name is called, and which name an object is for. No two names have the same object.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

namespace tenure::kubernetes {

inline constexpr std::size_t object_name_max = 253;

// Is this a DNS subdomain, as names of objects have to be: small letters, digits, '-' and '.'?
bool is_object_name(std::string_view text);
// Is this a DNS label, as names of namespaces have to be?
bool is_namespace_name(std::string_view text);

// A name that can be the name of an object stays as it is, so that programs with client-go meet it there. The usual prefix of locks
// becomes one that an object may have ("redlock:job" is redlock.job); every other name is escaped. The error says why there can be no object.
tl::expected<std::string, std::string> object_name(std::string_view name);
// The other way. What object_name() does not make stands for itself.
std::string name_of_object(std::string_view object);

}  // namespace tenure::kubernetes
