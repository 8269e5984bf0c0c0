#include "cli/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <system_error>

#include "cli/args/color_option.hpp"
#include "cli/args/log_options.hpp"
#include "cli/descriptors.hpp"
#include "cli/message.hpp"
#include "cli/secrets.hpp"

namespace tenure::cli {

namespace {

// Started with a closed stdin, stdout or stderr, a socket could take its number, and messages would go to
// Redis.
void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR);  // takes the lowest free number: this one
  }
}

int print(const Text& text) {
  std::fputs(text.text.c_str(), stdout);
  return finish_output();
}

// Of the commands that have a log.
template <class Wish>
void set_log_style_of(const Wish& wish) {
  if constexpr (requires { wish.log; }) set_log_style(wish.log);
}

}  // namespace

std::vector<std::string> words_of(int argc, char** argv) { return {argv + (argc > 0 ? 1 : 0), argv + argc}; }

int run_program(int argc, char** argv, const Program& program) {
  try {
    const CommandLine line{program.read(argc, argv), argv};
    hide_secrets(argc, argv);
    fill_standard_descriptors();
    set_log_style(log_style_asked_for(line.words));
    std::vector<std::string> words = line.words;
    const auto color = take_color_option(words);
    if (!color) return fail(ExitCode::usage, color.error());
    choose_color(*color);
    const auto args = parse_args(words);
    if (!args) return fail(ExitCode::usage, args.error());
    if (const auto* text = std::get_if<Text>(&*args)) return print(*text);
    std::visit([](const auto& wish) { set_log_style_of(wish); }, *args);
    return program.perform(*args, line);
  } catch (const std::system_error& error) {
    const auto hint = descriptors_hint(error.code().value());
    return fail(ExitCode::own_error, std::string(hint ? "" : "internal error: ") + error.what() +
                                         (hint ? "; " + *hint : std::string()));
  } catch (const std::exception& error) {
    return fail(ExitCode::own_error, std::string("internal error: ") + error.what());
  }
}

}  // namespace tenure::cli
