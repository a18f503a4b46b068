#include "harness/store/rows/imported.h"

namespace scalestudy {

std::optional<Imported> imported_of(const std::vector<TrialRow>& trials) {
  Imported imported;
  for (const TrialRow& trial : trials) {
    if (trial.provenance == TrialProvenance::kImported && !trial.superseded) {
      ++imported.trials;
      imported.has_blocks = imported.has_blocks && trial.has_block;
      imported.has_order = imported.has_order && trial.has_order;
    }
  }
  return imported.trials == 0 ? std::nullopt : std::optional(imported);
}

Study as_imported(Study study, const std::optional<Imported>& imported) {
  if (imported) {
    study.order.design = imported->has_blocks ? OrderDesign::kBlocks : OrderDesign::kUnknown;
    study.trials.until.reset();
    study.trials.is_for_verdicts = false;
  }
  return study;
}

}  // namespace scalestudy
