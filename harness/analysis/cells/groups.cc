#include "harness/analysis/cells/groups.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "harness/analysis/cells/sessions.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// The value of an axis as text: of a parameter, or what a trial reports; empty when there is none.
std::string axis_text(const CellObservation& cell, const std::string& name) {
  if (name != names::kParameterCount) {
    return parameter_text(cell.row, name);
  }
  for (const TrialObservation& trial : cell.trials) {
    if (const auto found = trial.metrics.find(name); found != trial.metrics.end()) {
      return format_axis_value(found->second.mean);
    }
  }
  return "";
}

std::optional<double> axis_value(const CellObservation& cell, const std::string& name) {
  return name == names::kParameterCount ? parse_number(axis_text(cell, name))
                                        : axis_number(cell.row, name);
}

// Parameters whose value follows from that of `along` in every measured cell, and is not constant.
// A text must be followed by `along` as well: models that merely have different batches do not move
// with the batch.
std::set<std::string> moving_with(const StudyObservation& observation, const std::string& along) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> seen;   // name -> x -> values
  std::map<std::string, std::map<std::string, std::set<std::string>>> texts;  // name -> value -> x
  for (const CellObservation& cell : observation.cells) {
    const std::string x = axis_text(cell, along);
    if (cell.row.role != CellRole::kMeasured || x.empty()) {
      continue;
    }
    for (const CellRow::Parameter& parameter : cell.row.parameters) {
      if (parameter.varied) {
        seen[parameter.name][x].insert(parameter.value);
        if (parameter.kind == ValueKind::kText) {
          texts[parameter.name][parameter.value].insert(x);
        }
      }
    }
  }
  std::set<std::string> names = {along};
  for (const auto& entry : seen) {
    const auto& by_x = entry.second;
    const bool follows = std::ranges::all_of(
        by_x, [](const auto& x_and_values) { return x_and_values.second.size() == 1; });
    const bool varies = std::ranges::any_of(by_x, [&](const auto& x_and_values) {
      return x_and_values.second != by_x.begin()->second;
    });
    const bool is_followed = std::ranges::all_of(
        texts[entry.first], [](const auto& value_and_x) { return value_and_x.second.size() == 1; });
    if (follows && varies && is_followed) {
      names.insert(entry.first);
    }
  }
  return names;
}

// Along devices it is the batch which scaling keeps that tells curves apart, also where the study
// names the other one.
std::string name_on_curve(const std::string& name, const std::string& along, Scaling scaling) {
  if (along == names::kDevices && name.starts_with("batch_") && scaling != Scaling::kNone) {
    return scaling == Scaling::kWeak ? names::kBatchPerDevice : names::kBatchGlobal;
  }
  return name;
}

// - nodes: what the cell's nodes are called; empty: their number.
std::string label_without(const CellRow& cell,
                          const std::set<std::string>& left_out,
                          const std::string& along,
                          Scaling scaling,
                          const std::string& nodes = "") {
  std::string label;
  for (const CellRow::Parameter& parameter : cell.parameters) {
    if (parameter.varied && !left_out.contains(parameter.name)) {
      const std::string name = name_on_curve(parameter.name, along, scaling);
      const bool is_called = name == names::kNodes && !nodes.empty();
      label += (label.empty() ? "" : " ") + name + "=" +
               (is_called ? nodes : parameter_text(cell, name));
    }
  }
  return label;
}

// spans_of_nodes() of the measured cells.
std::map<std::int64_t, std::string> spans_along_devices(const StudyObservation& observation,
                                                        std::set<std::string> left_out) {
  left_out.insert(names::kNodes);
  std::map<std::string, std::vector<const CellRow*>> alike;
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.role == CellRole::kMeasured) {
      alike[label_without(cell.row, left_out, names::kDevices, observation.study.scaling)]
          .push_back(&cell.row);
    }
  }
  return spans_of_nodes(alike);
}

// Whether a control without communication differs from a cell that communicates in nothing else.
bool differ_in_comm(const CellRow& control, const CellRow& cell) {
  if (control.devices != cell.devices || control.nodes != cell.nodes) {
    return false;
  }
  constexpr const char* noop = "noop";
  const std::string comm = parameter_text(cell, names::kComm);
  return !comm.empty() && comm != noop && parameter_text(control, names::kComm) == noop &&
         std::ranges::equal(
             control.parameters, cell.parameters, [](const auto& of_control, const auto& of_cell) {
               return of_control.name == of_cell.name &&
                      (of_control.name == names::kComm || of_control.value == of_cell.value);
             });
}

// Adds the point to the curve of that label, which may be new, before those of larger x.
void add_point(std::vector<Curve>& curves, const std::string& label, const CurvePoint& point) {
  auto curve = std::ranges::find(curves, label, &Curve::label);
  if (curve == curves.end()) {
    curve = curves.insert(curves.end(), Curve{.label = label, .points = {}});
  }
  curve->points.insert(std::ranges::upper_bound(curve->points, point.x, {}, &CurvePoint::x), point);
}

}  // namespace

std::string parameter_text(const CellRow& cell, const std::string& name) {
  const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
  if (found != cell.parameters.end()) {
    return found->value;
  }
  if (name == names::kDevices) {
    return std::to_string(cell.devices);
  }
  if (name == names::kNodes) {
    return std::to_string(cell.nodes);
  }
  if (name == names::kBatchGlobal && cell.batch_global) {
    return std::to_string(*cell.batch_global);
  }
  if (name == names::kBatchPerDevice && cell.batch_per_device) {
    return std::to_string(*cell.batch_per_device);
  }
  return "";
}

std::string effective_text(const CellRow& cell,
                           const EffectiveParameters& effective,
                           const std::string& name) {
  const std::string text = parameter_text(cell, name);
  const std::optional<Value> value = text.empty() ? effective_value(effective, name) : std::nullopt;
  return value ? format_value(*value) : text;
}

const CellObservation* noop_of(const StudyObservation& observation, const CellObservation& cell) {
  if (cell.row.role != CellRole::kMeasured) {
    return nullptr;
  }
  const auto find = [&](const auto& is_its) {
    const auto found = std::ranges::find_if(observation.cells, [&](const auto& other) {
      return other.row.role == CellRole::kNoop && is_its(other.row);
    });
    return found == observation.cells.end() ? nullptr : &*found;
  };
  const CellObservation* own =
      find([&](const CellRow& control) { return control.control_of == cell.row.hash; });
  return own != nullptr
             ? own
             : find([&](const CellRow& control) { return differ_in_comm(control, cell.row); });
}

CellIds cell_ids(const Curve& curve) {
  CellIds ids;
  for (const CurvePoint& point : curve.points) {
    ids.push_back(point.cell->row.id);
  }
  return ids;
}

std::vector<Curve> curves_along(const StudyObservation& observation, const std::string& along) {
  const std::set<std::string> left_out = moving_with(observation, along);
  const std::map<std::int64_t, std::string> spans = along == names::kDevices
                                                        ? spans_along_devices(observation, left_out)
                                                        : std::map<std::int64_t, std::string>();
  std::vector<Curve> curves;
  for (const CellObservation& cell : observation.cells) {
    const std::optional<double> x = axis_value(cell, along);
    if (cell.row.role != CellRole::kMeasured || !x) {
      continue;
    }
    const auto span = spans.find(cell.row.id);
    const std::string label = label_without(cell.row,
                                            left_out,
                                            along,
                                            observation.study.scaling,
                                            span == spans.end() ? "" : span->second);
    add_point(curves, label, {.x = *x, .x_lo = *x, .x_hi = *x, .cell = &cell});
  }
  return curves;
}

std::vector<Curve> curves_along_computation(const StudyObservation& observation,
                                            double confidence) {
  std::vector<Curve> curves;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* control = noop_of(observation, cell);
    if (control == nullptr) {
      continue;
    }
    SessionValues times_s;
    for (const TrialObservation& trial : control->trials) {
      if (const auto found = trial.metrics.find(kStepTime); found != trial.metrics.end()) {
        times_s[session_block(trial.row).first].push_back(found->second.mean);
      }
    }
    const stats::MeanInterval time =
        interval_over_trials(times_s, confidence, stats::Range::kPositive).interval;
    if (!time.mean || !time.lo || !time.hi) {
      continue;
    }
    std::set<std::string> makes_it;
    for (const CellRow::Parameter& parameter : cell.row.parameters) {
      const std::string& name = parameter.name;
      if (name == names::kModel || name.starts_with("model.") || name.starts_with("batch_")) {
        makes_it.insert(name);
      }
    }
    const std::string label =
        label_without(cell.row, makes_it, kComputationTime, observation.study.scaling);
    add_point(curves, label, {.x = *time.mean, .x_lo = *time.lo, .x_hi = *time.hi, .cell = &cell});
  }
  return curves;
}

}  // namespace scalestudy
