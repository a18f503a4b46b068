// Which planned trials a session does not run: the study has enough of them, or they would run out
// of memory.
#include <algorithm>

#include <fmt/format.h>

#include "harness/run/session/session.h"
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

}  // namespace scalestudy
