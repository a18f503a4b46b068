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
#include "harness/study/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy::test {

inline Study declare(const std::string& text) {
  ParsedStudy parsed = parse_study(text, "planned.yaml", {});
  if (!parsed.problems.empty()) {
    throw std::logic_error(format_problems(parsed.problems, text, "planned.yaml"));
  }
  return std::move(parsed.study);
}

inline CellRow cell_row(const Cell& cell) {
  CellRow row;
  row.hash = cell.hash;
  row.role = cell.role;
  row.label = cell.label;
  row.devices = cell.devices;
  row.nodes = cell.nodes;
  row.batch_global = cell.batch_global;
  row.batch_per_device = cell.batch_per_device;
  row.control_of = cell.control_of;
  row.baseline = cell.baseline;
  for (const auto& [name, value] : cell.varied) {
    const bool is_text = std::holds_alternative<std::string>(value);
    row.parameters.push_back({.name = name,
                              .value = format_value(value),
                              .kind = is_text ? ValueKind::kText : ValueKind::kInteger,
                              .varied = true});
  }
  return row;
}

// Returns the study's id.
inline std::int64_t plan(Store& store, const Study& study, const Matrix& matrix) {
  const std::int64_t id = store.put_study({.name = study.name,
                                           .title = study.title,
                                           .hash = study_hash(study),
                                           .source_path = study.source_path,
                                           .source_text = study.source_text,
                                           .scaling = matrix.scaling});
  std::vector<CellRow> cells;
  for (const Cell& cell : matrix.cells) {
    cells.push_back(cell_row(cell));
  }
  store.put_cells(id, cells, "");
  const std::vector<CellRow> stored = store.cells(id);
  std::vector<TrialRow> planned;
  for (const ScheduledTrial& trial : schedule(study, matrix)) {
    TrialRow row;
    row.study_id = id;
    row.cell_id = stored.at(trial.cell).id;
    row.block = trial.block;
    row.position = trial.position;
    planned.push_back(std::move(row));
  }
  store.put_plan(id, planned, "");
  return id;
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
