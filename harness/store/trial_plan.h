// Matrix and schedule as rows of the store.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/store/store.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// A row for each cell; those of excluded cells come last, with their reason.
// - oversubscribed: whether a cell's ranks share cores or devices, by the cell's hash.
std::vector<CellRow> cell_rows(const Matrix& matrix,
                               const std::map<std::string, bool>& oversubscribed);

// A row for each trial in the order of the schedule, then for those of excluded cells (kExcluded).
// - ids: a cell's id in the store, by its hash.
std::vector<TrialRow> plan_rows(const Study& study,
                                const Matrix& matrix,
                                const std::map<std::string, std::int64_t>& ids);

// A row for each trial of whole blocks of a search, in the order that schedule() gives the cells.
// - ids: a cell's id in the store, by its hash.
// - next: the blocks and their cells, by id in the store; cells that the matrix lacks are left out.
std::vector<TrialRow> search_rows(const Study& study,
                                  const Matrix& matrix,
                                  const std::map<std::string, std::int64_t>& ids,
                                  const SearchBlocks& next);

// By the cell's id and the block.
using TrialsByPlace = std::map<std::pair<std::int64_t, std::int64_t>, const TrialRow*>;

// The last attempt at each trial. If several plans have the trial: one that is planned again, else
// one that has run, else one that is planned; of two alike that of `plan`.
// - trials: of the study; the result points into them.
// - plan: of plan_to_run().
TrialsByPlace trials_by_place(const Study& study,
                              const std::vector<TrialRow>& trials,
                              const std::string& plan);

struct PlannedStudy {
  std::int64_t study_id = 0;
  std::string plan;
  std::map<std::string, std::int64_t> cell_ids;  // by the cell's hash, excluded cells included
};

// Puts the study and its cells into the store, without a plan.
// - oversubscribed: as for cell_rows().
PlannedStudy put_study(const Study& study,
                       const Matrix& matrix,
                       const std::map<std::string, bool>& oversubscribed,
                       Store& store);

// Throws Error{kUsage} if the study of that name has imported trials: what is run would mix with
// them.
void require_not_imported(const std::string& study, const Store& store);

// Puts the study, its cells and the plan to run into the store, which keeps what it has of them. A
// search that has begun keeps its plan, which is extended by what its trials say. Throws
// Error{kUsage} if the study's trials are imported.
// - oversubscribed: as for cell_rows().
// - plan: of plan_to_run().
PlannedStudy plan_study(const Study& study,
                        const Matrix& matrix,
                        const std::map<std::string, bool>& oversubscribed,
                        const std::string& plan,
                        Store& store);

// Puts the cells and trials of a matrix that has grown into the plan that is run. Trials that the
// store has stay as they are.
// - planned: of plan_study(); its cell_ids may be empty.
// - returns: `planned` with the ids of all cells.
PlannedStudy extend_plan(const Study& study,
                         const Matrix& matrix,
                         const std::map<std::string, bool>& oversubscribed,
                         PlannedStudy planned,
                         Store& store);

// A search's plan with the most trials that count, of equal ones the first; "" if there is none. A
// merged store has several plans, each a search of its own, and results rest on this one.
std::string searched_plan(const std::vector<TrialRow>& trials);

// The plan that `run` gives new trials to: a search's searched_plan(), else that of the last
// session of `host`, else of the last session of any host; a new one if nothing is planned yet. A
// store that others were merged into has several, and what is left in any of them is run.
std::string plan_to_run(const std::vector<TrialRow>& trials,
                        const std::vector<SessionRow>& sessions,
                        const std::string& host);

}  // namespace scalestudy
