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

#include "harness/text/text.h"

namespace scalestudy {

// The words of an enum in the order of its enumerators, which count from 0. Defined after the enum:
//   template <>
//   inline constexpr std::string_view kWords<Severity> = "note|warning";
template <typename E>
inline constexpr std::string_view kWords = {};

template <typename E>
concept Worded = std::is_enum_v<E> && !kWords<E>.empty();

// Whether the number is that of an enumerator: compilers print its name, but any other number as a
// cast, "(scalestudy::Severity)2".
template <auto value>
constexpr bool is_enumerator() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t last = text.rfind(')') + 1;  // of the cast; else of the function's own "()"
  return text[last] < '0' || text[last] > '9';
}

// Whether the enum's enumerators count from 0 to below `count`.
template <typename E, std::size_t count>
constexpr bool has_enumerators() {
  return is_enumerator<static_cast<E>(count - 1)>() && !is_enumerator<static_cast<E>(count)>();
}

// How many words stand between the bars.
constexpr std::size_t count_words(std::string_view words) {
  return 1 + static_cast<std::size_t>(std::count(words.begin(), words.end(), '|'));
}

template <Worded E>
const std::vector<std::string>& words_of() {
  static_assert(has_enumerators<E, count_words(kWords<E>)>(), "each enumerator has one word");
  static const std::vector<std::string> kEach = split(kWords<E>, "|");
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
