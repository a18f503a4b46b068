#include "harness/study/secrets_of_texts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "harness/base/error.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parse.h"

namespace scalestudy {

namespace {

// A key in double quotes may be spelled with escapes, "s\x65cret", or over two lines.
bool may_mark_secrets(const std::string& text) {
  constexpr std::array<std::string_view, 6> signs = {"secret", "\\x", "\\u", "\\U", "\\\n", "\\\r"};
  return std::ranges::any_of(
      signs, [&](std::string_view sign) { return text.find(sign) != std::string::npos; });
}

// Of a text that cannot be read whole, what can be.
Study read_leniently(const std::string& text) {
  try {
    return parse_stored_study(text, "");
  } catch (const Error&) {
    return parse_study(text, "", {}).study;
  }
}

}  // namespace

std::vector<std::string> secrets_of_texts(const StudyTexts& studies) {
  std::vector<std::string> secrets;
  for (const auto& [study, texts] : studies) {
    if (std::ranges::none_of(texts, may_mark_secrets)) {
      continue;
    }
    std::vector<Study> read;
    std::set<std::string> names;
    for (const std::string& text : texts) {
      read.push_back(read_leniently(text));
      names.insert(read.back().secrets.begin(), read.back().secrets.end());
    }
    for (Study& each : read) {
      each.secrets.assign(names.begin(), names.end());
      const std::vector<std::string> values = secret_values(each);
      secrets.insert(secrets.end(), values.begin(), values.end());
    }
  }
  std::ranges::sort(secrets);
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  return secrets;
}

}  // namespace scalestudy
