// Lines of text as wide as a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scalestudy {

// The width of lines that nothing bounds: those of a file or a pipe.
constexpr std::size_t kAnyWidth = std::string_view::npos;

// Columns that UTF-8 text takes on a terminal: its code points. Wide and combining ones are not
// told from others.
std::size_t display_width(std::string_view text);

// The text in lines of at most `width` columns, broken at spaces; a longer word keeps its line.
// Line ends of the text stay.
// - indent: spaces before each line that a break begins.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace scalestudy
