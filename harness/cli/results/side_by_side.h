// The sides of one study, which ran in the same blocks, as a table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/analyse.h"
#include "harness/analysis/studies/sides.h"
#include "harness/base/error.h"
#include "harness/cli/table.h"
#include "harness/cli/terminal.h"
#include "harness/store/store.h"

namespace scalestudy {

// A cell on one side, and on the side that it is compared with.
struct SidePair {
  std::string cell;  // name, without its side
  std::string hash;
  std::string side;
  std::string against;
  std::optional<double> step_time_s;
  std::optional<double> step_time_s_against;
  ComparisonRow speedup;  // of `side`
};

// In the order of the cells; empty for a study without sides, or whose baseline is no side.
std::vector<SidePair> side_pairs(const Store& store, std::int64_t study_id, const Results& results);

// For people (kTable, kMarkdown), or every number in full.
std::string format_pairs(const std::vector<SidePair>& pairs, Format format);

struct PairsOptions {
  Format format = Format::kTable;
  bool gate = false;
};

// `compare STUDY`: prints the sides of a stored study; with `gate`, gate_verdicts() of them. Throws
// Error{kUsage} where it has none.
ExitCode compare_own_sides(const std::string& study,
                           const std::string& results,
                           const PairsOptions& options,
                           Terminal& terminal);

}  // namespace scalestudy
