// Reasons why a cell's times do not say how fast something is.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Whether the cell's times show how fast its ranks can be: false if they shared cores or devices,
// or sent 16-bit types that they had to convert in software.
bool has_claim(const CellObservation& cell);

// Whether this machine could run none of its trials.
bool is_unsupported(const CellObservation& cell);

struct NoClaim {
  Verdict verdict = Verdict::kNoClaim;  // a verdict for which is_claim() is false
  std::string detail{};                 // the setting in question; empty if it is about none
  CellIds doubted{};                    // the cells that request it
};

// Whether it is known how much work a step of either does, so that their step times make a speedup:
// cells of the same devices, or of known batches, or states_work() of the study.
bool has_known_work(const CellRow& base, const CellRow& cell, const Study& study);

// Why the cell cannot be compared with its base; absent if it can.
std::optional<NoClaim> why_no_claim(const CellObservation& base, const CellObservation& cell);

// A verdict for which is_loss(), if all trials of the cell, or else of its base, ended so.
std::optional<NoClaim> why_lost(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
