#include "harness/cli/plan/study_warnings.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "harness/analysis/studies/references.h"
#include "harness/run/command/checkouts.h"
#include "harness/run/command/machine_fit.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix_checks.h"
#include "harness/study/remarks.h"

namespace scalestudy {

std::vector<std::string> declared_warnings(const Study& study, const Matrix& matrix) {
  std::vector<std::string> warnings{unmoved_program(study),
                                    missing_baselines(matrix),
                                    measured_projections(study, matrix),
                                    unstated_work(study, matrix),
                                    unconfirmed_variables(study)};
  for (const Unmatched& unmatched : unmatched_values(study, matrix)) {
    warnings.push_back(unmatched.text);
  }
  for (std::string& unread : unread_settings(study, matrix)) {
    warnings.push_back(std::move(unread));
  }
  for (auto* remarks : {&unseen_devices, &unread_by_shell, &emptied_logs, &empty_secrets}) {
    std::ranges::move(remarks(study), std::back_inserter(warnings));
  }
  std::erase(warnings, "");
  return warnings;
}

std::vector<std::string> study_warnings(const Study& study,
                                        const Matrix& matrix,
                                        Machine& machine,
                                        const Nodes& nodes) {
  std::vector<std::string> warnings{oversubscription(study, matrix, machine, nodes)};
  std::ranges::move(unsupported_cells(study, matrix, machine, nodes), std::back_inserter(warnings));
  std::ranges::move(declared_warnings(study, matrix), std::back_inserter(warnings));
  std::erase(warnings, "");
  return warnings;
}

std::vector<std::string> source_warnings(const Study& study, const std::string& results) {
  std::vector<std::string> warnings;
  const bool has_store = Store::exists(results);
  const std::optional<Store> store =
      has_store ? std::optional(Store::open_read_only(results)) : std::nullopt;
  const std::optional<StudyRow> row = store ? store->find_study(study.name) : std::nullopt;
  for (const Target& target : study.analysis.targets) {
    const std::string missing = !target.source ? ""
                                : store        ? missing_source(*store, row ? row->id : 0, target)
                                        : "there is no store yet, and so no " + target.source->name;
    if (!missing.empty()) {
      warnings.push_back(fmt::format("target \"{}\": {}", target.name, missing));
    }
  }
  if (const auto& links = study.analysis.communication; links && !links->study.empty()) {
    if (!store) {
      warnings.push_back("analysis.communication: there is no store yet, and so no study " +
                         links->study);
    } else if (!store->find_study(links->study)) {
      warnings.push_back(
          fmt::format("analysis.communication: this store has no study {}; run it first, or merge "
                      "the store that has it",
                      links->study));
    }
  }
  return warnings;
}

}  // namespace scalestudy
