// A fitted scaling law as a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

// "Amdahl's law", "the universal scalability law" ...
std::string law_name(Law law);

// "3.2 %", "0.15 %": a mean error of predictions.
std::string say_error(double share);

struct LawFacts {
  Scaling scaling = Scaling::kNone;   // of the study
  std::vector<std::int64_t> devices;  // counts the law was fitted to, ascending
  std::size_t free_parameters = 2;    // of the law, less one that is held at its bound
  bool shares_blocks = true;          // false: no chain of common blocks connects the cells
};

// A law that was not tested is never called a fit, and nothing is said beyond twice the largest
// count.
//   rows  of one law and curve, at least one; their parameters and status are what is said. Of
//         which curve stands in group_label alone.
std::string describe_law(const std::vector<LawRow>& rows, const LawFacts& facts);

// The same of one alpha_beta fit.
//   sizes  message sizes in bytes it was fitted to, ascending.
std::string describe_alpha_beta(const std::vector<LawRow>& rows,
                                const std::vector<std::int64_t>& sizes);

}  // namespace scalestudy
