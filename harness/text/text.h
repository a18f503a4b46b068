// Numbers as people read them. Storage stays in SI base units; these are for screens and messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

// "850 ms", "12.3 s", "4 min 10 s", "2 h 05 min"; seconds >= 0.
std::string format_duration(double seconds);

// protocol::closest_word as text, empty when no candidate is close enough to suggest.
std::string closest_match(std::string_view word, std::span<const std::string> candidates);

// Foreign text that is safe to print and store: what is no UTF-8, and control characters other than
// newline and tab (a terminal obeys them), become '?', one for each byte.
std::string printable(std::string_view text);

// The first five items: "a; b; c; d; e; and 3 more". For names of cells, which have commas.
std::string list_some(std::span<const std::string> items);

// Items joined by `separator`.
std::string join(std::span<const std::string> items, std::string_view separator);

}  // namespace scalestudy
