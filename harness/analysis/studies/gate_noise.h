// How often a gate on the step time would fire by chance on this machine, from identical cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "stats/gate_noise.h"

namespace scalestudy {

// What the gate compares.
enum class GateDesign {
  kNights,  // a session with the one before
  kNight,   // two sides within one session
};

// The noise of the gate in one cell.
struct CellGate {
  CellRow cell;
  GateDesign design = GateDesign::kNight;
  std::size_t sessions = 0;
  double trials = 0.0;  // of a session
  stats::GateNoise noise;
  // Some session stands out (modified z), so that the spread does not say how often the gate fires:
  // `noise` is by counting.
  bool is_counted = false;
  std::size_t fired = 0;  // of `comparisons`
  std::size_t comparisons = 0;
  // Fewest trials of a session, among round numbers above its own, that bring the chance to 1 % or
  // less; absent if it is there already, or if no number does.
  std::optional<std::int64_t> enough;
  // The chance that remains however many trials a session has; absent where that is not known.
  std::optional<double> floor;
};

struct GateReport {
  double margin = 0.0;
  bool has_dates = false;         // the sessions lie on kSessionsAsUnit dates or more
  std::size_t sessions = 0;       // most sessions of a cell
  std::vector<CellGate> cells;    // that have a spread: those of nights, the noisiest first
  std::vector<CellGate> repeats;  // controls aa against the cells they repeat, likewise
};

// The sessions are the units, from kSessionsAsUnit sessions of a cell on: the chance is then that
// of one night against the one before, over the nights since the cell last changed (history.h).
// With fewer sessions it is that of two sides within one, and says nothing of how nights differ.
// Controls aa, which run side by side in the same blocks, get a chance of their own.
// Imported trials tell no sessions and are left out.
// - sides: observations of the same study, each free of the change that the gate looks for; a
//   session counts in one of them.
GateReport gate_report(const std::vector<const StudyObservation*>& sides, const Study& study);

// "A gate of 2 % fires by chance in 3 % of nights [1, 7] (2 devices, batch 64, the noisiest of 4
// cells, whose median is 0.8 %; 12 nights of 5 trials, each against the one before); 20 trials a
// night would make it at most 1 %". Empty without a cell.
std::string gate_sentence(const GateReport& report);

// The note gate_noise, from kSessionsAsUnit sessions on.
std::vector<ThreatRow> gate_threats(const StudyObservation& observation, const Study& study);

}  // namespace scalestudy
