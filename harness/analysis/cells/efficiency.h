// Which cells have an efficiency over their base: where scaling alone sets the two apart.
#pragma once

#include <string>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// "no efficiency, because the base differs in strategy and precision as well": in settings that do
// not follow from devices, nodes or batch. "" for none; and where the devices are the same, or the
// study does not scale. Communication, and the strategy of `train`, mean nothing to a base of one
// device; to others communication counts if the study's baseline names it.
//
// A number follows if it has the base's value exactly where the devices, the nodes or one of the
// batches are the base's, and one value where they are the cell's. A word, such as a launcher,
// follows devices and nodes alone: strategies that change with the batch are a choice. Cells of
// another base count only if they have all settings that the cell and its base share. This is
// stricter than follows_devices(), which names cells, and moving_with(), which draws curves:
// neither asks for the base's value.
std::string why_no_efficiency(const CellObservation& base,
                              const CellObservation& cell,
                              const StudyObservation& observation,
                              const Study& study);

// Whether the devices of a cell and its base differ in a study that scales, and nothing else does
// that would be a reason for why_no_efficiency().
bool has_efficiency(const CellObservation& base,
                    const CellObservation& cell,
                    const StudyObservation& observation,
                    const Study& study);

}  // namespace scalestudy
