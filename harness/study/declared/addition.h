// What a run adds to the plan of a study after its first trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace scalestudy {

// A further cell, or further blocks of one. Part of the plan, in the store: the study file says by
// which rule, the trials decide which.
struct Addition {
  std::string cell;                    // hash of the cell that it is like, or of which it is more
  std::string axis;                    // of which it has another value; "": the same cell again
  std::optional<std::int64_t> value;   // of that axis
  std::int64_t first_block = 0;        // its trials' blocks begin here, behind all planned before
  std::optional<std::int64_t> blocks;  // how many; absent: trials.count of the study
  std::string reason;                  // "the bracket was [32, 256]"

  friend bool operator==(const Addition&, const Addition&) = default;
};

}  // namespace scalestudy
