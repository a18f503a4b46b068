// How much an event that met some of the trials changed their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "stats/status.h"

namespace scalestudy::stats {

// A trial's value on the scale on which cells, blocks and the event add (logarithm of a time).
struct MetValue {
  double y = 0.0;
  std::int64_t cell = 0;   // any number
  std::int64_t block = 0;  // any number
  bool is_met = false;     // by the event
};

struct EventEffect {
  Status status = Status::kInsufficientData;
  double effect = 0.0;  // what the event adds on average over cells
  double se = 0.0;      // of `effect`
  std::size_t df = 0;
  // Upper limit of what the event adds in each cell that it met: the one-sided limit of `effect`
  // plus the cell's own departure, as far as its error does not explain it. By cell.
  std::map<std::int64_t, double> upper;
};

// Least squares of y = cell + block + effect * is_met. A cell's departure from the common effect is
// the least squares slope of the residuals on its own met trials, shrunk by max(0, 1 - se^2/d^2).
// Blocks are left out if `se` is smaller without them: an event that lasts for whole blocks shows
// between blocks alone.
//
//   level   of `upper`, in (0.5, 1).
//   status  insufficient_data: no cell has both met and other trials, or no degree of freedom is
//           left; invalid_input: a value that is not finite.
//   source  Frisch & Waugh 1933 (slopes after factors are taken out); Efron & Morris 1973 (positive
//           part of the shrinkage).
EventEffect event_effect(std::span<const MetValue> values, double level);

}  // namespace scalestudy::stats
