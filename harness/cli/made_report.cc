#include "harness/cli/made_report.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/analysis/analyse.h"
#include "harness/base/paths.h"

namespace scalestudy {
namespace {

std::ptrdiff_t ended_trials(const Store& store, std::int64_t study_id) {
  const std::vector<TrialRow> trials = store.trials(study_id);
  return std::count_if(trials.begin(), trials.end(), [](const TrialRow& trial) {
    return trial.state != TrialState::kPlanned && trial.state != TrialState::kRunning;
  });
}

}  // namespace

ReportRequest request_with(std::int64_t study_id,
                           const Study& study,
                           const std::filesystem::path& own) {
  ReportRequest request{.study_id = study_id,
                        .template_file = shared_file("templates/" + study.report_template + ".md"),
                        .own = own,
                        .partials = shared_file("templates/partials"),
                        .figures = shared_file("templates/figures")};
  for (const std::string& name : {std::string("report"), study.report_template}) {
    if (!own.empty() && std::filesystem::exists(own / (name + ".md"))) {
      request.template_file = own / (name + ".md");
    }
  }
  return request;
}

ReportFiles analyse_and_render(Store& store,
                               const Study& study,
                               const ReportRequest& request,
                               Terminal& terminal) {
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    const std::ptrdiff_t ended = ended_trials(store, request.study_id);
    store.note_look(request.study_id);
    store.replace_results(request.study_id, analyse(store, request.study_id, study));
    ReportFiles files = render_report(store, request);
    if (ended_trials(store, request.study_id) == ended) {
      return files;
    }
    if (tries == most_tries) {
      terminal.note(
          "trials ended while the report was made: its lists may name some that its results do not "
          "count. Make it again when the run has ended");
      return files;
    }
  }
}

}  // namespace scalestudy
