// What a study found of the metrics that it asks for beside its step times.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// An answer for each metric that the study asks for: "better, 0.595x with 2 devices". A metric that
// no comparison has is left out.
std::vector<Answer> metric_answers(const ReportInput& input);

// What verdicts say of the order of cells, by their ids.
struct Decided {
  using Pairs = std::set<std::pair<std::int64_t, std::int64_t>>;
  Pairs above;  // the first is above the second
  Pairs open;   // either may be above; the smaller id first
};

// By the comparisons of the rows' cells in any of `quantities`.
Decided decide(const ReportInput& input,
               const std::vector<const EstimateRow*>& rows,
               const std::vector<std::string>& quantities);

// The rows that may have the least value, by value. A row is known to be above another if that is
// decided, or, unless that is open, if its interval lies above that of the least.
//
// - rows: of one metric, all with a value.
std::vector<const EstimateRow*> leaders(std::vector<const EstimateRow*> rows,
                                        const Decided& decided);

inline constexpr std::size_t kMostLeaders = 3;  // that are named

inline constexpr const char* kNotCertain = "not certain which";

// Why several rows lead: kWithinNoise if verdicts say that of each two, else kNotCertain.
std::string tie_text(const std::vector<const EstimateRow*>& rows, const Decided& decided);

// "soonest with 1 device, 29.4 h"; "soonest with 1 device, or 2 devices (no significant
// difference)"; of more than kMostLeaders "over all compared values, no cell is certain to be the
// soonest; least by estimate: 1 device, 29.4 h".
//
// - what: "soonest", "cheapest".
// - value_text: what follows the name of the only cell, or of the least, "29.4 h".
// - tie: tie_text().
// - end: the end of each row's name, which is left out.
std::string say_leaders(const ReportInput& input,
                        const std::vector<const EstimateRow*>& rows,
                        const std::string& what,
                        const std::function<std::string(const CellRow&)>& value_text,
                        const std::string& tie,
                        const std::string& end = "");

}  // namespace scalestudy::report
