#include "cli/pages/man_page.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/version.hpp"
#include "core/base/check.hpp"
#include "core/base/names.hpp"

namespace tenure::cli {

namespace {

// As it is, whatever roff makes of its characters: a minus is no hyphen, a quote is not typographic.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t size = 1;
    switch (const char c = text.front(); c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x80) {
          out += c;
        } else {
          size = core::utf8_length(text);
          core::must(size > 0, "help texts are UTF-8");
          std::array<char, 16> name{};
          std::snprintf(name.data(), name.size(), "\\[u%04X]", core::code_point(text.substr(0, size)));
          out += name.data();
        }
    }
    text.remove_prefix(size);
  }
  // A dot in front would be a request.
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + escaped(text) + "\\fR"; }

class Writer {
 public:
  void line(const std::string& text) { out_ += text + "\n"; }
  void section(const std::string& name) { line(".SH " + name); }
  void paragraph(const std::string& text) {
    line(".PP");
    line(escaped(text));
  }
  void entry(const std::string& head, const std::string& text) {
    line(".TP");
    line(head);
    if (!text.empty()) line(escaped(text));
  }
  void verbatim(const std::vector<std::string>& lines) {
    line(".PP");
    line(".nf");
    line(".RS 4");
    for (const auto& each : lines) line(each.empty() ? "\\&" : escaped(each));
    line(".RE");
    line(".fi");
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

std::string head_of(const HelpOption& option) {
  std::string head;
  for (const auto& name : option.names) head += (head.empty() ? "" : ", ") + bold(name);
  return option.value.empty() ? head : head + " " + italic(option.value);
}

std::vector<std::string> without_last_empty(std::vector<std::string> lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::string> outdented(std::vector<std::string> lines) {
  for (auto& line : lines)
    line.erase(0, std::min({std::size_t{2}, line.find_first_not_of(' '), line.size()}));
  return lines;
}

// Sentences are filled, a table of codes stays one.
void write_exit_codes(Writer& to, const std::vector<std::string>& lines) {
  std::string sentences;
  std::vector<std::string> table;
  for (const auto& line : lines) {
    if (line.starts_with(' ')) {
      table.push_back(line);
    } else {
      sentences += (sentences.empty() ? "" : " ") + line;
    }
  }
  if (sentences != "Exit codes:") to.paragraph(sentences);
  if (!table.empty()) to.verbatim(outdented(table));
}

void write_block(Writer& to, const HelpBlock& block) {
  if (!block.paragraph.empty()) to.paragraph(block.paragraph);
  for (const auto& term : block.terms) to.entry(bold(term.word), term.text);
  if (!block.lines.empty()) to.verbatim(outdented(block.lines));
}

}  // namespace

std::string man_text(const ManPage& page) {
  Writer to;
  std::string upper = page.name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  to.line(".\\\" Made from tenure --help. Do not change it here.");
  to.line(".TH \"" + escaped(upper) + "\" 1 \"\" \"tenure " + escaped(version()) + "\" \"User Commands\"");
  to.line(".nh");  // names of options and variables stay whole
  to.line(".ad l");
  to.section("NAME");
  to.line(escaped(page.name) + " \\- " + escaped(page.purpose));
  to.section("SYNOPSIS");
  to.line(".nf");
  for (const auto& usage : page.help.usage) to.line(escaped(usage));
  to.line(".fi");
  to.section("DESCRIPTION");
  to.line(escaped(page.help.summary));
  for (const auto& block : page.help.description) write_block(to, block);
  if (!page.help.options.empty()) to.section("OPTIONS");
  for (const auto& option : page.help.options) to.entry(head_of(option), option.text);
  if (!page.help.exit_codes.empty()) {
    to.section("\"EXIT STATUS\"");
    write_exit_codes(to, page.help.exit_codes);
  }
  if (const auto examples = without_last_empty(page.help.examples); !examples.empty()) {
    to.section("EXAMPLES");
    to.verbatim(outdented(examples));
  }
  to.section("\"SEE ALSO\"");
  std::string others;
  for (const auto& name : page.see_also) others += (others.empty() ? "" : ",\n") + bold(name) + "(1)";
  to.line(others);
  return to.take();
}

}  // namespace tenure::cli
