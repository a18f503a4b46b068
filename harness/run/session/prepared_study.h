// A study with all that its session needs to run it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/run/attempt/confirmation.h"
#include "harness/run/command/command.h"
#include "harness/store/rows/rows.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A study made ready to run: its rows are in the store, its commands are known.
struct PreparedStudy {
  explicit PreparedStudy(const Study& declared) : study(declared) {}

  // Whether the study still has the trial's cell and block.
  [[nodiscard]] bool asks_for(const TrialRow& trial) const {
    const auto cell = cells.find(trial.cell_id);
    return cell != cells.end() && cell->second.blocks_with(trial.block) != nullptr;
  }

  // Whether the trials of a plan are run: of a search only those of one race.
  [[nodiscard]] bool runs(const std::string& of_plan) const {
    return !study.search || of_plan == plan;
  }

  const Study& study;
  std::int64_t study_id = 0;
  std::string plan;                                    // the plan that new trials join
  std::map<std::int64_t, Cell> cells;                  // by id in the store, without excluded cells
  std::map<std::int64_t, LaunchCommand> commands;      // by the cell's id in the store
  std::set<std::int64_t> excluded;                     // ids of excluded cells
  std::set<std::int64_t> earlier_sessions;             // ids of sessions that ran another command
  std::vector<std::string> dropped_variables;          // dropped_variables()
  std::map<std::int64_t, Confirmation> confirmations;  // of every cell, by its id in the store
  // Makes the confirmations of cells that have none yet and trials among these, the planned ones;
  // called within the session.
  std::function<void(const std::vector<TrialRow>&)> confirm;
  // ProgramWatch::edited().
  std::function<std::vector<std::string>(const LaunchCommand&)> edited_programs;
};

}  // namespace scalestudy
