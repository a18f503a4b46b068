#include "harness/analysis/studies/sides.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/compare/verdict_word.h"
#include "harness/analysis/observe/observe.h"
#include "harness/analysis/search/search_result.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/text/words.h"
#include "stats/equivalence.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"
#include "stats/verdict.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// As the last of `sessions` ran it; as it is stored now where that was not recorded.
Study study_of(const StudyRow& row, const std::vector<SessionRow>& sessions) {
  return parse_stored_study(sessions.back().study_text.value_or(row.source_text), row.source_path);
}

// Keeps the trials of `sessions`. `planned` and `unsupported` count these, and what the study's
// last session left to run.
// - trials: all of the study
void keep_sessions(const std::vector<SessionRow>& sessions,
                   const std::vector<TrialRow>& trials,
                   StudyObservation& observation) {
  std::set<std::int64_t> ids;
  for (const SessionRow& session : sessions) {
    ids.insert(session.id);
  }
  std::int64_t last = 0;
  for (const TrialRow& trial : trials) {
    last = std::max(last, trial.session_id.value_or(0));
  }
  std::unordered_map<std::int64_t, std::pair<std::int64_t, std::int64_t>> counts;  // by cell
  for (const TrialRow& trial : trials) {
    const bool is_of_side = trial.session_id
                                ? ids.contains(*trial.session_id)
                                : trial.state == TrialState::kPlanned && ids.contains(last);
    if (is_in_plan(trial) && is_of_side) {
      auto& [planned, unsupported] = counts[trial.cell_id];
      ++planned;
      unsupported += trial.state == TrialState::kUnsupported ? 1 : 0;
    }
  }
  for (CellObservation& cell : observation.cells) {
    std::tie(cell.planned, cell.unsupported) = counts[cell.row.id];
    std::erase_if(cell.trials, [&](const TrialObservation& trial) {
      return !ids.contains(trial.row.session_id.value_or(0));
    });
  }
}

// Cells of trials of `sessions` that a later session's study may have dropped; none where the
// study's last session is among them, whose cells are those that the study has now.
std::set<std::int64_t> former_cells(const Store& store,
                                    const std::vector<SessionRow>& sessions,
                                    const std::vector<TrialRow>& trials) {
  std::set<std::int64_t> cells;
  if (store.sessions(sessions.back().study_id).back().id == sessions.back().id) {
    return cells;
  }
  for (const TrialRow& trial : trials) {
    if (std::ranges::find(sessions, trial.session_id, [](const SessionRow& session) {
          return std::optional(session.id);
        }) != sessions.end()) {
      cells.insert(trial.cell_id);
    }
  }
  return cells;
}

bool is_comparable(const CellObservation& cell) {
  return cell.row.role == CellRole::kMeasured && !session_values(cell, kStepTime).empty();
}

std::map<std::string, std::string> varied(const CellRow& cell) {
  std::map<std::string, std::string> values;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied) {
      values.emplace(parameter.name, parameter.value);
    }
  }
  return values;
}

// Of each cell that has one, on either side.
using Partners = std::unordered_map<const CellObservation*, const CellObservation*>;

// Cells of equal hash; of the others those that vary alike, where there is one of them on each
// side. None between an emulated study and one that measures.
Partners find_partners(const Side& a, const Side& b) {
  Partners partners;
  if (is_emulated(a.observation, a.study) != is_emulated(b.observation, b.study)) {
    return partners;
  }
  const auto join = [&](const CellObservation* of_a, const CellObservation* of_b) {
    partners.emplace(of_a, of_b);
    partners.emplace(of_b, of_a);
  };
  std::unordered_map<std::string, const CellObservation*> by_hash;  // of a
  for (const CellObservation& cell : a.observation.cells) {
    if (is_comparable(cell)) {
      by_hash.emplace(cell.row.hash, &cell);
    }
  }
  for (const CellObservation& cell : b.observation.cells) {
    const auto same = by_hash.find(cell.row.hash);
    if (same != by_hash.end() && is_comparable(cell)) {
      join(same->second, &cell);
    }
  }
  using Cells = std::vector<const CellObservation*>;
  std::map<std::map<std::string, std::string>, std::pair<Cells, Cells>> alike;
  for (const auto& [side, cells] :
       {std::pair(&a, &std::pair<Cells, Cells>::first), {&b, &std::pair<Cells, Cells>::second}}) {
    for (const CellObservation& cell : side->observation.cells) {
      if (is_comparable(cell) && !partners.contains(&cell)) {
        (alike[varied(cell.row)].*cells).push_back(&cell);
      }
    }
  }
  for (const auto& [values, cells] : alike) {
    if (cells.first.size() == 1 && cells.second.size() == 1) {
      join(cells.first[0], cells.second[0]);
    }
  }
  return partners;
}

std::vector<double> means_of_sessions(const CellObservation& cell) {
  std::vector<double> means;
  for (const auto& [session, values] : session_values(cell, kStepTime)) {
    means.push_back(*stats::mean(values));
  }
  return means;
}

double message_size(const CellRow& cell) {
  const auto found =
      std::ranges::find(cell.parameters, names::kMessageBytes, &CellRow::Parameter::name);
  return found == cell.parameters.end() ? 0.0 : found->number().value_or(0.0);
}

// The work of a step of `b` over that of `a`, by their batches, else by their messages; absent if
// the study does not say it, or one side alone does.
std::optional<double> work_of_sides(const CellRow& a, const CellRow& b, const Study& study) {
  if (a.batch_global.has_value() != b.batch_global.has_value() || !has_known_work(a, b, study)) {
    return std::nullopt;
  }
  const double size_a = message_size(a);
  const double size_b = message_size(b);
  if (a.batch_global || (size_a <= 0.0 && size_b <= 0.0)) {
    return work_ratio(a, b, Scaling::kNone);
  }
  return size_a > 0.0 && size_b > 0.0 ? std::optional(size_b / size_a) : std::nullopt;
}

struct Compared {
  SideCell row;
  stats::RatioInterval interval;
  std::optional<double> p;
  std::optional<double> equivalence_p;
};

// - study: that of b.
Compared compare_cell(const CellObservation& a,
                      const CellObservation& b,
                      const Study& study,
                      double margin,
                      double confidence) {
  std::vector<double> means_a = means_of_sessions(a);
  const std::vector<double> means_b = means_of_sessions(b);
  Compared compared;
  SideCell& row = compared.row;
  row.cell = b.row;
  row.is_same = a.row.hash == b.row.hash;
  row.trials_a = a.trials.size();
  row.trials_b = b.trials.size();
  row.sessions_a = means_a.size();
  row.sessions_b = means_b.size();
  row.time_a_s = stats::mean(means_a);
  row.time_b_s = stats::mean(means_b);
  row.is_attributable = std::min(means_a.size(), means_b.size()) >= kSessionsAsUnit;
  row.work = work_of_sides(a.row, b.row, study);
  for (double& mean_s : means_a) {
    mean_s *= row.work.value_or(1.0);  // what the work of a step of b takes
  }
  compared.interval = stats::log_ratio_delta(means_a, means_b, confidence);
  const std::optional<StepTimeDefinition> definition = definition_of(b);
  row.is_same_time = definition_of(a) == definition && definition != StepTimeDefinition::kMixed;
  if (row.is_same_time && row.work) {
    row.ratio = compared.interval.ratio;
  }
  if (a.has_software_type || b.has_software_type) {
    row.verdict = Verdict::kSoftwareType;
  } else if (a.row.oversubscribed || b.row.oversubscribed || !row.is_same_time) {
    row.verdict = Verdict::kNoClaim;
  } else if (!row.work) {
    row.verdict = Verdict::kUnknownWork;
  } else if (row.is_attributable) {
    row.status = row_status(compared.interval.status);
    compared.p = compared.interval.p;
    compared.equivalence_p = stats::tost_ratio(compared.interval, margin, 1.0 - confidence).p;
  }
  return compared;
}

std::vector<std::optional<double>> adjust(const std::vector<Compared>& cells,
                                          std::optional<double> Compared::*p) {
  std::vector<std::optional<double>> p_values;
  p_values.reserve(cells.size());
  for (const Compared& cell : cells) {
    p_values.push_back(cell.*p);
  }
  std::vector<std::optional<double>> adjusted = stats::holm(p_values).adjusted;
  adjusted.resize(cells.size());  // none where a p is invalid
  return adjusted;
}

std::vector<const CellObservation*> without_partner(const Side& side, const Partners& partners) {
  std::vector<const CellObservation*> cells;
  for (const CellObservation& cell : side.observation.cells) {
    if (is_comparable(cell) && !partners.contains(&cell)) {
      cells.push_back(&cell);
    }
  }
  return cells;
}

std::vector<CellRow> rows_of_cells(const std::vector<const CellObservation*>& cells) {
  std::vector<CellRow> rows;
  for (const CellObservation* cell : cells) {
    rows.push_back(cell->row);
  }
  return rows;
}

bool has_measured(const Side& side, const CellRow& wanted) {
  return std::ranges::any_of(side.observation.cells, [&](const CellObservation& cell) {
    return (cell.row.hash == wanted.hash || varied(cell.row) == varied(wanted)) &&
           is_comparable(cell);
  });
}

// Cells of b that it was to measure, and has no trial of that counts. A search for the largest
// batch ends at one that does not fit: that one is lost only if a has measured it.
std::vector<const CellObservation*> lost_cells(const Side& a, const Side& b) {
  std::vector<const CellObservation*> cells;
  for (const CellObservation& cell : b.observation.cells) {
    if (cell.row.role == CellRole::kMeasured && !is_comparable(cell) && cell.planned > 0 &&
        !is_unsupported(cell) && (!is_probe(cell, b.study) || has_measured(a, cell.row))) {
      cells.push_back(&cell);
    }
  }
  return cells;
}

}  // namespace

std::map<std::string, std::string> session_facts(const Store& store, const SessionRow& session) {
  std::map<std::string, std::string> facts{{"host", session.host},
                                           {"tool_revision", session.tool_revision},
                                           {"tool_version", session.tool_version}};
  for (const EnvironmentRow& fact : store.environment(session.id)) {
    facts[fact.name] = fact.value;
  }
  return facts;
}

Side observe_side(const Store& store, const StudyRow& row, std::vector<SessionRow> sessions) {
  Side side;
  side.study = study_of(row, sessions);
  const std::vector<TrialRow> trials = store.trials(row.id);
  side.observation =
      what_counts(observe(store, row.id, side.study, former_cells(store, sessions, trials)),
                  trials,
                  side.study);
  keep_sessions(sessions, trials, side.observation);
  for (const SessionRow& session : sessions) {
    side.facts.push_back(session_facts(store, session));
  }
  side.sessions = std::move(sessions);
  return side;
}

Side without_idle_sessions(Side side) {
  std::set<std::int64_t> ids;
  for (const CellObservation& cell : side.observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      ids.insert(trial.row.session_id.value_or(0));
    }
  }
  std::vector<SessionRow> sessions;
  std::vector<std::map<std::string, std::string>> facts;
  for (std::size_t i = 0; i < side.sessions.size(); ++i) {
    if (ids.contains(side.sessions[i].id)) {
      sessions.push_back(side.sessions[i]);
      facts.push_back(side.facts[i]);
    }
  }
  if (!sessions.empty()) {
    side.sessions = std::move(sessions);
    side.facts = std::move(facts);
  }
  return side;
}

std::vector<FactDifference> fact_differences(const Side& a, const Side& b) {
  std::map<std::string, FactDifference> by_name;
  const auto take = [&](const Side& side, std::set<std::string> FactDifference::*values) {
    for (const auto& facts : side.facts) {
      for (const auto& [name, value] : facts) {
        by_name[name].name = name;
        (by_name[name].*values).insert(value);
      }
    }
  };
  take(a, &FactDifference::a);
  take(b, &FactDifference::b);
  std::vector<FactDifference> differences;
  for (auto& [name, difference] : by_name) {
    if (difference.a != difference.b) {
      differences.push_back(std::move(difference));
    }
  }
  return differences;
}

std::vector<std::string> study_differences(const Study& a, const Study& b) {
  std::vector<std::string> lines = study_difference(a, b);
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("analysis.") || line.starts_with("trials.");
  });
  return lines;
}

SideComparison compare_sides(const Side& a, const Side& b, double margin, double confidence) {
  const Partners partners = find_partners(a, b);
  std::vector<Compared> cells;
  for (const CellObservation& cell : b.observation.cells) {
    if (const auto partner = partners.find(&cell); partner != partners.end()) {
      cells.push_back(compare_cell(*partner->second, cell, b.study, margin, confidence));
    }
  }
  const auto adjusted = adjust(cells, &Compared::p);
  const auto equivalence = adjust(cells, &Compared::equivalence_p);
  SideComparison comparison;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto& [row, interval, p, equivalence_p] = cells[i];
    if (p) {
      row.lo = interval.lo;
      row.hi = interval.hi;
      row.p_adjusted = adjusted[i];
      row.verdict = stored_verdict(stats::verdict({.status = interval.status,
                                                   .ratio = interval.ratio,
                                                   .lo = interval.lo,
                                                   .hi = interval.hi,
                                                   .p_adjusted = adjusted[i],
                                                   .p_tost_adjusted = equivalence[i],
                                                   .margin = margin,
                                                   .alpha = 1.0 - confidence})
                                       .word);
    }
    comparison.cells.push_back(std::move(row));
  }
  comparison.only_a = rows_of_cells(without_partner(a, partners));
  comparison.only_b = rows_of_cells(without_partner(b, partners));
  comparison.lost = rows_of_cells(lost_cells(a, b));
  return comparison;
}

}  // namespace scalestudy
