#include "harness/base/hash.h"

#include <random>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scalestudy {

std::string text_hash(std::string_view text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

bool is_text_hash(std::string_view text) {
  return text.size() == text_hash("").size() &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string random_uid() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace scalestudy
