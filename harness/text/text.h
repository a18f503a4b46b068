// Small helpers for text on screens and in messages: durations, suggestions, lists, safe printing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// A duration for people: "850 ms", "12.3 s", "4 min 10 s", "2 h 05 min"; seconds >= 0.
std::string format_duration(double seconds);
// Time that is left, an estimate: rounded up to whole seconds, "1 s".
std::string format_time_left(double seconds);

// The candidate that `word` is most likely a misspelling of (protocol::closest_word); "" if none is
// close enough to suggest.
std::string closest_match(std::string_view word, std::span<const std::string> candidates);

// Foreign text made safe to print and store: bytes that are no UTF-8, and those of control
// characters other than newline and tab (a terminal would obey them, or turn text around), each
// become '?'.
std::string printable(std::string_view text);

// The text without the blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view text);

// At most `count` characters of UTF-8 text, none of them cut in two.
std::string_view first_characters(std::string_view text, std::size_t count);

// The first five items: "a; b; c; d; e; and 3 more". For names of cells, which contain commas.
std::string list_some(std::span<const std::string> items);

// The parts of the text between the separators, empty ones too; of "" one that is empty.
std::vector<std::string> split(std::string_view text, std::string_view separator);

// Items joined by `separator`.
std::string join(std::span<const std::string> items, std::string_view separator);

// Items as a sentence lists them: "a", "a and b", "a, b and c".
std::string join_words(std::span<const std::string> items);

// "16 to 32"; "16" if both ends read alike.
std::string join_range(const std::string& from, const std::string& to);

// Behind a number of things, which of them is the first: " (first: batch 8)"; of one " (batch 8)".
std::string name_first(std::int64_t count, const std::string& name);

// Items joined by ", ", or by "; " where one of them has a ", " of its own.
std::string join_clearly(std::span<const std::string> items);

// Replaces each `from` in the text, which is not empty, by `to`.
void replace_all(std::string& text, std::string_view from, std::string_view to);

// The text as a heading or a line begins: "model mlp-258k" -> "Model mlp-258k". A first word that
// is typed so stays: "lr_scale=linear", "env.NCCL_ALGO=Ring".
std::string with_capital(std::string text);

// The text in small letters; of letters of ASCII alone.
std::string lowered(std::string text);

// "not_reached" -> "not reached": a word of a store or a file as people read it.
std::string in_words(std::string word);

}  // namespace scalestudy
