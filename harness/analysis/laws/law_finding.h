// A fitted scaling law as a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

// What sentences call the law: "Amdahl's law", "the universal scalability law" ...
std::string law_name(Law law);

// A mean error of predictions as text: "3.2 %", "0.15 %".
std::string say_error(double share);

struct LawFacts {
  Scaling scaling = Scaling::kNone;   // the study's
  std::vector<std::int64_t> devices;  // numbers of devices that the law was fitted to, ascending
  std::size_t free_parameters = 2;    // the law's, without one that is held at its bound
  bool shares_blocks = true;          // false: no chain of common blocks connects the cells
};

// Describes a fitted law. A law that was not tested is never called a fit, and nothing is said
// beyond twice the largest number of devices. The sentence does not name the curve; group_label
// does.
// - rows: those of one law and curve, at least one, with parameters and status.
std::string describe_law(const std::vector<LawRow>& rows, const LawFacts& facts);

// Describes one alpha_beta fit.
// - sizes: message sizes that it was fitted to, bytes, ascending.
std::string describe_alpha_beta(const std::vector<LawRow>& rows,
                                const std::vector<std::int64_t>& sizes);

}  // namespace scalestudy
