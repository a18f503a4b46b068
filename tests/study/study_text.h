// Studies from text, for the tests of this folder.
#pragma once

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/study/sections/study_keys.h"
#include "tests/support/program.h"

namespace scalestudy::test {

inline constexpr const char* kHead = "version: 1\nstudy: example\nworkload: train\n";
inline const std::string kSized =
    "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\", \"{size}\"]\n";
inline const std::string kCommandHead =
    "version: 1\nstudy: s\nworkload: command\n"
    "extract: [{metric: step_time_s, unit: s, regex: '(.*)'}]\n";
inline const std::string kSmall =
    "version: 1\nstudy: example\nworkload: train\n"
    "axes: {devices: [1, 2], batch_global: [32, 64]}\n";

// The problems of a text as a user sees them, "" when there are none.
inline std::string problems_of(const std::string& text,
                               const std::vector<std::string>& overrides = {}) {
  return format_problems(parse_study(text, "s.yaml", overrides).problems, text, "s.yaml");
}

// The study of a text that must be sound.
inline Study study_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  ParsedStudy parsed = parse_study(text, "s.yaml", overrides);
  if (!parsed.problems.empty()) {
    throw std::runtime_error(format_problems(parsed.problems, text, "s.yaml"));
  }
  return std::move(parsed.study);
}

inline const scalestudy::Cell& cell_of(const Matrix& matrix, const std::string& label) {
  const auto found = std::ranges::find(matrix.cells, label, &scalestudy::Cell::label);
  if (found == matrix.cells.end()) {
    throw std::runtime_error("no cell " + label);
  }
  return *found;
}

// The cells of a study of kHead and the rest.
inline Matrix matrix_of(const std::string& rest) {
  return expand(study_of(kHead + rest));
}

// The label of the baseline of the cell with that label, "" when it has none.
inline std::string baseline_of(const Matrix& matrix, const std::string& label) {
  const auto hash = cell_of(matrix, label).baseline;
  for (const scalestudy::Cell& cell : matrix.cells) {
    if (hash && cell.hash == *hash) {
      return cell.label;
    }
  }
  return "";
}

// All .yaml files of a folder below the source tree, sorted.
inline std::vector<std::filesystem::path> yaml_files(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(SCALESTUDY_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".yaml") {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// "limits.timeout", "extract[].metric", "trials": every key of a study file.
inline std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const StudySection& section : study_sections()) {
    for (const std::string& key : section.keys) {
      keys.push_back(section.name.empty() ? key : section.name + "." + key);
    }
  }
  return keys;
}

}  // namespace scalestudy::test
