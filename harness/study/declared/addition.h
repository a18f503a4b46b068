// What a run adds to the plan of a study after its first trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalestudy {

// A further cell, or further blocks of a cell. Additions are kept in the store, as part of the
// plan: the study file gives the rule, the trials decide what it adds.
struct Addition {
  std::string cell;                    // hash of the cell that is varied, or gets further blocks
  std::string axis;                    // axis whose value differs; "": the same cell again
  std::optional<std::int64_t> value;   // the new cell's value of that axis
  std::int64_t first_block = 0;        // first block of its trials, after all planned before
  std::optional<std::int64_t> blocks;  // number of blocks; absent: trials.count of the study
  std::string reason;                  // "the bracket was [32, 256]"

  friend bool operator==(const Addition&, const Addition&) = default;
};

}  // namespace scalestudy
