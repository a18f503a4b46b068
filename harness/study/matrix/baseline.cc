// Baselines by lookup of the counterpart's varied parameters.
#include "harness/study/matrix/baseline.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "workloads/names/names.h"

namespace scalestudy {
namespace {

std::string key_of(const Parameters& varied) {
  std::string key;
  for (const auto& [name, value] : varied) {
    const std::string text = format_value(value);
    key += fmt::format("{}={}:{};", name, text.size(), text);
  }
  return key;
}

std::string describe_cell(const Parameters& varied) {
  std::string text;
  for (const auto& [name, value] : varied) {
    text += (text.empty() ? "" : " ") + name + "=" + format_value(value);
  }
  return text;
}

bool matters_between_ranks_only(const Study& study, const std::string& name) {
  return name == names::kNodes || is_communication_parameter(study.workload, name);
}

// The batch that follows when devices change and the other batch, which is the one kept, does not.
void follow_devices(const Study& study, const Cell& cell, Scaling scaling, Parameters& wanted) {
  const std::string moving =
      scaling == Scaling::kWeak ? names::kBatchGlobal : names::kBatchPerDevice;
  const auto* devices = wanted.contains(names::kDevices)
                            ? std::get_if<std::int64_t>(&wanted.at(names::kDevices))
                            : nullptr;
  if (devices == nullptr || !wanted.contains(moving) || study.analysis.baseline.contains(moving)) {
    return;
  }
  std::int64_t batch_global = 0;
  if (scaling == Scaling::kWeak && cell.batch_per_device &&
      !__builtin_mul_overflow(*cell.batch_per_device, *devices, &batch_global)) {
    wanted[moving] = batch_global;
  } else if (scaling == Scaling::kStrong && cell.batch_global) {
    wanted[moving] = *cell.batch_global / *devices;
  }
}

// The counterpart's varied parameters; a baseline value of a fixed parameter selects nothing here.
Parameters exact_counterpart(const Study& study, const Cell& cell, Scaling scaling) {
  Parameters wanted = cell.varied;
  for (const auto& [name, value] : study.analysis.baseline) {
    if (wanted.contains(name)) {
      wanted[name] = value;
    }
  }
  follow_devices(study, cell, scaling, wanted);
  return wanted;
}

// With the settings of communication, and nodes, that the baseline does not ask for at their
// defaults.
Parameters without_communication(const Study& study, const Cell& cell, Parameters wanted) {
  const auto leaves = [&](const std::string& name) {
    return matters_between_ranks_only(study, name) && !study.analysis.baseline.contains(name);
  };
  Parameters left = cell.parameters;
  std::erase_if(left, [&](const auto& entry) { return leaves(entry.first); });
  const EffectiveParameters alone = effective_parameters(study.workload, left);
  for (auto& [name, value] : wanted) {
    if (leaves(name)) {
      value = effective_value(alone, name).value_or(value);
    }
  }
  return wanted;
}

// What the cell's trials get for the name; absent if nothing sets it.
std::optional<Value> value_in(const Cell& cell, const std::string& name) {
  if (name == names::kDevices || name == names::kNodes) {
    return name == names::kDevices ? cell.devices : cell.nodes;
  }
  if (name == names::kBatchGlobal && cell.batch_global) {
    return *cell.batch_global;
  }
  if (name == names::kBatchPerDevice && cell.batch_per_device) {
    return *cell.batch_per_device;
  }
  return effective_value(cell.effective, name);
}

// Which parameter of the baseline the cell does not vary and has at another value, or lacks; empty
// if there is none.
std::string unvaried_conflict(const Study& study, const Cell& cell) {
  for (const auto& [name, value] : study.analysis.baseline) {
    if (cell.varied.contains(name)) {
      continue;
    }
    const auto own = value_in(cell, name);
    if (!own || format_value(*own) != format_value(value)) {
      const char* where =
          study.parameters.contains(name) ? "parameters fix it at " : "its value is ";
      return fmt::format("the baseline asks for {}={}, and {}",
                         name,
                         format_value(value),
                         own ? where + format_value(*own) : "this cell has none");
    }
  }
  return "";
}

}  // namespace

void find_baselines(const Study& study, Matrix& matrix) {
  if (study.analysis.baseline.empty()) {
    return;
  }
  std::map<std::string, std::string> hash_of;
  for (const Cell& cell : matrix.cells) {
    hash_of[key_of(cell.varied)] = cell.hash;
  }
  std::map<std::string, std::string> excluded_by;
  for (const ExcludedCell& excluded : matrix.excluded) {
    excluded_by[key_of(excluded.cell.varied)] = excluded.reason;
  }
  for (Cell& cell : matrix.cells) {
    cell.baseline_problem = unvaried_conflict(study, cell);
    if (!cell.baseline_problem.empty()) {
      continue;
    }
    const Parameters exact = exact_counterpart(study, cell, matrix.scaling);
    auto found = hash_of.find(key_of(exact));
    if (found == hash_of.end()) {
      found = hash_of.find(key_of(without_communication(study, cell, exact)));
    }
    if (found != hash_of.end()) {
      cell.baseline = found->second;
      continue;
    }
    const auto excluded = excluded_by.find(key_of(exact));
    cell.baseline_problem =
        fmt::format("its baseline would be the cell {}, which {}",
                    describe_cell(exact),
                    excluded == excluded_by.end() ? "the study does not have"
                                                  : "is excluded: " + excluded->second);
  }
}

}  // namespace scalestudy
