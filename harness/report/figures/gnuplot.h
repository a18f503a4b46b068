// Runs gnuplot: data and texts go in as definitions, and a script of templates/figures draws them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace scalestudy::report {

// A text as a quoted gnuplot string that shows literally: on one line, of at most `limit`
// characters.
std::string gnuplot_string(const std::string& text, std::size_t limit = 60);

// A text as the label of a tic: like gnuplot_string(), with % escaped, which begins a format there.
std::string gnuplot_tic(const std::string& text);

// The definition of an array, "array NAME[2] = ['a', 'b']", with its newline. `values` are gnuplot
// expressions; gnuplot has no empty arrays.
std::string gnuplot_array(const std::string& name, const std::vector<std::string>& values);

// The path of a file as a quoted gnuplot string, not shortened.
std::string gnuplot_path(const std::filesystem::path& file);

struct FigureProgram {
  std::string name;  // what messages call it
  std::string text;
  bool is_alone = false;  // drawn by a gnuplot of its own: a user's script may set anything
};

// The SVGs that the programs draw, in their order, readable on light and dark ground. One gnuplot
// runs all programs that are not alone and resets everything between them but what outlives a
// reset, such as options of the terminal, line types and the locale; if one of them fails, each is
// run by a gnuplot of its own.
// - throws: Error{kMachine} when gnuplot is missing; Error{kUsage} with gnuplot's words for each
//   program that fails.
std::vector<std::string> draw_svgs(const std::vector<FigureProgram>& programs);

// Likewise the PDFs of programs that draw to the terminal pdfcairo, without the time of drawing.
std::vector<std::string> draw_pdfs(const std::vector<FigureProgram>& programs);

// The SVG with black replaced by the text colour of the reader's light or dark scheme.
std::string adapt_to_scheme(std::string svg);

}  // namespace scalestudy::report
