#include "harness/analysis/cells/efficiency.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "harness/store/cell_name.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::array<const char*, 4> kScaled = {
    names::kDevices, names::kNodes, names::kBatchGlobal, names::kBatchPerDevice};

using AreAlike = bool (*)(const CellRow&, const CellRow&);

template <auto kMember>
bool have_same(const CellRow& one, const CellRow& other) {
  return one.*kMember == other.*kMember;
}

// By kScaled: whether two cells have the same number of devices, and so on.
constexpr std::array<AreAlike, kScaled.size()> kScaledAlike = {
    have_same<&CellRow::devices>,
    have_same<&CellRow::nodes>,
    have_same<&CellRow::batch_global>,
    have_same<&CellRow::batch_per_device>};
constexpr std::size_t kFollowedByWords = 2;  // devices and nodes

// A setting of a cell, of its base, or of both; a value is "" where that one lacks it.
struct Setting {
  const CellRow::Parameter* parameter = nullptr;  // of the base only if the cell lacks it
  std::size_t place = 0;                          // among the parameters of that one
  std::string_view of_base = {};
  std::string_view of_cell = {};
};

// The value of a parameter, "" without one. Most cells of a study have it at the same place.
std::string_view value_at(const CellRow& cell, const std::string& name, std::size_t place) {
  const std::vector<CellRow::Parameter>& all = cell.parameters;
  if (place < all.size() && all[place].name == name) {
    return all[place].value;
  }
  const auto found = std::ranges::find(all, name, &CellRow::Parameter::name);
  return found == all.end() ? std::string_view() : found->value;
}

// The settings of both but for devices, nodes and batch, those of the cell first.
std::vector<Setting> settings_of(const CellRow& base, const CellRow& cell) {
  std::vector<Setting> settings;
  for (const CellRow* side : {&cell, &base}) {
    for (std::size_t place = 0; place < side->parameters.size(); ++place) {
      const CellRow::Parameter& parameter = side->parameters[place];
      const std::string_view of_cell = value_at(cell, parameter.name, place);
      if (std::ranges::find(kScaled, parameter.name) == kScaled.end() &&
          (side == &cell || of_cell.empty())) {
        settings.push_back({.parameter = &parameter,
                            .place = place,
                            .of_base = value_at(base, parameter.name, place),
                            .of_cell = of_cell});
      }
    }
  }
  return settings;
}

// The measured cells that show what follows from what: those of this base, and those that have all
// settings that the cell and the base share. Another model has its own learning rates.
std::vector<const CellRow*> kin_of(const CellRow& base,
                                   const std::vector<Setting>& settings,
                                   const StudyObservation& observation) {
  std::vector<const CellRow*> kin;
  for (const CellObservation& other : observation.cells) {
    const CellRow& row = other.row;
    if (row.role == CellRole::kMeasured &&
        (row.baseline == base.hash || std::ranges::all_of(settings, [&](const Setting& setting) {
           return setting.of_base != setting.of_cell ||
                  value_at(row, setting.parameter->name, setting.place) == setting.of_base;
         }))) {
      kin.push_back(&row);
    }
  }
  return kin;
}

// Whether the setting has the base's value exactly in cells that are like the base, and one value
// in those that are like the cell.
bool follows(const Setting& setting,
             AreAlike are_alike,
             const CellRow& base,
             const CellRow& cell,
             const std::vector<const CellRow*>& kin) {
  return std::ranges::all_of(kin, [&](const CellRow* other) {
    const std::string_view value = value_at(*other, setting.parameter->name, setting.place);
    return are_alike(*other, base) == (value == setting.of_base) &&
           (!are_alike(*other, cell) || value == setting.of_cell);
  });
}

bool follows_scaling(const Setting& setting,
                     const CellRow& base,
                     const CellRow& cell,
                     const std::vector<const CellRow*>& kin) {
  const bool is_number = setting.parameter->number().has_value();
  const std::span<const AreAlike> axes(kScaledAlike);
  return std::ranges::any_of(
      is_number ? axes : axes.first(kFollowedByWords),
      [&](AreAlike are_alike) { return follows(setting, are_alike, base, cell, kin); });
}

// Whether the base differs for want of ranks: one device shares no step, and a base without the
// setting of communication was found because no other matches the cell.
bool is_between_ranks(const std::string& name, const CellRow& base, const Study& study) {
  const bool is_of_communication = is_communication_parameter(study.workload, name);
  const bool is_strategy = study.workload == Workload::kTrain && name == names::kStrategy;
  return base.devices == 1 ? is_of_communication || is_strategy
                           : is_of_communication && !study.analysis.baseline.contains(name);
}

bool may_scale(const CellRow& base, const CellRow& cell, const StudyObservation& observation) {
  return base.devices != cell.devices && observation.study.scaling != Scaling::kNone;
}

}  // namespace

std::string why_no_efficiency(const CellObservation& base,
                              const CellObservation& cell,
                              const StudyObservation& observation,
                              const Study& study) {
  if (!may_scale(base.row, cell.row, observation)) {
    return "";
  }
  const std::vector<Setting> settings = settings_of(base.row, cell.row);
  std::vector<const CellRow*> kin;  // only of cells that differ
  std::vector<std::string> names;
  for (const Setting& setting : settings) {
    const std::string& name = setting.parameter->name;
    if (setting.of_base == setting.of_cell || is_between_ranks(name, base.row, study)) {
      continue;
    }
    if (kin.empty()) {
      kin = kin_of(base.row, settings, observation);
    }
    const std::string shown = name_axis(name, study.labels);
    if (!follows_scaling(setting, base.row, cell.row, kin) &&
        std::ranges::find(names, shown) == names.end()) {
      names.push_back(shown);
    }
  }
  return names.empty()
             ? ""
             : "no efficiency, because the base differs in " + join_words(names) + " as well";
}

bool has_efficiency(const CellObservation& base,
                    const CellObservation& cell,
                    const StudyObservation& observation,
                    const Study& study) {
  return may_scale(base.row, cell.row, observation) &&
         why_no_efficiency(base, cell, observation, study).empty();
}

}  // namespace scalestudy
