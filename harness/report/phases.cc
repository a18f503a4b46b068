// The list of phases.
#include "harness/report/phases.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace scalestudy::report {
namespace {

constexpr std::array<Phase, 6> kPhases = {
    {{"data_time_s", "data"},
     {"forward_time_s", "forward"},
     {"backward_time_s", "backward"},
     {"exposed_communication_time_s", "exposed communication"},
     {"optimizer_time_s", "optimizer"},
     {"other_time_s", "other"}}};

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

}  // namespace scalestudy::report
