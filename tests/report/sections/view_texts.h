// Texts of lists in the view of a report, and a sample of which nothing was measured.
#pragma once

#include <string>
#include <variant>

#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/report/technique_samples.h"

namespace scalestudy::test {

// Every trial failed, and no result has a value.
inline report::ReportInput nothing_measured() {
  report::ReportInput input = read_sample();
  for (TrialRow& trial : input.trials) {
    trial.state = TrialState::kFailed;
  }
  input.results = {};
  input.make_index();
  return input;
}

// "name: value; name: value" of a list.
inline std::string pairs_in(const report::View& view,
                            const char* list,
                            const char* first,
                            const char* second) {
  std::string text;
  for (const report::View& row : std::get<report::View::List>(view.values().at(list))) {
    text += text_in(row, first) + ": " + text_in(row, second) + "; ";
  }
  return text;
}

}  // namespace scalestudy::test
