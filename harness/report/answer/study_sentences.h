// What a study declares of its trials and their analysis, in words.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy::report {

// A sentence, with its full stop.
std::string steps_sentence(const Steps& steps);

// Ends of a sentence: "10 of each cell", "randomised complete blocks ..., seed 42", "modified-z
// > 3.5".
std::string trials_sentence(const Trials& trials);
std::string search_sentence(const Search& search);
std::string order_sentence(const Order& order);
std::string outlier_sentence(const OutlierRule& rule);

// "5 %"; with those of metrics that have their own: "5 % (loss: 0.01 %)".
std::string margins_text(const AnalysisOptions& analysis);

// That a device is a CPU core, or how far a GPU's backend is tested; "" of a command.
std::string device_sentence(const Study& study);

}  // namespace scalestudy::report
