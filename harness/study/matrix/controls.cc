#include "harness/study/matrix/controls.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/study/parameters/strategies.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

bool is_at(const Cell& cell, const char* name, std::string_view value) {
  const auto found = effective_value(cell.effective, name);
  return found && format_value(*found) == value;
}

bool has_stages(const Cell& cell) {
  const auto word = effective_value(cell.effective, names::kStrategy);
  const StrategyInfo* strategy = strategy_of(word ? format_value(*word) : "");
  return strategy != nullptr && strategy->has_stages;
}

bool is_added(const Cell& cell) {
  return cell.blocks.front().first > 0;
}

// device  of device_match alone, else 0.
Cell make_control(const Study& study, const Cell& cell, CellRole role, std::int64_t device = 0) {
  Cell control = cell;
  control.role = role;
  control.control_of = cell.hash;
  if (role == CellRole::kNoop) {
    control.parameters[names::kComm] = "noop";
  } else if (role == CellRole::kBarrier) {
    control.parameters["payload"] = "element";
  } else if (role == CellRole::kStartWait) {
    control.parameters[names::kOverlap] = "start_wait";
  } else if (role == CellRole::kDeviceMatch) {
    control.parameters[kOnDevice] = device;
    control.varied[kOnDevice] = device;
    control.label += fmt::format(" {}={}", kOnDevice, device);
  }
  control.effective = effective_parameters(study.workload, control.parameters);
  control.label += " control=" + to_word(role);
  control.hash = cell_hash(study.workload, role, control.parameters);
  return control;
}

// Whether `control` of the cell would be another cell. A baseline is its own control `aa`.
bool has_control(const Study& study,
                 const Cell& cell,
                 CellRole control,
                 const std::set<std::string>& baselines) {
  if (control == CellRole::kAa) {
    return baselines.contains(cell.hash);
  }
  // A stage of a pipeline computes with what another one sends: it cannot do without.
  if (study.workload != Workload::kTrain || cell.devices == 1 ||
      is_at(cell, names::kComm, "noop") || has_stages(cell)) {
    return false;
  }
  switch (control) {
    case CellRole::kBarrier:
      return !is_at(cell, "payload", "element");
    case CellRole::kStartWait:
      return is_at(cell, names::kOverlap, "poll");
    case CellRole::kMeasured:
    case CellRole::kNoop:
    case CellRole::kAa:
    case CellRole::kDeviceMatch:
      break;
  }
  return true;
}

// The larger the batch, the less of a step is anything but computation. Ranks that sleep are on no
// device.
const Cell* cell_for_all_devices(const std::vector<Cell>& cells) {
  const Cell* found = nullptr;
  for (const Cell& cell : cells) {
    if (cell.devices == 1 && !is_added(cell) && !is_at(cell, kCompute, "declared") &&
        (found == nullptr || cell.batch_global > found->batch_global)) {
      found = &cell;
    }
  }
  return found;
}

void add_device_match(const Study& study,
                      const std::vector<Cell>& cells,
                      std::vector<Cell>& controls) {
  std::int64_t devices = 1;  // of a node
  for (const Cell& cell : cells) {
    devices = std::max(devices, cell.devices / cell.nodes);
  }
  if (const Cell* cell = cell_for_all_devices(cells)) {
    for (std::int64_t device = 1; device < devices; ++device) {
      controls.push_back(make_control(study, *cell, CellRole::kDeviceMatch, device));
    }
  }
}

}  // namespace

std::vector<Cell> make_controls(const Study& study, const std::vector<Cell>& cells) {
  std::set<std::string> baselines;
  for (const Cell& cell : cells) {
    baselines.insert(cell.baseline.value_or(""));
  }
  std::set<CellRole> wanted(study.controls.begin(), study.controls.end());
  const bool has_device_match = wanted.erase(CellRole::kDeviceMatch) > 0;
  std::vector<Cell> controls;
  std::set<std::string> made;
  for (const Cell& cell : cells) {
    for (const CellRole role : wanted) {
      if (is_added(cell) || !has_control(study, cell, role, baselines)) {
        continue;
      }
      // Cells that differ in comm alone share one without communication.
      if (Cell control = make_control(study, cell, role); made.insert(control.hash).second) {
        controls.push_back(std::move(control));
      }
    }
  }
  if (has_device_match) {
    add_device_match(study, cells, controls);
  }
  return controls;
}

}  // namespace scalestudy
