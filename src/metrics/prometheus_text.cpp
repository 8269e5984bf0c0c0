#include "metrics/prometheus_text.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace tenure::metrics {

namespace {

// Never in the form 1e-04: people read it, too.
std::string number(double value) {
  std::array<char, 512> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

// How many bytes the UTF-8 character at the beginning has; 0: there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length > text.size()) return 0;
  // Longer than need be, a surrogate, or beyond the last character.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0)) return 0;
  if ((first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90)) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// What is not UTF-8 would cost the whole page.
std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      out += '?';
    } else if (text.front() == '\n') {
      out += "\\n";
    } else {
      if (text.front() == '\\' || text.front() == '"') out += '\\';
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string_view to_string(Metric::Type type) {
  switch (type) {
    case Metric::Type::counter:
      return "counter";
    case Metric::Type::gauge:
      return "gauge";
    case Metric::Type::histogram:
      return "histogram";
  }
  return "untyped";
}

class Page {
 public:
  void add(const Metric& metric) {
    if (metric.name != family_) begin_family(metric);
    if (metric.histogram != nullptr) {
      add(metric, *metric.histogram);
    } else {
      line(metric, "", "", number(metric.value));
    }
  }
  std::string take() { return std::move(text_); }

 private:
  void begin_family(const Metric& metric) {
    family_ = metric.name;
    text_.append("# HELP ").append(metric.name).append(" ").append(metric.help).append("\n");
    text_.append("# TYPE ").append(metric.name).append(" ").append(to_string(metric.type)).append("\n");
  }

  // Each bucket counts those before it, too.
  void add(const Metric& metric, const Histogram& histogram) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
      count += histogram.counts[i];
      const bool last = i == Histogram::bounds.size();
      line(metric, "_bucket", last ? "+Inf" : number(Histogram::bounds[i]), std::to_string(count));
    }
    line(metric, "_sum", "", number(histogram.sum));
    line(metric, "_count", "", std::to_string(count));
  }

  // Without a bound there is no label for it.
  void line(const Metric& metric, std::string_view suffix, std::string_view bound, std::string_view value) {
    text_.append(metric.name).append(suffix);
    char separator = '{';
    const auto label = [&](std::string_view name, std::string_view text) {
      (text_ += std::exchange(separator, ',')).append(name).append("=\"").append(escaped(text)).append("\"");
    };
    for (const Metric::Label& it : metric.labels) label(it.name, it.value);
    if (!bound.empty()) label("le", bound);
    if (separator == ',') text_ += '}';
    text_.append(" ").append(value).append("\n");
  }

  std::string family_;
  std::string text_;
};

}  // namespace

std::string prometheus_text(const Metrics& metrics, const PollerMetrics* poller) {
  return prometheus_text_of([&](const auto& visit) {
    for_each(metrics, visit);
    if (poller != nullptr) for_each(*poller, visit);
  });
}

std::string prometheus_text_of(const Tell& tell) {
  Page page;
  tell([&](const Metric& metric) { page.add(metric); });
  return page.take();
}

}  // namespace tenure::metrics
