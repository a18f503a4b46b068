#include "harness/text/yaml_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "harness/text/json.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the text means itself without quotes, wherever it stands.
bool is_plain(const std::string& text) {
  constexpr std::array<std::string_view, 9> meant{
      "true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  const auto is_letter = [](unsigned char c) { return c < 128 && std::isalpha(c) != 0; };
  return !text.empty() && (is_letter(text.front()) || text.front() == '/') &&
         std::ranges::all_of(text,
                             [&](unsigned char c) {
                               return is_letter(c) || std::isdigit(c) != 0 || c == '_' ||
                                      c == '-' || c == '.' || c == '/';
                             }) &&
         std::ranges::find(meant, lowered(text)) == meant.end();
}

bool is_number(const std::string& text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(text.find('.'), text.size());
  const auto are_digits = [](std::string_view part) {
    return !part.empty() &&
           std::ranges::all_of(part, [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  const std::string whole = text.substr(first, std::max(point, first) - first);
  return are_digits(whole) && (whole.size() == 1 || whole.front() != '0') && text != "-0" &&
         (point == text.size() || are_digits(text.substr(point + 1)));
}

}  // namespace

std::string yaml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

std::string yaml_word(const std::string& text) {
  if (is_plain(text)) {
    return text;
  }
  if (std::ranges::any_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; })) {
    return JsonText(text).dump();
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string yaml_value(const std::string& text) {
  return is_number(text) && !may_be_version(text) ? text : yaml_word(text);
}

}  // namespace scalestudy
