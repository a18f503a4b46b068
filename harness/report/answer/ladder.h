// What to choose for each value of the one number that the bases differ in: "1 device at batch 16
// to 32, 2 devices at batch 64 to 256; between 32 and 64 measure".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/answer/problem.h"

namespace scalestudy::report {

// The words for a problem without a choice.
inline constexpr const char* kNotToldApart = "not told apart";
inline constexpr const char* kNoVerdict = "no verdict";

// The problems that differ in one number alone, ordered by it.
struct Ladder {
  std::string axis;     // the parameter: "batch" for any batch; "" where no number differs
  std::string setting;  // the words that these problems share: "model=mlp-258k"
  std::vector<const Problem*> rungs;
};

// A ladder for each combination of words that the bases differ in; none where they differ in more
// than one number. The problems must outlive the ladders.
std::vector<Ladder> ladders_of(const ReportInput& input, const std::vector<Problem>& problems);

// What `choose` says of all rungs, as one text: neighbours with one choice are joined to a range;
// where the choice changes often, each choice has the list or the number of its values. Several
// ladders are told apart: "with model=mlp-258k ...; with ...". "" where nothing is chosen.
std::string say_ladders(const ReportInput& input,
                        const std::vector<Ladder>& ladders,
                        const std::function<std::string(const Problem&)>& choose);

}  // namespace scalestudy::report
