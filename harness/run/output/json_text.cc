#include "harness/run/output/json_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace scalestudy {
namespace {

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.' ||
         c == '_';
}

// Whether it is a number that no double holds: 1e400. What is short and has no exponent is none.
bool is_too_large(std::string_view word) {
  constexpr std::size_t most_digits = 308;
  if (word.size() <= most_digits && word.find_first_of("eE") == std::string_view::npos) {
    return false;
  }
  const std::string text(word);
  char* end = nullptr;
  return std::isinf(std::strtod(text.c_str(), &end)) && *end == '\0';
}

// "NaN" and "-Infinity" as Python writes them, "nan" and "-inf" as C does.
bool is_not_finite(std::string_view word) {
  constexpr std::array<std::string_view, 3> names{"nan", "inf", "infinity"};
  if (word.starts_with('-') || word.starts_with('+')) {
    word.remove_prefix(1);
  }
  return std::ranges::any_of(names, [&](std::string_view name) {
    return std::ranges::equal(
        word, name, {}, [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  });
}

// The end of the string whose quote is at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

}  // namespace

std::optional<JsonPiece> take_json(std::string_view text, std::size_t begin) {
  JsonPiece taken;
  std::size_t depth = 0;
  for (std::size_t at = begin; at < text.size();) {
    std::size_t end = at + 1;
    if (text[at] == '"') {
      end = end_of_string(text, at);
    } else if (is_of_word(text[at])) {
      end = static_cast<std::size_t>(
          std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_of_word) -
          text.begin());
    }
    const std::string_view token = text.substr(at, end - at);
    const bool is_word = token.front() != '"';
    const char* quote = is_word && (is_not_finite(token) || is_too_large(token)) ? "\"" : "";
    taken.text.append(quote).append(token).append(quote);
    at = end;
    if (token == "{" || token == "[") {
      ++depth;
    } else if ((token == "}" || token == "]") && --depth == 0) {
      taken.end = at;
      return taken;
    }
  }
  return std::nullopt;
}

bool begins_as_object(std::string_view text, std::size_t begin) {
  if (begin >= text.size() || text[begin] != '{') {
    return false;
  }
  const std::size_t next = text.find_first_not_of(" \t\r\n", begin + 1);
  return next != std::string_view::npos && text[next] == '"';
}

std::size_t for_each_document(std::string_view text,
                              const std::function<void(std::string_view, std::size_t)>& use) {
  constexpr std::size_t most = 8;  // times that brackets which nothing closes may read the text
  std::size_t scanned = 0;
  std::size_t line = 1;
  for (std::size_t at = 0; at < text.size();) {
    if (scanned >= most * text.size()) {
      return line - 1;
    }
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r", at), text.size());
    const bool is_open = begin < text.size() && (text[begin] == '{' || text[begin] == '[');
    const std::optional<JsonPiece> taken = is_open ? take_json(text, begin) : std::nullopt;
    if (taken || begins_as_object(text, begin)) {
      const std::size_t end = taken ? taken->end : text.size();
      use(text.substr(begin, end - begin), line);
    }
    scanned += is_open && !taken ? text.size() - begin : 0;
    const std::size_t end = taken                           ? taken->end
                            : begins_as_object(text, begin) ? text.size()
                                                            : begin;
    const std::size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
    const std::string_view passed = text.substr(at, next - at);
    line += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
    at = next;
  }
  return 0;
}

}  // namespace scalestudy
