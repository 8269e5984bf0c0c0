#include "cli/pages/help_page.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

namespace tenure::cli {

namespace {

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::string trimmed(std::string_view text) {
  const auto from = indent_of(text);
  const auto to = text.find_last_not_of(' ');
  return to == std::string_view::npos ? "" : std::string(text.substr(from, to + 1 - from));
}

void append(std::string& text, const std::string& more) { text += (text.empty() ? "" : " ") + more; }

// A line with two columns, which two spaces or more keep apart.
struct Columns {
  std::string left;
  std::string right;
};

Columns split(std::string_view line) {
  const auto from = indent_of(line);
  const auto gap = line.find("  ", from);
  if (gap == std::string_view::npos) return {trimmed(line), ""};
  return {trimmed(line.substr(0, gap)), trimmed(line.substr(gap))};
}

bool is_option(std::string_view line) {
  const auto word = trimmed(line);
  return indent_of(line) >= 2 && indent_of(line) <= 6 && word.size() > 2 && word[0] == '-' &&
         (word[1] == '-' || word[2] == ',') && word != "--";
}

// "-E, --busy-code CODE", "--json, --text"
HelpOption option_of(std::string_view line) {
  const auto [left, right] = split(line);
  HelpOption option{.text = right};
  std::istringstream words(left);
  for (std::string word; words >> word;) {
    if (word.ends_with(',')) word.pop_back();
    if (word.starts_with('-')) {
      option.names.push_back(word);
    } else {
      append(option.value, word);
    }
  }
  return option;
}

class Parser {
 public:
  HelpPage parse(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) take(line);
    end_paragraph();
    return std::move(page_);
  }

 private:
  enum class Part { summary, usage, description, exit_codes, examples };

  void take(const std::string& line) {
    if (part_ == Part::examples) return page_.examples.push_back(line);
    if (trimmed(line).empty()) return end_paragraph();
    if (line.starts_with("Usage: ")) part_ = Part::usage;
    if (line.starts_with("Exit code")) part_ = Part::exit_codes;
    if (line == "Examples:") {
      end_paragraph();
      part_ = Part::examples;
      return;
    }
    switch (part_) {
      case Part::summary:
        return append(page_.summary, trimmed(line));
      case Part::usage:
        return page_.usage.push_back(trimmed(line.starts_with("Usage: ") ? line.substr(7) : line));
      case Part::exit_codes:
        return page_.exit_codes.push_back(line);
      case Part::description:
      case Part::examples:
        return describe(line);
    }
  }

  void describe(const std::string& line) {
    const auto indent = indent_of(line);
    if (continued_ != nullptr && indent >= continues_at_) return append(*continued_, trimmed(line));
    continued_ = nullptr;
    if (indent == 0) {
      if (page_.description.empty() || page_.description.back().paragraph.empty() || ended_) begin({});
      append(page_.description.back().paragraph, line);
    } else if (is_option(line)) {
      page_.options.push_back(option_of(line));
      continue_with(page_.options.back().text, indent);
    } else if (const auto columns = split(line); indent == 2 && !columns.right.empty()) {
      if (page_.description.empty() || page_.description.back().terms.empty() || ended_) begin({});
      page_.description.back().terms.push_back({columns.left, columns.right});
      continue_with(page_.description.back().terms.back().text, indent);
    } else {
      if (page_.description.empty() || page_.description.back().lines.empty() || ended_) begin({});
      page_.description.back().lines.push_back(line);
    }
    ended_ = false;
  }

  void begin(HelpBlock block) { page_.description.push_back(std::move(block)); }

  void continue_with(std::string& text, std::size_t indent) {
    continued_ = &text;
    continues_at_ = indent + 8;
  }

  void end_paragraph() {
    continued_ = nullptr;
    ended_ = true;
    if (part_ != Part::summary || !page_.summary.empty()) part_ = Part::description;
  }

  HelpPage page_;
  Part part_ = Part::summary;
  std::string* continued_ = nullptr;  // the text that a line with this indent or a deeper one belongs to
  std::size_t continues_at_ = 0;
  bool ended_ = false;  // there was an empty line
};

}  // namespace

HelpPage parse_help(std::string_view text) { return Parser().parse(text); }

std::vector<std::string> subcommands(const HelpPage& page) {
  std::vector<std::string> all;
  for (const auto& line : page.usage) {
    std::istringstream words(line);
    std::string program, command, word;
    words >> program >> command >> word;
    const bool is_word =
        !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::islower(c) != 0; });
    if (is_word && std::ranges::find(all, word) == all.end()) all.push_back(word);
  }
  return all;
}

}  // namespace tenure::cli
