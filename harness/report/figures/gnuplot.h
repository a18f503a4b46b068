// Figures by gnuplot: data and texts go in as definitions, a script of templates/figures draws
// them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scalestudy::report {

// A text as a gnuplot string that stands for itself: quoted, on one line, of at most 60 characters.
std::string gnuplot_string(const std::string& text);

// The same as the label of a tic, in which gnuplot takes % for the begin of a format.
std::string gnuplot_tic(const std::string& text);

// "array NAME[2] = ['a', 'b']" with its newline; not for an empty list, which gnuplot does not
// know.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& values);

// A file's name as a gnuplot string: quoted and whole.
std::string gnuplot_path(const std::filesystem::path& file);

// SVGs that the programs draw, in their order, readable on light and dark ground. One gnuplot runs
// them all and unsets between them everything but options of the terminal, so give it figures of
// one kind; where one fails, each is drawn by its own.
//   name    what messages call the programs.
//   throws  Error{kMachine} when gnuplot is missing; Error{kUsage} when programs fail, with
//           gnuplot's words for each.
std::vector<std::string> draw_svgs(const std::vector<std::string>& programs,
                                   const std::string& name);

// Black becomes the text colour of the reader's scheme.
std::string adapt_to_scheme(std::string svg);

}  // namespace scalestudy::report
