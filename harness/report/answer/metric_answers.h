// What a study found of the metrics that it asks for beside its step times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// An answer for each metric that the study asks for: "better, 0.595x with 2 devices". A metric that
// no comparison has is left out.
std::vector<Answer> metric_answers(const ReportInput& input);

// The rows that may have the least value, by value. A row is known to be above another by the
// verdict of a comparison of their cells in one of `quantities`, or, where none leaves that open,
// if its interval lies above that of the least.
//
// - rows: of one metric, all with a value.
std::vector<const EstimateRow*> leaders(const ReportInput& input,
                                        std::vector<const EstimateRow*> rows,
                                        const std::vector<std::string>& quantities);

// "soonest with 1 device, 29.4 h"; "soonest with 1 device, or 2 devices (the difference is within
// the noise)"; "no cell is certain to be the soonest" of more than three.
//
// - what: "soonest", "cheapest".
// - value_text: what follows the name of the only cell, "29.4 h".
std::string say_leaders(const ReportInput& input,
                        const std::vector<const EstimateRow*>& rows,
                        const std::string& what,
                        const std::function<std::string(const CellRow&)>& value_text);

}  // namespace scalestudy::report
