// A study made ready to run.
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

  [[nodiscard]] bool asks_for(const TrialRow& trial) const {
    const auto cell = cells.find(trial.cell_id);
    return cell != cells.end() && cell->second.blocks_with(trial.block) != nullptr;
  }

  const Study& study;
  std::int64_t study_id = 0;
  std::string plan;                                // whose trials are run
  std::map<std::int64_t, Cell> cells;              // by id in the store, excluded ones left out
  std::map<std::int64_t, LaunchCommand> commands;  // by the same
  std::set<std::int64_t> excluded;                 // ids of excluded cells
  std::set<std::int64_t> earlier_sessions;         // whose attempts do not count as this study's
  std::vector<std::string> dropped_variables;
  std::map<std::int64_t, Confirmation> confirmations;  // by id in the store, of every cell
  std::function<void()> confirm;  // makes them, of cells that have none yet; a part of the session
};

}  // namespace scalestudy
