// Which planned trials a session does not run: the study has enough of them, they would run out of
// memory, or the harness died in them. And how an error ends it.
#include <algorithm>
#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "harness/run/process/trial_files.h"
#include "harness/run/session/session.h"
#include "harness/run/session/unstored.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Whether `larger` differs from `cell` in a larger batch alone.
bool has_larger_batch(const Cell& larger, const Cell& cell) {
  const auto others = [](Parameters parameters) {
    parameters.erase(names::kBatchGlobal);
    parameters.erase(names::kBatchPerDevice);
    return parameters;
  };
  return larger.batch_global > cell.batch_global && larger.role == cell.role &&
         others(larger.parameters) == others(cell.parameters);
}

}  // namespace

// Blocks from the first that have no trial left to run.
std::int64_t Session::complete_blocks() const {
  std::int64_t complete = planned_[next_].block;
  for (std::size_t index = next_; index < planned_.size(); ++index) {
    complete = std::min(complete, planned_[index].block);
  }
  return complete;
}

// Cells that share their blocks stop together.
void Session::skip_beyond_precision() {
  if (!prepared_.study.trials.until) {
    return;
  }
  const TrialRow& next = planned_[next_];
  const Blocks blocks = *prepared_.cells.at(next.cell_id).blocks_with(next.block);
  if (blocks.first != stopping_) {
    stopping_ = blocks.first;  // a cell may have further blocks, which stop for themselves
    std::erase_if(given_up_,
                  [](const auto& entry) { return entry.second.reason == SkipReason::kPrecise; });
  }
  if (given_up_.contains(next.cell_id)) {
    return;
  }
  std::set<std::int64_t> together;
  std::vector<BlockMeans> measured;
  for (const auto& [id, cell] : prepared_.cells) {
    const Blocks* own = cell.blocks_with(blocks.first);
    if (own == nullptr || own->first != blocks.first) {
      continue;
    }
    together.insert(id);
    if (cell.role == CellRole::kMeasured) {
      measured.emplace_back(means_[id].lower_bound(blocks.first), means_[id].end());
    }
  }
  const std::int64_t complete = complete_blocks();
  const auto last = last_needed_block(measured, complete, world_.precision);
  if (last && complete > *last) {
    for (const std::int64_t id : together) {
      given_up_.emplace(id, GivenUp{SkipReason::kPrecise, "precision reached"});
    }
  }
}

// A cell that a look decides is measured no further; the next run looks again and decides alike.
void Session::give_up_decided() {
  if (!prepared_.study.trials.is_for_verdicts || planned_[next_].block <= last_look_) {
    return;
  }
  const std::int64_t complete = complete_blocks();
  if (complete <= last_look_) {
    return;
  }
  last_look_ = complete;
  const auto open = world_.open_cells(store_, prepared_.study_id, complete);
  for (const auto& [id, cell] : prepared_.cells) {
    if (open && !open->contains(id)) {
      given_up_.emplace(id, GivenUp{SkipReason::kDecided, "comparison decided"});
    }
  }
}

void Session::skip_larger(const TrialRow& ended) {
  if (ended.state != TrialState::kOom ||
      prepared_.study.limits.after_oom != AfterOom::kSkipLarger) {
    return;
  }
  const Cell& cell = prepared_.cells.at(ended.cell_id);
  for (const auto& [id, other] : prepared_.cells) {
    if (has_larger_batch(other, cell)) {
      given_up_.emplace(
          id,
          GivenUp{
              SkipReason::kTooLarge,
              fmt::format("{} has run out of memory, and this batch is larger (limits.after_oom)",
                          cell.label)});
    }
  }
}

// Whether its logs are in the folder of a trial in a store of one plan: then it died before another
// plan was merged into this one.
bool Session::has_usual_folder(const TrialRow& trial) const {
  const TrialFiles usual(
      store_.results_folder(), prepared_.study.name, prepared_.cells.at(trial.cell_id).hash, trial);
  const std::string path = (usual.folder / "stdout").string();
  return std::filesystem::exists(usual.stdout_path()) &&
         store_.query("SELECT 1 FROM log WHERE path = ?1", {path}).rows.empty();
}

void Session::give_up(TrialRow trial) {
  trial.session_id = session_id_;
  const Cell& cell = prepared_.cells.at(trial.cell_id);
  const bool names_plan = names_plan_ && !has_usual_folder(trial);
  const TrialRecord record = abandoned_record(
      prepared_.study, cell, store_.results_folder(), std::move(trial), names_plan);
  store_.finish_trial(record, /*retry=*/false);
  report_end(record, /*time=*/std::nullopt, /*is_final=*/true);
}

// Either write keeps the trial from counting a death. Their own errors are not told: the one that
// ended the session is, and it is often why these fail, too.
void Session::end_by_error() {
  const auto attempt = [](const auto& write) {
    try {
      write();
    } catch (const std::exception&) {  // the store cannot be written
    }
  };
  attempt(
      [this] { store_.end_session(session_id_, world_.clock.utc_now(), SessionEnding::kError); });
  if (running_ && !has_unstored(store_)) {  // what waits there is stored by the next run
    attempt([this, trial = *running_] { store_.reset_trial(trial); });
  }
}

}  // namespace scalestudy
