#include "cli/nodes/advice.hpp"

#include <algorithm>
#include <utility>

#include "cli/shell_word.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

bool has_secret(const redis::Address& address) { return !address.password.empty() || !address.user.empty(); }

// For double quotes in a shell, which puts the secret in: it is not shown, and stars in its place would be of no use. All
// else that a shell would change there is percent-encoded in an address.
std::string with_secret_from_environment(const redis::Address& address) {
  std::string url = redis::to_text(address);
  if (const auto stars = url.find("***@"); has_secret(address) && stars != std::string::npos) {
    url.replace(stars, 3, "$REDIS_PASSWORD");
  }
  return url;
}

std::string options_in_common(const Nodes& nodes) {
  std::string options = common_options(nodes.keyspace, nodes.chosen_set());
  const runtime::TlsOptions& tls = nodes.tls_options;
  for (const auto& [flag, value] : {std::pair("--tls-ca", &tls.ca_file),
                                    {"--tls-cert", &tls.certificate_file},
                                    {"--tls-key", &tls.key_file},
                                    {"--tls-name", &tls.server_name}}) {
    if (!value->empty()) options += std::string(" ") + flag + " " + shell_word(*value);
  }
  return options;
}

// Behind what is wished of a set.
std::string set_options(NotOpen::Why why) {
  using Why = NotOpen::Why;
  if (why == Why::other_count) return "; how to change a set: tenure help reconfigure";
  if (why == Why::other_name) return " (--node-set); how to change it: tenure help reconfigure";
  if (why == Why::other_set) return " (--node-set); how to change a set: tenure help reconfigure";
  return "";
}

}  // namespace

std::string common_options(const redis::Keyspace& keyspace, const std::string& set_name) {
  std::string options;
  const redis::Keyspace usual;
  if (keyspace.prefix != usual.prefix) options += " --prefix " + shell_word(keyspace.prefix);
  if (!set_name.empty()) options += " --node-set " + set_name;
  if (keyspace.cap != usual.cap) options += " --ttl-max " + core::to_text(keyspace.cap);
  return options;
}

std::string advice_on(const std::optional<NotOpen>& not_open, const std::string& how_to_init) {
  using Why = NotOpen::Why;
  if (!not_open) return "";
  switch (not_open->why) {
    case Why::quarantine:
    case Why::foreign_record:
      return "";
    case Why::no_record:
      return how_to_init;
    case Why::other_ttl_max:
      return ": use --ttl-max " + core::to_text(not_open->ttl_max.value());
    case Why::left_set:
    case Why::between_sets:
    case Why::other_count:
    case Why::other_name:
    case Why::other_set:
      break;
  }
  return set_options(not_open->why);
}

std::string set_advice(const runtime::SetText& text) { return text.wish + set_options(text.why); }

std::string naming_cap(std::string sentence, std::optional<core::Duration> ttl, core::Ttl cap) {
  if (ttl && *ttl > cap && sentence.ends_with(" " + core::to_text(cap))) sentence += " (--ttl-max)";
  return sentence;
}

std::string how_to_init(const Nodes& nodes) {
  if (std::ranges::none_of(nodes.addresses, has_secret)) return ": tenure init" + node_options(nodes);
  std::string urls;
  for (const auto& address : nodes.addresses) {
    urls += (urls.empty() ? "" : ",") + with_secret_from_environment(address);
  }
  return ", with its password, as in the URL, in REDIS_PASSWORD: TENURE_REDIS=\"" + urls + "\" tenure init" +
         options_in_common(nodes);
}

std::string node_options(const Nodes& nodes) {
  std::string options;
  for (const auto& address : nodes.addresses) options += " --redis " + shell_word(redis::to_text(address));
  return options + options_in_common(nodes);
}

}  // namespace tenure::cli
