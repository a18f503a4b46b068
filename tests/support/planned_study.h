// A study in a store with its cells and planned trials, as `run` puts it there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/analyse.h"
#include "harness/base/paths.h"
#include "harness/report/report.h"
#include "harness/store/store.h"
#include "harness/store/trial_plan.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy::test {

inline Study declare(const std::string& text) {
  ParsedStudy parsed = parse_study(text, "planned.yaml", {});
  if (!parsed.problems.empty()) {
    throw std::logic_error(format_problems(parsed.problems, text, "planned.yaml"));
  }
  return std::move(parsed.study);
}

// Stores the study, its cells and its plan as `run` does; returns the study's id.
inline std::int64_t plan(Store& store, const Study& study, const Matrix& matrix) {
  return plan_study(study, matrix, {}, "", store).study_id;
}

inline void analyse_stored(Store& store, std::int64_t study_id, const Study& study) {
  store.replace_results(study_id, analyse(store, study_id, study));
}

// Writes the report of a study into `folder`.
inline void report_stored(const Store& store,
                          std::int64_t study_id,
                          const std::filesystem::path& folder) {
  write_report(render_report(store,
                             {.study_id = study_id,
                              .template_file = shared_file("templates/scaling.md"),
                              .partials = shared_file("templates/partials"),
                              .figures = shared_file("templates/figures")}),
               folder);
}

}  // namespace scalestudy::test
