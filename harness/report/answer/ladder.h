// What to choose along the one number that bases differ in: "1 device at batch 16 to 32, 2 devices
// at batch 64 to 256; between 32 and 64 measure".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/answer/problem.h"

namespace scalestudy::report {

// What is said of a problem in place of a choice.
inline constexpr const char* kNotToldApart = "not told apart";
inline constexpr const char* kNoVerdict = "no verdict";

// One number that the problems differ in; "batch" where that is the batch.
struct Ladder {
  std::string axis;     // name of the parameter; "" without one
  std::string setting;  // of these problems, what words it holds fixed: "model=mlp-258k"
  std::vector<const Problem*> rungs;
};

// By the words that the bases differ in; empty where more than one number differs. The problems
// must outlive them.
std::vector<Ladder> ladders_of(const ReportInput& input, const std::vector<Problem>& problems);

// What `choose` says of each rung, neighbours that say the same together; where it changes often
// by what it says, or how often it does. Of several ladders "with model=mlp-258k ...; with ...". ""
// where nothing is chosen.
std::string say_ladders(const ReportInput& input,
                        const std::vector<Ladder>& ladders,
                        const std::function<std::string(const Problem&)>& choose);

}  // namespace scalestudy::report
