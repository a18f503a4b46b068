#include "harness/text/shell_word.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace scalestudy {

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+=./:,@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    return text;
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string call_of(const std::string& results, const std::string& verb, const std::string& study) {
  const std::string folder = results == kDefaultResults ? "" : " --results " + shell_word(results);
  return "scalestudy" + folder + " " + verb + " " + shell_word(study);
}

}  // namespace scalestudy
