// Finds the word that a misspelt one may stand for; used by the harness as well.
#pragma once

#include <span>
#include <string_view>

namespace scalestudy::protocol {

// The candidate with the fewest letters to change, add, leave out or swap with their neighbour;
// empty when that is more than a third of `word` (at least one letter), or a word no one mistypes
// (above 100 letters: the effort is quadratic).
std::string_view closest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace scalestudy::protocol
