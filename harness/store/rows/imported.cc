#include "harness/store/rows/imported.h"

#include <fmt/format.h>

#include "harness/base/error.h"

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

void require_not_imported(const std::string& study, const std::vector<TrialRow>& trials) {
  if (const std::optional<Imported> imported = imported_of(trials)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {} has {} trials that were imported from logs, and trials that "
                    "scalestudy runs never mix with them. To run the study, give it another "
                    "name: --set study={}-run",
                    study,
                    imported->trials,
                    study));
  }
}

Study as_imported(Study study, const std::optional<Imported>& imported) {
  if (imported) {
    if (!imported->has_blocks) {
      study.order.design = OrderDesign::kUnknown;
    }
    study.trials.until.reset();
    study.trials.is_for_verdicts = false;
  }
  return study;
}

}  // namespace scalestudy
