#include "harness/cli/start/study_name.h"

#include <cctype>

namespace scalestudy {

std::string study_name(const std::string& text) {
  constexpr std::size_t longest = 64;
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 128 && std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  name = name.substr(0, longest);
  return name.ends_with('-') ? name.substr(0, name.size() - 1) : name;
}

}  // namespace scalestudy
