// The sentences of the first screen, from stored comparisons, thresholds and the declared axes.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// A cell beside its base.
struct Pair {
  const CellRow* cell = nullptr;
  const CellRow* base = nullptr;
  const ComparisonRow* speedup = nullptr;
  std::string name;       // what sets the cell apart from its base: "2 devices"
  std::string base_name;  // and the base from it: "1 device"
  // What both have alike: "batch 256"; "" where nothing is varied, and of a common base.
  std::string where;
};

// Whether it says how its sides stand to each other: it has a value and enough data, nobody was
// oversubscribed, and what sets the sides apart is known to be applied. No sentence rests on
// another.
bool is_usable(const ComparisonRow& row);

// Ids of cells that ask for a setting which, as comparisons with them found, was not applied or is
// unconfirmed.
std::set<std::int64_t> unapplied_cells(const ReportInput& input);

// Those with a speedup, in the order of groups and cells.
std::vector<Pair> pairs_of(const ReportInput& input);

// Whether cells differ from their bases in the number of devices.
bool are_of_devices(const std::vector<Pair>& pairs);

// "2 devices", "1 device (as fast)", "not told apart", "not enough data": what the verdict
// recommends.
std::string recommendation(const Pair& pair);

struct Answer {
  std::string about;     // "2 devices against 1 device", "Break-even"
  std::string sentence;  // "it depends: faster in 3, slower in 2 of 5 pairs ..."
};

// One for each name that is compared with a base (of many names one in all), for each metric that
// the study asks for, each break-even, and each curve of a collective.
std::vector<Answer> answers(const ReportInput& input, const std::vector<Pair>& pairs);

// Of each metric that the study asks for: "better, 0.595x with 2 devices". other_answers.cc
std::vector<Answer> metric_answers(const ReportInput& input);

// What the declared training, else a million samples or tokens, costs where it is soonest and where
// it is cheapest by the estimates, one for each of two models at most. other_answers.cc
std::vector<Answer> cost_answers(const ReportInput& input);

// Of a study that compares nothing: its targets, else the time of each cell's step.
std::vector<Answer> plain_answers(const ReportInput& input);

// What a search recommends, once it is over. search_section.cc
std::vector<Answer> search_answer(const ReportInput& input);

// "speedup reaches 1x between batch_global 32 and 64, about 46.1 [39.2, 61.0] (devices=2)"; curves
// of which the same is known together: "... (2 of 3 curves)". thresholds_section.cc
std::vector<std::string> break_evens(const ReportInput& input);

// That a device is a CPU core, or how far a GPU's backend is tested; "" of a command.
std::string device_sentence(const Study& study);  // study_section.cc

// Each target once: over its cells, where it has several. targets_section.cc
std::vector<const TargetResultRow*> said_targets(const ReportInput& input);

// "1 met, 1 missed (second device pays)"; "" without targets.
std::string target_summary(const ReportInput& input);

// What communication costs where it costs most and least; none without the control noop.
std::vector<std::string> reasons(const ReportInput& input, const std::vector<Pair>& pairs);

// The tested range, how many pairs have no usable speedup, what a further device costs, what a
// device is.
std::vector<std::string> limits(const ReportInput& input, const std::vector<Pair>& pairs);

}  // namespace scalestudy::report
