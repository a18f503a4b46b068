#include "harness/store/trial_plan.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

CellRow cell_row(const Cell& cell) {
  CellRow row;
  row.hash = cell.hash;
  row.role = cell.role;
  row.label = cell.label;
  row.devices = cell.devices;
  row.nodes = cell.nodes;
  row.batch_global = cell.batch_global;
  row.batch_per_device = cell.batch_per_device;
  row.control_of = cell.control_of;
  row.baseline = cell.baseline;
  if (!cell.baseline_problem.empty()) {
    row.baseline_problem = cell.baseline_problem;
  }
  // With the defaults of today, which another version may not have.
  EffectiveParameters parameters = cell.effective;
  for (const auto& [name, value] : cell.varied) {
    parameters.try_emplace(name, EffectiveValue{value, true});
  }
  for (const auto& [name, effective] : parameters) {
    row.parameters.push_back({.name = name,
                              .value = format_value(effective.value),
                              .kind = static_cast<ValueKind>(effective.value.index()),
                              .varied = cell.varied.contains(name),
                              .is_default = effective.is_default});
  }
  return row;
}

constexpr const char* kDropped = "no longer in the study";

void put_cells(const Matrix& matrix,
               const std::map<std::string, bool>& oversubscribed,
               PlannedStudy& planned,
               Store& store) {
  store.put_cells(planned.study_id, cell_rows(matrix, oversubscribed), kDropped);
  for (const CellRow& row : store.cells(planned.study_id)) {
    planned.cell_ids[row.hash] = row.id;
  }
}

// What is planned of a search, of the cells that the study still has; at first a block of all.
std::vector<TrialRow> rows_of_search(const Study& study,
                                     const Matrix& matrix,
                                     const PlannedStudy& planned,
                                     std::vector<TrialRow> known) {
  SearchBlocks first{.first = 0, .count = 1, .cells = {}};
  for (const Cell& cell : matrix.cells) {
    first.cells.emplace(planned.cell_ids.at(cell.hash), SearchPart::kRace);
  }
  std::erase_if(known, [&](const TrialRow& row) {
    return row.plan != planned.plan || row.superseded || row.part == SearchPart::kNone ||
           !first.cells.contains(row.cell_id);
  });
  for (TrialRow& row : known) {
    const bool is_left = row.state == TrialState::kRunning || row.state == TrialState::kSkipped;
    row.state = is_left ? TrialState::kPlanned : row.state;
    row.skip_reason.reset();
  }
  return known.empty() ? search_rows(study, matrix, planned.cell_ids, first) : known;
}

// Whether parts of the study were merged.
bool has_other_plans(const PlannedStudy& planned, const Store& store) {
  const QueryResult found =
      store.query("SELECT EXISTS (SELECT 1 FROM trial WHERE study_id = ?1 AND plan <> ?2)",
                  {planned.study_id, planned.plan});
  return std::get<std::int64_t>(found.rows.at(0).at(0)) != 0;
}

std::vector<TrialRow> rows_of_plan(const Study& study,
                                   const Matrix& matrix,
                                   const PlannedStudy& planned,
                                   const Store& store) {
  const std::vector<TrialRow> known = study.search || has_other_plans(planned, store)
                                          ? store.trials(planned.study_id)
                                          : std::vector<TrialRow>();
  std::vector<TrialRow> rows = study.search ? rows_of_search(study, matrix, planned, known)
                                            : plan_rows(study, matrix, planned.cell_ids);
  const TrialsByPlace places = trials_by_place(study, known, planned.plan);
  for (TrialRow& row : rows) {
    const auto place = places.find({row.cell_id, row.block});
    row.plan = place == places.end() ? planned.plan : place->second->plan;
  }
  return rows;
}

bool has_run(const TrialRow& trial) {
  return trial.skip_reason == SkipReason::kPruned || has_ended(trial.state);
}

}  // namespace

TrialsByPlace trials_by_place(const Study& study,
                              const std::vector<TrialRow>& trials,
                              const std::string& plan) {
  const auto rank = [&plan](const TrialRow& trial) {
    return std::tuple(is_pending(trial.state) && trial.attempt > 1,
                      has_run(trial),
                      is_pending(trial.state),
                      trial.plan == plan);
  };
  TrialsByPlace places;
  for (const TrialRow& trial : trials) {
    if (trial.superseded || (study.search && trial.plan != plan)) {
      continue;
    }
    const TrialRow*& known = places[{trial.cell_id, trial.block}];
    known = known == nullptr || rank(trial) > rank(*known) ? &trial : known;
  }
  return places;
}

std::vector<CellRow> cell_rows(const Matrix& matrix,
                               const std::map<std::string, bool>& oversubscribed) {
  std::vector<CellRow> rows;
  for (const Cell& cell : matrix.cells) {
    rows.push_back(cell_row(cell));
    const auto found = oversubscribed.find(cell.hash);
    rows.back().oversubscribed = found != oversubscribed.end() && found->second;
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    rows.push_back(cell_row(excluded.cell));
    rows.back().excluded_reason = excluded.reason;
  }
  return rows;
}

std::vector<TrialRow> plan_rows(const Study& study,
                                const Matrix& matrix,
                                const std::map<std::string, std::int64_t>& ids) {
  std::vector<TrialRow> rows;
  for (const ScheduledTrial& scheduled : schedule(study, matrix)) {
    TrialRow row;
    row.cell_id = ids.at(matrix.cells.at(scheduled.cell).hash);
    row.block = scheduled.block;
    row.position = scheduled.position;
    rows.push_back(row);
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    for (int block = 0; block < study.trials.count; ++block) {
      TrialRow row;
      row.cell_id = ids.at(excluded.cell.hash);
      row.block = block;
      row.position = static_cast<std::int64_t>(rows.size());
      row.state = TrialState::kExcluded;
      row.reason = excluded.reason;
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<TrialRow> search_rows(const Study& study,
                                  const Matrix& matrix,
                                  const std::map<std::string, std::int64_t>& ids,
                                  const SearchBlocks& next) {
  Matrix until = matrix;
  for (Cell& cell : until.cells) {
    cell.blocks = {{.first = 0, .count = next.first + next.count}};
  }
  std::vector<TrialRow> rows;
  for (const ScheduledTrial& scheduled : schedule(study, until)) {
    const auto part = next.cells.find(ids.at(matrix.cells.at(scheduled.cell).hash));
    if (scheduled.block < next.first || part == next.cells.end()) {
      continue;
    }
    TrialRow row;
    row.cell_id = part->first;
    row.block = scheduled.block;
    row.position = scheduled.position;
    row.part = part->second;
    rows.push_back(row);
  }
  return rows;
}

PlannedStudy put_study(const Study& study,
                       const Matrix& matrix,
                       const std::map<std::string, bool>& oversubscribed,
                       Store& store) {
  PlannedStudy planned;
  planned.study_id = store.put_study(StudyRow{.name = study.name,
                                              .title = study.title,
                                              .hash = study_hash(study),
                                              .source_path = study.source_path,
                                              .source_text = study.source_text,
                                              .scaling = matrix.scaling});
  put_cells(matrix, oversubscribed, planned, store);
  return planned;
}

void require_not_imported(const std::string& study, const Store& store) {
  const QueryResult imported = store.query(
      "SELECT count(DISTINCT format('%d %s %d', cell_id, plan, block)) FROM trial JOIN study ON "
      "study.id = study_id WHERE study.name = ?1 AND provenance = 'imported'",
      {study});
  if (const auto count = std::get<std::int64_t>(imported.rows.at(0).at(0)); count > 0) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("study {} has {} imported from logs, and trials that scalestudy "
                    "runs never mix with them. To run the study, give it another name: --set "
                    "study={}-run",
                    study,
                    format_count(count, "trial"),
                    study));
  }
}

PlannedStudy plan_study(const Study& study,
                        const Matrix& matrix,
                        const std::map<std::string, bool>& oversubscribed,
                        const std::string& plan,
                        Store& store) {
  require_not_imported(study.name, store);
  PlannedStudy planned = put_study(study, matrix, oversubscribed, store);
  planned.plan = plan;
  store.put_plan(planned.study_id, rows_of_plan(study, matrix, planned, store), kDropped);
  return planned;
}

PlannedStudy extend_plan(const Study& study,
                         const Matrix& matrix,
                         const std::map<std::string, bool>& oversubscribed,
                         PlannedStudy planned,
                         Store& store) {
  put_cells(matrix, oversubscribed, planned, store);
  store.extend_plan(planned.study_id, rows_of_plan(study, matrix, planned, store));
  return planned;
}

std::string searched_plan(const std::vector<TrialRow>& trials) {
  std::map<std::string, std::int64_t> counts;
  for (const TrialRow& trial : trials) {
    if (trial.part != SearchPart::kNone) {
      counts[trial.plan] += trial.state == TrialState::kOk && !trial.superseded ? 1 : 0;
    }
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  return most == counts.end() ? "" : most->first;
}

std::string plan_to_run(const std::vector<TrialRow>& trials,
                        const std::vector<SessionRow>& sessions,
                        const std::string& host) {
  if (std::string searched = searched_plan(trials); !searched.empty()) {
    return searched;
  }
  using Rank = std::tuple<bool, std::string, std::string>;  // of this host, began, plan
  std::optional<Rank> last;
  for (const TrialRow& trial : trials) {
    const auto session = std::ranges::find(sessions, trial.session_id.value_or(0), &SessionRow::id);
    const Rank rank = session == sessions.end()
                          ? Rank{false, "", trial.plan}
                          : Rank{session->host == host, session->started_at, trial.plan};
    last = std::max(last.value_or(rank), rank);
  }
  return last ? std::get<2>(*last) : random_uid();
}

}  // namespace scalestudy
