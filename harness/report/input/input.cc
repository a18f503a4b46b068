// Reads a study's rows and looks them up.
#include "harness/report/input/input.h"

#include <algorithm>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/group_keys.h"
#include "harness/report/input/groups.h"
#include "harness/store/added.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/store/rows/imported.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/parameters/strategies.h"
#include "harness/study/parse.h"
#include "harness/study/secrets_of_texts.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The settings that some cell requests.
std::set<std::string> settings_of(const std::vector<CellRow>& cells) {
  std::set<std::string> settings;
  for (const CellRow& cell : cells) {
    for (const CellRow::Parameter& parameter : cell.parameters) {
      settings.insert(setting_of(parameter));
    }
  }
  settings.erase("");
  return settings;
}

// Adds the names of varied parameters in which a cell differs from its base.
void add_differing(const CellRow& cell, const CellRow& base, std::set<std::string>& names) {
  for (const CellRow::Parameter& parameter : cell.parameters) {
    const CellRow::Parameter* theirs = find_varied(base, parameter.name);
    if (parameter.varied && (theirs == nullptr || theirs->value != parameter.value)) {
      names.insert(parameter.name);
    }
  }
}

// Where common_base() stands among the cells, which differ in what configuration() names alone.
std::optional<std::size_t> find_common_base(const ReportInput& input) {
  const std::vector<CellRow>& cells = input.cells;
  constexpr std::size_t least_names = 3;
  const auto is_counted = [](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && !cell.excluded_reason;
  };
  const auto base = std::ranges::find_if(
      cells, [&](const CellRow& cell) { return is_counted(cell) && cell.baseline == cell.hash; });
  if (base == cells.end()) {
    return std::nullopt;
  }
  std::set<std::string> differing;
  for (const CellRow& cell : cells) {
    if (!is_counted(cell)) {
      continue;
    }
    if (cell.baseline != base->hash || cell.devices != base->devices || cell.nodes != base->nodes ||
        cell.batch_global != base->batch_global) {
      return std::nullopt;
    }
    add_differing(cell, *base, differing);
  }
  if (std::ranges::any_of(differing, [&](const std::string& name) {
        return splits_groups(input.declared, name) || name == names::kMessageBytes;
      })) {
    return std::nullopt;
  }
  return differing.size() < least_names ? std::nullopt
                                        : std::optional<std::size_t>(base - cells.begin());
}

// What the study's labels make of a parameter in a sentence: "env.NCCL_ALGO=Ring" is
// "algorithm=Ring". The longest first.
struct Renaming {
  std::string parameter;
  std::string from;
  std::string to;

  // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with 0 for a pointer's
  auto operator<=>(const Renaming&) const = default;
};
using Renamed = std::vector<Renaming>;

Renamed renamed_parameters(const ReportInput& input) {
  Renamed renamed;
  for (const CellRow& cell : input.cells) {
    for (const CellRow::Parameter& parameter : cell.parameters) {
      const std::string name = name_parameter(parameter);
      const std::string label = name_parameter(parameter, input.declared.labels);
      if (parameter.varied && name != label) {
        renamed.push_back({parameter.name, name, label});
      }
    }
  }
  std::ranges::sort(renamed, [](const auto& a, const auto& b) {
    return std::pair(b.from.size(), a) < std::pair(a.from.size(), b);
  });
  renamed.erase(std::unique(renamed.begin(), renamed.end()), renamed.end());
  return renamed;
}

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::string with_labels(const std::string& text, const Renamed& renamed) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(renamed, [&](const Renaming& names) {
      const std::size_t end = at + names.from.size();
      return text.compare(at, names.from.size(), names.from) == 0 &&
             (at == 0 || !is_of_word(text[at - 1])) &&
             (end >= text.size() || !is_of_word(text[end]) ||
              (text[end] == '.' && (end + 1 == text.size() || !is_of_word(text[end + 1]))));
    });
    result += found == renamed.end() ? text.substr(at, 1) : found->to;
    at += found == renamed.end() ? 1 : found->from.size();
  }
  return result;
}

// Analysis names parameters as the study file does, and its rows are what SQL users see.
void put_labels(ReportInput& input) {
  const Renamed renamed = renamed_parameters(input);
  if (renamed.empty()) {
    return;
  }
  const auto relabel = [&](auto& rows, auto text) {
    for (auto& row : rows) {
      row.*text = with_labels(row.*text, renamed);
    }
  };
  Results& results = input.results;
  relabel(results.comparisons, &ComparisonRow::finding);
  relabel(results.comparisons, &ComparisonRow::remark);
  // Sentences along an axis name it once and have its values alone.
  const auto along = [&](const std::string& axis) {
    Renamed names = renamed;
    std::erase_if(names, [&](const Renaming& each) { return each.parameter == axis; });
    if (input.declared.labels.contains(axis)) {
      names.insert(names.begin(), {axis, name_axis(axis), name_axis(axis, input.declared.labels)});
    }
    return names;
  };
  for (ThresholdRow& row : results.thresholds) {
    row.finding = with_labels(row.finding, along(row.along));
  }
  for (LawRow& row : results.laws) {
    row.finding = with_labels(row.finding,
                              row.law == Law::kAlphaBeta ? along(names::kMessageBytes) : renamed);
  }
  relabel(results.targets, &TargetResultRow::finding);
  relabel(results.threats, &ThreatRow::finding);
  relabel(results.projections, &ProjectionRow::finding);
  relabel(results.search_settings, &SearchSettingRow::finding);
}

}  // namespace

const CellRow* ReportInput::common_base() const {
  return index.common_base ? &cells[*index.common_base] : nullptr;
}

void ReportInput::make_index() {
  index = {};
  std::map<std::int64_t, std::int64_t> nodes;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    index.cells.emplace(cells[i].id, i);
    const auto known = nodes.emplace(cells[i].devices, cells[i].nodes).first;
    index.nodes_tell_apart = index.nodes_tell_apart || known->second != cells[i].nodes;
  }
  index.common_base = find_common_base(*this);
  index.with_message_bytes = find_with_message_bytes(cells);
  index.node_spans = find_node_spans(*this);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    index.trials.emplace(trials[i].id, i);
  }
  for (std::size_t i = 0; i < results.estimates.size(); ++i) {
    const EstimateRow& row = results.estimates[i];
    index.estimates.emplace(std::tuple(row.cell_id, row.statistic, row.variant, row.metric), i);
    index.metrics.emplace(row.metric, i);
  }
  for (std::size_t i = 0; i < results.comparisons.size(); ++i) {
    const ComparisonRow& row = results.comparisons[i];
    index.comparisons.emplace(std::pair(row.cell_id, row.quantity), i);
  }
  for (const TrialRow* trial : last_attempts()) {
    if (trial->state == TrialState::kOk && trial->part != SearchPart::kRace) {  // it only chooses
      index.used_trials[trial->cell_id].push_back(trial->id);
    }
  }
  for (auto& [cell, ids] : index.used_trials) {
    std::sort(ids.begin(), ids.end());
  }
  for (std::size_t i = 0; i < results.counterparts.size(); ++i) {
    index.counterparts.emplace(results.counterparts[i].figure_id, i);
  }
  for (const FlagRow& flag : results.flags) {
    if (flag.level == FlagLevel::kTrial) {
      index.flagged_trials.insert(flag.trial_id);
    }
  }
  index.groups = find_groups(*this);
  index.own_names = find_own_names(*this);
}

const CellRow& ReportInput::cell(std::int64_t id) const {
  const auto found = index.cells.find(id);
  if (found == index.cells.end()) {
    throw Error(ErrorKind::kStore,
                "results.db: a result names cell " + std::to_string(id) +
                    ", which the study lacks; the file is damaged, or another program changed it");
  }
  return cells[found->second];
}

const TrialRow* ReportInput::trial(std::int64_t id) const {
  const auto found = index.trials.find(id);
  return found == index.trials.end() ? nullptr : &trials[found->second];
}

const EstimateRow* ReportInput::estimate(std::int64_t cell_id,
                                         const std::string& metric,
                                         Statistic statistic,
                                         Variant variant) const {
  const auto found = index.estimates.find(std::tuple(cell_id, statistic, variant, metric));
  return found == index.estimates.end() ? nullptr : &results.estimates[found->second];
}

const ComparisonRow* ReportInput::comparison(std::int64_t cell_id,
                                             const std::string& quantity) const {
  const auto found = index.comparisons.find(std::pair(cell_id, quantity));
  return found == index.comparisons.end() ? nullptr : &results.comparisons[found->second];
}

const CounterpartRow* ReportInput::counterpart(std::int64_t figure_id) const {
  const auto found = index.counterparts.find(figure_id);
  return found == index.counterparts.end() ? nullptr : &results.counterparts[found->second];
}

bool ReportInput::has_claim(const CellRow& cell) const {
  const std::vector<std::int64_t> ids = used_trials(cell.id);
  return !cell.oversubscribed &&
         std::ranges::none_of(ids, [&](std::int64_t id) { return software_trials.contains(id); });
}

std::vector<const TrialRow*> ReportInput::last_attempts() const {
  std::vector<const TrialRow*> found;
  for (const TrialRow& trial : trials) {
    if (!trial.superseded && trial.skip_reason != SkipReason::kNotInStudy) {
      found.push_back(&trial);
    }
  }
  return found;
}

bool ReportInput::ran_in_excluded_cell(const TrialRow& trial) const {
  return cell(trial.cell_id).excluded_reason && trial.state != TrialState::kExcluded;
}

SettingState ReportInput::setting_state(const CellRow& cell, const std::string& setting) const {
  std::vector<std::optional<double>> states;
  for (const std::int64_t id : used_trials(cell.id)) {
    const auto trial = settings.find(id);
    const bool is_told = trial != settings.end() && trial->second.contains(setting);
    states.push_back(is_told ? std::optional(trial->second.at(setting)) : std::nullopt);
  }
  return scalestudy::setting_state(states);
}

TrialIds ReportInput::used_trials(std::int64_t cell_id) const {
  const auto found = index.used_trials.find(cell_id);
  return found == index.used_trials.end() ? TrialIds() : found->second;
}

bool is_emulated(const ReportInput& input) {
  return is_emulated(input.declared) ||
         std::ranges::any_of(input.results.estimates, [](const EstimateRow& row) {
           return row.provenance == Provenance::kEmulated;
         });
}

bool is_imported(const ReportInput& input) {
  return imported_of(input.trials).has_value();
}

std::string measured_word(const ReportInput& input) {
  return is_emulated(input) ? "emulated" : is_imported(input) ? "imported" : "measured";
}

std::string measured_heading(const ReportInput& input) {
  return with_capital(measured_word(input));
}

bool can_run_without_communication(const ReportInput& input) {
  const auto is_pipeline = [](const CellRow::Parameter& parameter) {
    const StrategyInfo* strategy =
        parameter.name == names::kStrategy ? strategy_of(parameter.value) : nullptr;
    return strategy != nullptr && strategy->has_stages;
  };
  return std::ranges::any_of(input.cells, [&](const CellRow& cell) {
    return !cell.excluded_reason && cell.devices > 1 &&
           std::ranges::none_of(cell.parameters, is_pipeline);
  });
}

// Sessions that a trial is of. A run that found nothing left to do, or whose trials `prune`
// removed, has neither the machine nor the day of a result. Absent while no trial has begun.
std::optional<std::set<std::int64_t>> measuring_sessions(const std::vector<TrialRow>& trials) {
  std::optional<std::set<std::int64_t>> sessions;
  for (const TrialRow& trial : trials) {
    if (trial.session_id) {
      if (!sessions) {
        sessions.emplace();
      }
      if (trial.skip_reason != SkipReason::kPruned) {
        sessions->insert(*trial.session_id);
      }
    }
  }
  return sessions;
}

ReportInput read_input(const Store& store, std::int64_t study_id) {
  ReportInput input;
  input.study = store.study(study_id);
  input.declared =
      with_additions(parse_stored_study(input.study.source_text, input.study.source_path), store);
  input.cells = store.cells(study_id);
  const std::vector<SessionRow> sessions = store.sessions(study_id);
  StudyTexts texts{{input.study.name, {input.study.source_text}}};
  for (const SessionRow& row : sessions) {
    texts.begin()->second.insert(row.study_text.value_or(""));
  }
  input.secrets = secrets_of_texts(texts);
  input.study.title = masked(std::move(input.study.title), input.secrets);
  for (auto& [name, label] : input.declared.labels) {
    label = masked(std::move(label), input.secrets);
  }
  for (CellRow& cell : input.cells) {
    cell.label = masked(std::move(cell.label), input.secrets);
    for (CellRow::Parameter& parameter : cell.parameters) {
      parameter.value = masked(std::move(parameter.value), input.secrets);
    }
  }
  input.trials = store.trials(study_id);
  input.declared = as_imported(std::move(input.declared), imported_of(input.trials));
  input.annotations = store.annotations(study_id);
  for (AnnotationRow& annotation : input.annotations) {
    annotation.text = masked(std::move(annotation.text), input.secrets);
  }
  const auto measuring = measuring_sessions(input.trials);
  for (const SessionRow& row : sessions) {
    if (!measuring || measuring->contains(row.id)) {
      input.sessions.push_back({.row = row, .environment = store.environment(row.id)});
    }
  }
  input.step_times = store.step_times(study_id);
  for (const auto& [trial, rows] : store.telemetry(study_id, "software_type")) {
    if (rows.front().value != 0.0) {
      input.software_trials.insert(trial);
    }
  }
  for (const std::string& setting : settings_of(input.cells)) {
    for (const auto& [trial, rows] : store.telemetry(study_id, "setting." + setting)) {
      input.settings[trial][setting] = rows.front().value;
    }
  }
  input.results = store.results(study_id);
  input.publications = store.publications(study_id);
  put_labels(input);
  input.make_index();
  return input;
}

}  // namespace scalestudy::report
