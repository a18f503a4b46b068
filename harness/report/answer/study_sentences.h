// What a study declares of its trials and their analysis, in words.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy::report {

// How many steps of a trial are measured, after how many of warm-up; with its full stop.
std::string steps_sentence(const Steps& steps);

// Ends of a sentence on the number of trials, "10 of each cell", and on their order, "randomised
// complete blocks ..., seed 42"; the rule for outliers, "modified-z > 3.5".
std::string trials_sentence(const Trials& trials);
std::string search_sentence(const Search& search);
std::string order_sentence(const Order& order);
std::string outlier_sentence(const OutlierRule& rule);

// The margin of relevance, "5 %", with the metrics that have their own: "5 % (loss: 0.01 %)".
std::string margins_text(const AnalysisOptions& analysis);

// A sentence that a device is a CPU core, with one that its fp64 is not tuned, or on how far the
// backend of a GPU is tested; "" for a command, and for a study that varies the backend without
// cuda.
std::string device_sentence(const Study& study);

// Whether each device is one CPU core, in all cells of the study.
bool is_cpu_core(const Study& study);

}  // namespace scalestudy::report
