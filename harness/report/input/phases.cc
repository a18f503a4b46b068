// The list of phases.
#include "harness/report/input/phases.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/text/measure.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::array<Phase, 6> kPhases = {{{names::kDataTime, "data"},
                                           {"forward_time_s", "forward"},
                                           {"backward_time_s", "backward"},
                                           {names::kExposed, "exposed communication"},
                                           {"optimizer_time_s", "optimizer"},
                                           {"other_time_s", "other"}}};

// "8.40 ± 0.25 ms"
std::string time_text(const Measure& time) {
  const Scale scale = scale_for("s", time.value.value_or(0.0));
  return format_half_width(time, scale.factor, scale.unit);
}

// That waiting for samples takes of the step at least, by its interval; 0 where it is not known.
double least_wait(const ReportInput& input, const CellRow& cell) {
  const Measure wait = measure_of(input.estimate(cell.id, names::kDataTime));
  const Measure step = measure_of(input.estimate(cell.id, names::kStepTime));
  return wait.lo && step.value && *step.value > 0.0 ? *wait.lo / *step.value : 0.0;
}

}  // namespace

std::span<const Phase> all_phases() {
  return kPhases;
}

std::vector<Phase> measured_phases(const ReportInput& input, const Group& group) {
  std::vector<Phase> found;
  std::copy_if(kPhases.begin(), kPhases.end(), std::back_inserter(found), [&](const Phase& phase) {
    return std::any_of(group.cells.begin(), group.cells.end(), [&](const CellRow* cell) {
      return input.estimate(cell->id, phase.metric) != nullptr;
    });
  });
  return found;
}

std::string input_wait(const ReportInput& input) {
  const CellRow* most = nullptr;
  std::pair<bool, double> most_key{false, input.declared.analysis.margin};
  for (const CellRow& cell : input.cells) {
    const double share = least_wait(input, cell);
    const std::pair<bool, double> key{cell.devices > 1, share};
    if (cell.role == CellRole::kMeasured && input.has_claim(cell) &&
        share > input.declared.analysis.margin && key > most_key) {
      most = &cell;
      most_key = key;
    }
  }
  if (most == nullptr) {
    return "";
  }
  const Measure exposed = measure_of(input.estimate(most->id, names::kExposed));
  return fmt::format(
      "With {}, {} of the {} of a step are spent waiting for samples{}",
      cell_name(input, *most),
      time_text(measure_of(input.estimate(most->id, names::kDataTime))),
      time_text(measure_of(input.estimate(most->id, names::kStepTime))),
      most->devices > 1 && exposed.value ? ", and " + time_text(exposed) + " for other ranks" : "");
}

}  // namespace scalestudy::report
