#include "harness/text/wrap.h"

#include <algorithm>

namespace scalestudy {
namespace {

std::string wrapped_line(std::string_view line, std::size_t width, std::size_t indent) {
  std::string text(line.substr(0, std::min(line.find_first_not_of(' '), line.size())));
  line.remove_prefix(text.size());
  std::size_t column = text.size();
  for (bool is_first = true; !line.empty(); is_first = false) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::size_t word = display_width(line.substr(0, end));
    if (!is_first && column + 1 + word > width) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      text += ' ';
      ++column;
    }
    text += line.substr(0, end);
    column += word;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  for (;;) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    result += display_width(line) <= width ? std::string(line) : wrapped_line(line, width, indent);
    if (end == text.size()) {
      return result;
    }
    result += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace scalestudy
