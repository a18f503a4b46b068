// What earlier trials of a study's cells took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Earlier ok trials of a cell.
struct Past {
  std::vector<double> wall_s;  // as they would take with the study's steps and wait for an idle
                               // machine
  std::vector<double> step_time_s;    // means of the trials that had the study's steps
  std::vector<std::int64_t> session;  // of each of these

  double mean_wall_s() const;
  std::vector<double> session_means_s() const;  // of step_time_s
};

// By cell hash; a cell keeps its hash across studies and edits.
using History = std::map<std::string, Past>;

// Of all studies in the store; empty without one.
History read_history(const Study& study, const std::string& results);

// Earlier times of the cell's baseline, of a step with as many samples as the cell's: of 2 devices
// with twice the batch a step may take twice as long. Empty without any, and of a baseline itself.
std::vector<double> base_times(const Cell& cell, const Matrix& matrix, const History& history);

}  // namespace scalestudy
