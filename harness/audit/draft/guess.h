// What a table's columns seem to be, by their headings, units and cells.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

struct Guess {
  std::string name;      // [a-z][a-z0-9_]*, unique in its table
  std::string quantity;  // empty: left out, as the column holds neither figures nor names of rows
  std::string unit;      // unit of cells that print none
  std::string at;        // YAML of the conditions of this column alone: "precision: TF32"
  std::string baseline;  // YAML of the run it is relative to: "devices: 1"
  std::string follows;   // YAML of its rule: "ratio: [amp, tf32]"
  std::string reason;    // why this was guessed, in words, for whoever confirms it
  // The cell for which the column was not read as what its heading says; or empty.
  std::string obstacle;
  std::string note;       // a rule that nearly all rows follow, and the one that does not; or empty
  bool is_exact = false;  // exact: true
  bool shows_zeros = false;  // zeros: shown
  bool is_no_sum = false;    // its figure in the row of sums is a mean or a peak, or below the sum
};

// The text in small letters, digits and `separator`, as names of datasets, tables and columns are.
std::string plain_name(const std::string& text, char separator, std::size_t longest);

// Guesses what each column holds. The cells can always be read as guessed: a column that can be
// read as no quantity becomes a label, or is left out.
std::vector<Guess> guess_columns(const DocumentTable& table);

// The column's cells, read as it was guessed.
std::vector<ParsedFigure> figures_of(const DocumentTable& table,
                                     const std::vector<Guess>& guesses,
                                     std::size_t column);

}  // namespace scalestudy::audit
