// The rule on varied environment variables: they were applied, or matter at least.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/rules/lint_outcome.h"
#include "harness/store/cell_parameters.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The value of a varied parameter; nullptr without one.
const std::string* varied_value(const CellRow& cell, const std::string& name) {
  const auto found = std::find_if(
      cell.parameters.begin(), cell.parameters.end(), [&](const CellRow::Parameter& parameter) {
        return parameter.name == name && parameter.varied;
      });
  return found == cell.parameters.end() ? nullptr : &found->value;
}

// Whether the two cells differ in that parameter and nothing else.
bool differ_in_one(const CellRow& a, const CellRow& b, const std::string& name) {
  return std::all_of(a.parameters.begin(), a.parameters.end(), [&](const auto& parameter) {
    const auto other = std::find_if(
        b.parameters.begin(), b.parameters.end(), [&](const CellRow::Parameter& candidate) {
          return candidate.name == parameter.name;
        });
    return other != b.parameters.end() &&
           (other->value != parameter.value) == (parameter.name == name);
  });
}

// Whether two cells that differ in that alone have step times whose intervals do not meet.
bool has_effect(const ReportInput& input,
                const std::vector<const CellRow*>& cells,
                const std::string& name) {
  for (const CellRow* a : cells) {
    for (const CellRow* b : cells) {
      const EstimateRow& left = *input.estimate(a->id, names::kStepTime);
      const EstimateRow& right = *input.estimate(b->id, names::kStepTime);
      if (left.hi && right.lo && *left.hi < *right.lo && differ_in_one(*a, *b, name)) {
        return true;
      }
    }
  }
  return false;
}

// The worst outcome of the setting among the cells that request it.
SettingState worst_state(const ReportInput& input,
                         const std::vector<const CellRow*>& cells,
                         const std::string& name) {
  std::set<SettingState> states;
  for (const CellRow* cell : cells) {
    const auto parameter = std::ranges::find(cell->parameters, name, &CellRow::Parameter::name);
    const std::string setting = parameter == cell->parameters.end() ? "" : setting_of(*parameter);
    if (!setting.empty()) {
      states.insert(input.setting_state(*cell, setting));
    }
  }
  using enum SettingState;
  for (const SettingState state : {kNotSeen, kOverridden, kUnconfirmed}) {
    if (states.contains(state)) {
      return state;
    }
  }
  return kApplied;
}

// Where it is recorded why a setting was not applied; Open MPI's answer is in the start event.
std::string advice_on_refusal(const ReportInput& input,
                              const std::vector<const CellRow*>& cells,
                              const std::string& name) {
  for (const CellRow* cell : cells) {
    for (const std::int64_t trial : input.used_trials(cell->id)) {
      const auto settings = input.settings.find(trial);
      if (!name.starts_with("OMPI_MCA_") || settings == input.settings.end()) {
        continue;
      }
      const auto found = settings->second.find(name);
      if (found != settings->second.end() && found->second != 1.0) {
        return fmt::format(
            "correct its name or value, or set what else it needs; `scalestudy logs {} --stream "
            "protocol` says why Open MPI did not apply it",
            trial);
      }
    }
  }
  return "correct its name or value; the trials' logs say what the library had instead";
}

// How to show that a setting was applied, where nothing tells.
std::string advice_on_proof(const ReportInput& input, const std::string& setting) {
  const bool is_silent = input.declared.workload == Workload::kCommand &&
                         input.declared.validity.confirm != Confirm::kAlways;
  return is_silent && setting.starts_with("NCCL_")
             ? "write validity: {confirm: always}, so that NCCL's log of one more run is read"
             : "let the program print the value it uses, and extract that";
}

}  // namespace

std::vector<const CellRow*> measured_cells(const ReportInput& input) {
  std::vector<const CellRow*> cells;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* step = input.estimate(cell.id, names::kStepTime);
    if (cell.role == CellRole::kMeasured && step != nullptr && step->value) {
      cells.push_back(&cell);
    }
  }
  return cells;
}

Outcome knobs(const ReportInput& input) {
  std::set<std::string> names;
  const std::vector<const CellRow*> cells = measured_cells(input);
  for (const CellRow* cell : cells) {
    for (const CellRow::Parameter& parameter : cell->parameters) {
      if (is_environment_parameter(parameter.name) &&
          varied_value(*cell, parameter.name) != nullptr) {
        names.insert(parameter.name);
      }
    }
  }
  Outcome outcome;
  outcome.applies = !names.empty();
  for (const std::string& name : names) {
    const SettingState state = worst_state(input, cells, name);
    const bool is_contradicted =
        state == SettingState::kOverridden || state == SettingState::kNotSeen;
    if (is_contradicted) {
      outcome.broken.push_back(fmt::format("{} ({})", name, to_word(state)));
      outcome.advice.insert(advice_on_refusal(input, cells, environment_name(name)));
    } else if (state == SettingState::kUnconfirmed && !has_effect(input, cells, name)) {
      outcome.broken.push_back(fmt::format("{} (unconfirmed, and intervals overlap)", name));
      outcome.advice.insert(advice_on_proof(input, environment_name(name)));
    }
  }
  return outcome;
}

}  // namespace scalestudy::report
