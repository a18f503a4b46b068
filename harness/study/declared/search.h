// The section search of a study: plain data. Contract: `version: 1` of study files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/study/declared/words.h"
#include "workloads/names/names.h"

namespace scalestudy {

// A search for the best setting in a product of axes: a race over whole blocks, then fresh blocks
// of the few settings that remain. Each cell of the study is a setting; the default one is the
// baseline.
struct Search {
  std::vector<std::string> over;               // names of all axes that the study varies
  std::string objective = names::kThroughput;  // or the metric of a MetricRequest
  double budget_s = 0.0;                       // wall time of trials, > 0
  std::optional<std::int64_t> max_trials;      // >= 1
};

// A search for the largest batch that fits into memory: the run adds values of the axis, one trial
// each, until neighbours on the grid are known to fit and not to fit.
struct LargestFit {
  std::string axis;        // batch_per_device or batch_global
  std::int64_t up_to = 0;  // no larger value is tried
  std::int64_t grid = 1;   // values that are tried are multiples of it
};

// Most blocks of a search, whatever its budget; trials.count of its study.
inline constexpr int kMostSearchBlocks = 400;

// Whole blocks that a search measures next; count is 0 once the search is over.
struct SearchBlocks {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::map<std::int64_t, SearchPart> cells;  // by cell id of the store
};

}  // namespace scalestudy
