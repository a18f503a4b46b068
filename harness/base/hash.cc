#include "harness/base/hash.h"

#include <random>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace scalestudy {

std::string text_hash(std::string_view text) {
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string random_uid() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

}  // namespace scalestudy
