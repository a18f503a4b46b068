#include "harness/base/home.h"

#include <cctype>

#include "harness/base/read_environment.h"

namespace scalestudy {
namespace {

// What may stand in a name of a file beside what tells its end in lists of them.
bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '-';
}

}  // namespace

std::string without_home(std::string text) {
  std::string home = environment_variable("HOME");
  while (home.ends_with('/')) {
    home.pop_back();
  }
  if (home.empty()) {
    return text;
  }
  for (std::size_t at = text.find(home); at != std::string::npos; at = text.find(home, at + 1)) {
    const std::size_t end = at + home.size();
    const bool is_begun = at > 0 && (is_of_name(text[at - 1]) || text[at - 1] == '/');
    if (!is_begun && (end == text.size() || !is_of_name(text[end]))) {
      text.replace(at, home.size(), "~");
    }
  }
  return text;
}

}  // namespace scalestudy
