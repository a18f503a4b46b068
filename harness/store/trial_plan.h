// Matrix and schedule as rows of the store.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// One row a cell, those of excluded cells last, with their reason.
//   oversubscribed  hash -> whether its ranks share cores or devices.
std::vector<CellRow> cell_rows(const Matrix& matrix,
                               const std::map<std::string, bool>& oversubscribed);

// One row a trial in the order of the schedule; then those of excluded cells, in state excluded.
//   ids  cell hash -> id in the store.
std::vector<TrialRow> plan_rows(const Study& study,
                                const Matrix& matrix,
                                const std::map<std::string, std::int64_t>& ids);

// The same of whole blocks of a search, in the order that schedule() gives its cells in them.
//   next  by id in the store; cells that the matrix does not have are left out.
std::vector<TrialRow> search_rows(const Study& study,
                                  const Matrix& matrix,
                                  const std::map<std::string, std::int64_t>& ids,
                                  const SearchBlocks& next);

struct PlannedStudy {
  std::int64_t study_id = 0;
  std::string plan;
  std::map<std::string, std::int64_t> cell_ids;  // by hash, those of excluded cells too
};

// Puts the study, its cells and the plan to run into the store, which keeps what it has of them. A
// search that has begun keeps its plan: it is extended by what its trials say.
//   oversubscribed  as cell_rows(); host  as plan_to_run().
PlannedStudy plan_study(const Study& study,
                        const Matrix& matrix,
                        const std::map<std::string, bool>& oversubscribed,
                        const std::string& host,
                        Store& store);

// The same for a matrix with more cells or blocks in the plan that is run: trials that the store
// has stay as they are.
//   planned  study and plan.
PlannedStudy extend_plan(const Study& study,
                         const Matrix& matrix,
                         const std::map<std::string, bool>& oversubscribed,
                         PlannedStudy planned,
                         Store& store);

// Which plan `run` goes on with: that of the session of `host` that began last, else of any host; a
// new one where nothing is planned yet. A store that others were merged into has several.
std::string plan_to_run(const std::vector<TrialRow>& trials,
                        const std::vector<SessionRow>& sessions,
                        const std::string& host);

}  // namespace scalestudy
