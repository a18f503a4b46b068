// One attempt of one trial: files, launch, judgement.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/attempt/confirmation.h"
#include "harness/run/attempt/time_limit.h"
#include "harness/run/command/command.h"
#include "harness/run/world/world.h"
#include "harness/store/rows/rows.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// What is to be run.
struct AttemptTask {
  const Study& study;
  const Cell& cell;
  const LaunchCommand& command;
  TrialRow trial;                    // as planned; its block and attempt name the log folder
  std::filesystem::path results;     // the results folder
  TimeLimit time_limit;              // how long the attempt may take
  std::vector<std::string> dropped;  // names of the harness's variables that no trial inherits
  Confirmation confirmation = {};    // the cell's, which goes into the record
  bool is_traced = false;            // whether $SCALESTUDY_TRACE is set, to the log folder
  bool names_plan = false;           // as for TrialFiles
  std::vector<std::string> edited_programs = {};  // since the session began
};

// Runs the attempt and gives its record; absent when `stop` ended it. The attempt's log folder
// (TrialFiles) is emptied first. Throws Error{kStore} when the folder cannot be made.
std::optional<TrialRecord> run_attempt(const AttemptTask& task,
                                       const RunWorld& world,
                                       const std::atomic<bool>& stop);

// The record of a trial during which the harness died too often to begin it again: failed, with the
// logs that it left.
// - names_plan: as for TrialFiles
TrialRecord abandoned_record(const Study& study,
                             const Cell& cell,
                             const std::filesystem::path& results,
                             TrialRow trial,
                             bool names_plan);

}  // namespace scalestudy
