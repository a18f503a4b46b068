// Numbers and words as people read them.
#include "harness/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

namespace scalestudy {
namespace {

// Levenshtein distance with transposition of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    cost[i][0] = i;
  }
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, substitution});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

// Bytes of the character at the start of `text`, 0 when it is no UTF-8 or a control character.
std::size_t printable_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) {
    return (first >= 0x20U && first != 0x7fU) || first == '\n' || first == '\t' ? 1 : 0;
  }
  const std::size_t length = first >= 0xf0U ? 4 : first >= 0xe0U ? 3 : 2;
  if (first < 0xc2U || first > 0xf4U || text.size() < length) {
    return 0;
  }
  std::uint32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) {
      return 0;
    }
    code = code << 6U | (next & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0xa0, 0x800, 0x10000};  // C1 controls too
  const bool is_surrogate = code >= 0xd800U && code <= 0xdfffU;
  return code < smallest.at(length) || is_surrogate || code > 0x10ffffU ? 0 : length;
}

}  // namespace

std::string format_duration(double seconds) {
  if (seconds < 1e-3) {
    return fmt::format("{:.3g} us", seconds * 1e6);
  }
  if (seconds < 1.0) {
    return fmt::format("{:.3g} ms", seconds * 1e3);
  }
  if (seconds < 60.0) {
    return fmt::format("{:.3g} s", seconds);
  }
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) {
    return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  }
  return fmt::format("{} h {:02} min", whole / 3600, (whole % 3600) / 60);
}

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units.at(unit));
}

std::string closest_match(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    result.append(length == 0 ? "?" : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string join(std::span<const std::string> items, std::string_view separator) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) {
      text += separator;
    }
    text += item;
  }
  return text;
}

}  // namespace scalestudy
