#include "harness/analysis/cells/claims.h"

#include <algorithm>

#include "harness/analysis/cells/settings.h"
#include "harness/study/declared/step_work.h"

namespace scalestudy {
namespace {

bool is_lost(const CellObservation& cell) {
  return cell.trials.empty() && cell.lost > 0 && cell.lost == cell.planned;
}

}  // namespace

bool has_claim(const CellObservation& cell) {
  return !cell.row.oversubscribed && !cell.has_software_type;
}

bool is_unsupported(const CellObservation& cell) {
  return cell.unsupported > 0 && cell.unsupported == cell.planned;
}

bool has_known_work(const CellRow& base, const CellRow& cell, const Study& study) {
  return base.devices == cell.devices || (base.batch_global && cell.batch_global) ||
         states_work(study);
}

std::optional<NoClaim> why_no_claim(const CellObservation& base, const CellObservation& cell) {
  const std::optional<Doubt> doubt = doubt_of_settings(base, cell);
  const bool is_of_cell =
      doubt && std::ranges::find(doubt->cells, cell.row.id) != doubt->cells.end();
  // If the cell's own setting is in doubt, so are its values, whatever became of the base.
  if (is_unsupported(cell) || (is_unsupported(base) && !is_of_cell)) {
    return NoClaim{Verdict::kUnsupported};
  }
  if (doubt) {
    return NoClaim{
        doubt->state == SettingState::kUnconfirmed ? Verdict::kUnconfirmed : Verdict::kNotApplied,
        doubt->text,
        doubt->cells};
  }
  if (cell.row.oversubscribed || base.row.oversubscribed) {
    return NoClaim{Verdict::kNoClaim};
  }
  if (!has_claim(cell) || !has_claim(base)) {
    return NoClaim{Verdict::kSoftwareType};
  }
  return std::nullopt;
}

std::optional<NoClaim> why_lost(const CellObservation& base, const CellObservation& cell) {
  if (is_lost(cell)) {
    return NoClaim{cell.lost == cell.out_of_memory ? Verdict::kOutOfMemory : Verdict::kFailed};
  }
  if (is_lost(base)) {
    return NoClaim{base.lost == base.out_of_memory ? Verdict::kBaseOutOfMemory
                                                   : Verdict::kBaseFailed};
  }
  return std::nullopt;
}

}  // namespace scalestudy
