#include "cli/args/args_options.hpp"

#include <sstream>

#include "cli/args/help.hpp"
#include "cli/args/suggestion.hpp"
#include "cli/secrets.hpp"
#include "core/base/duration_text.hpp"
#include "core/base/text.hpp"

namespace tenure::cli {

namespace {

// With the one that every command has.
std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> options{"--color"};
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) options.push_back("--" + name);
  }
  return options;
}

// The likeliest mistake at run is a command without the mark before it.
std::string unknown_word(const CLI::App& app, bool takes_command) {
  const std::string word = app.remaining().front();
  if (word.starts_with("-")) {
    const std::string hint = did_you_mean(word.substr(0, word.find('=')), options_of(app));
    return "there is no option " + word + (hint.empty() ? "; see --help" : hint);
  }
  const std::string too_many = "\"" + word + "\" is one word too many";
  if (!takes_command) return too_many + "; see --help";
  return too_many + ": the command stands behind --, as in NAME -- COMMAND";
}

// Two words for one option: what is wrong is told of the one that was given.
void add_urls(CLI::App& app, const std::string& option, NodeArgs& nodes) {
  const auto take = [&nodes, option](const std::vector<std::string>& urls) {
    if (!nodes.redis.empty()) {
      throw CLI::ValidationError("--redis and --store both name the nodes: give one of them");
    }
    nodes.redis = urls;
    nodes.redis_option = option;
  };
  // Several are allowed; without the second call one would swallow all words behind it.
  app.add_option_function<std::vector<std::string>>(option, take)->allow_extra_args(false);
}

}  // namespace

Parsed refuse(std::string why) { return tl::unexpected(std::move(why)); }

std::optional<Parsed> read_words(CLI::App& app, std::span<const std::string> words, std::string_view help) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    return Parsed(Text{complete(help)});
  } catch (const CLI::ExtrasError&) {
    const bool takes_command = help == run_help_text || help == elect_help_text;
    return refuse(core::printable(without_secrets(unknown_word(app, takes_command)), 400));
  } catch (const CLI::ParseError& error) {
    return refuse(core::printable(without_secrets(error.what()), 400));
  }
}

// What it throws begins with the name of the option.
void add_duration(CLI::App& app, const std::string& option, std::optional<core::Duration>& target) {
  app.add_option_function<std::string>(option, [&target, option](const std::string& text) {
    const auto duration = core::parse_duration(text);
    if (!duration) {
      const bool no_wait =
          option == "--wait" && text.starts_with('0') && text.find_first_of("123456789") == std::string::npos;
      throw CLI::ValidationError(option, duration.error() + (no_wait ? " (not to wait is -n)" : ""));
    }
    target = *duration;
  });
}

void add_text(CLI::App& app, const std::string& option, std::string& target) {
  app.add_option_function<std::string>(option, [&target, option](const std::string& text) {
    if (text.empty()) throw CLI::ValidationError(option, "it is empty");
    target = text;
  });
}

void add_node_options(CLI::App& app, NodeArgs& nodes) {
  add_urls(app, "--redis", nodes);
  add_urls(app, "--store", nodes);
  add_duration(app, "--ttl-max", nodes.ttl_max);
  app.add_option("--prefix", nodes.prefix);
  add_text(app, "--node-set", nodes.node_set);
  add_text(app, "--redis-file", nodes.redis_file);
  add_text(app, "--tls-ca", nodes.tls.ca_file);
  add_text(app, "--tls-cert", nodes.tls.certificate_file);
  add_text(app, "--tls-key", nodes.tls.key_file);
  add_text(app, "--tls-name", nodes.tls.server_name);
}

void add_http_options(CLI::App& app, HttpArgs& http) {
  app.add_option_function<std::string>("--http", [&http](const std::string& text) {
    auto address = http::parse_listen_address(text);
    if (!address) throw CLI::ValidationError("--http", address.error());
    http.address = std::move(*address);
  });
  add_text(app, "--http-token-file", http.token_file);
  app.add_flag("--http-open", http.open);
}

Parsed refuse_subcommand(const std::string& command, const std::string& known, const std::string& given) {
  if (given.empty()) {
    return refuse(command + " wants a command of its own: " + known + "; tenure help " + command +
                  " explains them");
  }
  std::vector<std::string> words;
  std::istringstream list(known);
  for (std::string word; list >> word;) {
    if (word.ends_with(',')) word.pop_back();
    if (word != "and") words.push_back(word);
  }
  return refuse(command + " knows " + known + ", not \"" + core::printable(without_secrets(given), 60) +
                "\"" + did_you_mean(given, words));
}

}  // namespace tenure::cli
