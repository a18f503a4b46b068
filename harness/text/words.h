// Closed sets of words: an enum and the words of its values, which are the same in the store, in
// files and in reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace scalestudy {

// The words of an enum in the order of its enumerators, which count from 0. Defined after the enum:
//   template <>
//   inline constexpr std::string_view kWords<Severity> = "note|warning";
template <typename E>
inline constexpr std::string_view kWords = {};

template <typename E>
concept Worded = std::is_enum_v<E> && !kWords<E>.empty();

template <Worded E>
const std::vector<std::string>& words_of() {
  static const std::vector<std::string> kEach = [] {
    std::vector<std::string> parts(1);
    for (const char c : kWords<E>) {
      if (c == '|') {
        parts.emplace_back();
      } else {
        parts.back() += c;
      }
    }
    return parts;
  }();
  return kEach;
}

// The word of a value. Throws std::out_of_range if it is no enumerator.
template <Worded E>
const std::string& to_word(E value) {
  return words_of<E>().at(static_cast<std::size_t>(value));
}

// The value that a word stands for; absent if it is none of the enum's words.
template <Worded E>
std::optional<E> from_word(std::string_view word) {
  const std::vector<std::string>& words = words_of<E>();
  const auto found = std::find(words.begin(), words.end(), word);
  return found == words.end() ? std::nullopt : std::optional(static_cast<E>(found - words.begin()));
}

}  // namespace scalestudy
