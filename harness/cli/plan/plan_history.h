// How long earlier trials of a study's cells took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The earlier trials of one cell that ended ok.
struct Past {
  // Wall time of each trial, corrected for the study's steps and its wait for an idle machine.
  std::vector<double> wall_s;
  std::vector<double> beside_s;       // of each: setup and cleanup
  std::vector<double> step_time_s;    // mean step times of the trials that had the study's steps
  std::vector<std::int64_t> session;  // the session of each trial in step_time_s

  double mean_wall_s() const;
  double mean_time_s() const;  // of wall_s and beside_s together: what a run takes for it
  std::vector<double> session_means_s() const;  // of step_time_s

  // step_time_s with the spread of one session, as trials to come have it: each lies as far from
  // the mean of all as from that of its session, relatively. As they are where too few trials share
  // a session to tell.
  std::vector<double> as_in_one_session_s() const;
  double df_in_one_session() const;  // degrees of freedom of that spread
};

// Past trials by the hash of their cell; a cell keeps its hash across studies and edits.
using PlanHistory = std::map<std::string, Past>;

// The earlier trials of this study's cells, from all studies in the store of `results` that run the
// same program; empty if there is no store.
PlanHistory read_history(const Study& study, const std::string& results);

// Earlier step times of the cell's baseline, scaled to as many samples a step as the cell has: with
// twice the batch a step may take twice as long. Empty if there are none, and for a baseline.
std::vector<double> base_times(const Cell& cell, const Matrix& matrix, const PlanHistory& history);

}  // namespace scalestudy
