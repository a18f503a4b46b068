// Figures by gnuplot: data and texts go in as definitions, a script of templates/figures draws
// them.
#pragma once

#include <string>
#include <vector>

namespace scalestudy::report {

// A text as a gnuplot string that stands for itself: quoted, on one line, of at most 60 characters.
std::string gnuplot_string(const std::string& text);

// "array NAME[2] = ['a', 'b']" with its newline; not for an empty list, which gnuplot does not
// know.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& values);

// SVG that the script draws, readable on light and dark ground.
//   script  whole gnuplot program; `name` is what messages call it.
//   throws  Error{kMachine} when gnuplot is missing; Error{kUsage} when the script fails, with
//   gnuplot's
//           words.
std::string draw_svg(const std::string& script, const std::string& name);

// Black becomes the text colour of the reader's scheme.
std::string adapt_to_scheme(std::string svg);

}  // namespace scalestudy::report
