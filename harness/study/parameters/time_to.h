// The names under which times to an accuracy or a loss are stored.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// The metric of the time that a cell takes to reach the value: "time_to:accuracy:0.85".
std::string time_to_metric(const TimeToRequest& request);

// The metric of the share of trials that reach it: "reached:accuracy:0.85".
std::string reached_metric(const TimeToRequest& request);

// The series of a trial with the values that may reach it: for `train`, the one by epochs if the
// metric is evaluated, "epoch_accuracy".
std::string series_to_reach(Workload workload, const TimeToRequest& request);

// The goal in words, with the unit that an extract rule gives the metric: "accuracy 85 %",
// "loss 0.5".
std::string describe_goal(const Study& study, const TimeToRequest& request);

}  // namespace scalestudy
