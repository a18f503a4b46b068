// What a table's columns seem to be, by their headings, units and cells.
#pragma once

#include <string>
#include <vector>

#include "harness/audit/dataset/document.h"

namespace scalestudy::audit {

struct Guess {
  std::string name;  // [a-z][a-z0-9_]*, one of its table
  std::string
      quantity;      // empty: the column is left out, it holds neither figures nor names of rows
  std::string unit;  // of cells that print none
  std::string at;    // YAML of the conditions of this column alone: "precision: TF32"
  std::string baseline;  // YAML of the run it is relative to: "devices: 1"
  std::string follows;   // YAML of its rule: "ratio: [amp, tf32]"
  std::string reason;    // in words, for whoever confirms it
};

// One guess a column. Whatever is guessed, the cells can be read so: what cannot becomes a label,
// or is left out.
std::vector<Guess> guess_columns(const DocumentTable& table);

}  // namespace scalestudy::audit
