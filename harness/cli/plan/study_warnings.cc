#include "harness/cli/plan/study_warnings.h"

#include "harness/run/command/checkouts.h"
#include "harness/run/command/machine_fit.h"
#include "harness/study/remarks.h"

namespace scalestudy {

std::vector<std::string> study_warnings(const Study& study,
                                        const Matrix& matrix,
                                        Machine& machine,
                                        const Nodes& nodes) {
  std::vector<std::string> warnings{oversubscription(study, matrix, machine, nodes),
                                    unmoved_program(study)};
  for (std::string& unsupported : unsupported_cells(study, matrix, machine, nodes)) {
    warnings.push_back(std::move(unsupported));
  }
  for (const Unmatched& unmatched : unmatched_values(study, matrix)) {
    warnings.push_back(unmatched.text);
  }
  for (std::string& remark : unseen_devices(study)) {
    warnings.push_back(std::move(remark));
  }
  std::erase(warnings, "");
  return warnings;
}

}  // namespace scalestudy
