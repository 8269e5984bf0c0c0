#include "cli/nodes/advice.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "cli/shell_word.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// For double quotes in a shell, which puts the secret in: it is not shown, and stars in its place would be of no use. All
// else that a shell would change there is percent-encoded in an address.
std::string with_secret_from_environment(const redis::Address& address) {
  std::string url = redis::to_text(address);
  if (!redis::has_credentials(address)) return url;
  for (const auto& [shown, before, variable] :
       {std::tuple("***@", "", "$REDIS_PASSWORD"),
        {"sentinel_user=***", "sentinel_user=", "$SENTINEL_USER"},
        {"sentinel_password=***", "sentinel_password=", "$SENTINEL_PASSWORD"}}) {
    const auto found = url.find(shown);
    if (found != std::string::npos) url.replace(found + std::strlen(before), 3, variable);
  }
  return url;
}

// What is to be in which variable for that.
std::string secrets_wanted(const Nodes& nodes) {
  const auto of_redis = [](const redis::Address& it) { return !it.user.empty() || !it.password.empty(); };
  const auto of_sentinels = [](const redis::Address& it) { return !it.group.password.empty(); };
  std::string wanted;
  if (std::ranges::any_of(nodes.addresses, of_redis))
    wanted = "its password, as in the URL, in REDIS_PASSWORD";
  if (std::ranges::any_of(nodes.addresses, of_sentinels)) {
    wanted += std::string(wanted.empty() ? "" : " and ") +
              "that of the Sentinels in SENTINEL_PASSWORD, and their user, if there is one, in SENTINEL_USER";
  }
  return wanted;
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
  if (std::ranges::none_of(nodes.addresses, redis::has_credentials))
    return ": tenure init" + node_options(nodes);
  std::string urls;
  for (const auto& address : nodes.addresses) {
    urls += (urls.empty() ? "" : ",") + with_secret_from_environment(address);
  }
  return ", with " + secrets_wanted(nodes) + ": TENURE_REDIS=\"" + urls + "\" tenure init" +
         options_in_common(nodes);
}

std::string node_options(const Nodes& nodes) {
  std::string options;
  for (const auto& address : nodes.addresses) options += " --redis " + shell_word(redis::to_text(address));
  return options + options_in_common(nodes);
}

}  // namespace tenure::cli
