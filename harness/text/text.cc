// Numbers and words as people read them.
#include "harness/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "workloads/parameters/closest_word.h"

namespace scalestudy {
namespace {

struct Character {
  std::size_t length = 1;  // bytes
  bool is_printable = false;
};

// The character at the start of `text`; a byte that is no UTF-8 counts as one.
Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) {
    return {.length = 1,
            .is_printable = (first >= 0x20U && first != 0x7fU) || first == '\n' || first == '\t'};
  }
  const std::size_t length = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
  if (first < 0xc2U || first > 0xf4U || text.size() < length) {
    return {};
  }
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) {
      return {};
    }
    code = code << 6U | (next & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800U && code <= 0xdfffU;
  const bool turns_text =
      (code >= 0x202aU && code <= 0x202eU) || (code >= 0x2066U && code <= 0x2069U);
  if (code < smallest.at(length) || is_surrogate || code > 0x10ffffU) {
    return {};
  }
  return {.length = length, .is_printable = code >= 0xa0U && !turns_text};  // C1 controls below
}

}  // namespace

std::string format_duration(double seconds) {
  constexpr double rounds_up = 0.9995;  // of a unit, to a thousand of the one below
  if (seconds < rounds_up * 1e-3) {
    return fmt::format("{:.3g} µs", seconds * 1e6);
  }
  if (seconds < rounds_up) {
    return fmt::format("{:.3g} ms", seconds * 1e3);
  }
  if (seconds < 60.0) {
    return fmt::format("{:.3g} s", seconds);
  }
  if (!(seconds < 3.6e9)) {
    return fmt::format("{:.3g} h", seconds / 3600.0);
  }
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, (whole % 3600) / 60);
}

std::string format_time_left(double seconds) {
  return format_duration(std::ceil(std::max(seconds, 1.0)));
}

std::string closest_match(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(protocol::closest_word(word, views));
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const Character next = first_character(text);
    result.append(next.is_printable ? text.substr(0, next.length) : "?");
    text.remove_prefix(next.length);
  }
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = std::min(text.find_first_not_of(blanks), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view first_characters(std::string_view text, std::size_t count) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (begins && ++characters > count) {
      return text.substr(0, i);
    }
  }
  return text;
}

std::string list_some(std::span<const std::string> items) {
  constexpr std::size_t most = 5;
  const std::string text = join(items.first(std::min(most, items.size())), "; ");
  return items.size() <= most ? text
                              : text + "; and " + std::to_string(items.size() - most) + " more";
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + separator.size();
  }
  return parts;
}

std::string join(std::span<const std::string> items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    text += &item == items.data() ? "" : separator;
    text += item;
  }
  return text;
}

std::string join_words(std::span<const std::string> items) {
  return items.size() < 2 ? join(items, "")
                          : join(items.first(items.size() - 1), ", ") + " and " + items.back();
}

std::string join_range(const std::string& from, const std::string& to) {
  return from == to ? from : from + " to " + to;
}

std::string name_first(std::int64_t count, const std::string& name) {
  return (count == 1 ? " (" : " (first: ") + name + ")";
}

std::string join_clearly(std::span<const std::string> items) {
  const bool have_commas = std::ranges::any_of(
      items, [](const std::string& item) { return item.find(", ") != std::string::npos; });
  return join(items, have_commas ? "; " : ", ");
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string with_capital(std::string text) {
  const bool is_typed = text.substr(0, text.find(' ')).find_first_of("_.=") != std::string::npos;
  if (!is_typed && !text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string lowered(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

std::string in_words(std::string word) {
  std::ranges::replace(word, '_', ' ');
  return word;
}

}  // namespace scalestudy
