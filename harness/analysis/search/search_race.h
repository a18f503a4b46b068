// The race of a search (search: {over: ...}): which settings go on, and when it is over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// What the race knows of one setting.
struct RaceSetting {
  const CellObservation* cell = nullptr;
  bool is_default = false;
  std::int64_t departures = 0;             // values that are not the default's
  std::int64_t race_trials = 0;            // that count
  std::optional<std::int64_t> last_block;  // of the race that it was planned in; absent: none
  SearchPart part = SearchPart::kNone;     // on fresh blocks; kNone: not measured there
  std::string failure;                     // why it leaves, whatever its values; "": it does not
};

// All of one plan, by cell.
struct Race {
  std::string plan;
  std::int64_t blocks = 0;  // of the race, planned so far
  std::int64_t fresh_blocks = 0;
  std::map<std::int64_t, RaceSetting> settings;  // by id of the cell

  [[nodiscard]] const RaceSetting* winner() const;  // nullptr: none yet
  [[nodiscard]] const RaceSetting* find_default() const;
};

// The plan with the most trials that count: a store that others were merged into has several, each
// a search of its own. "" without any.
std::string searched_plan(const std::vector<TrialRow>& trials);

// Who was measured when is what the plan says, so that no later change of a trial changes it.
//   trials       all of the study, of any plan.
//   observation  what is read is kept by pointer.
Race read_race(const StudyObservation& observation,
               const std::vector<TrialRow>& trials,
               const Study& study,
               const std::string& plan);

// The next blocks, once all planned trials have ended. Sequential halving: in a round each setting
// still in, and the default, has one trial a block; then the better half goes on, by the mean of
// the logarithm of the objective with blocks taken out, until one is left, the winner. The default
// and a setting that fails are no part of the half. A round takes what half the budget leaves it,
// but no more blocks than tell a difference of the margin in nine of ten cases. Then fresh blocks
// of the winner, the default and up to three simpler settings, as many as find the margin, and
// equality within it, with a power of 0.8 after Holm, at least five; within what is left of the
// budget. METHODS.md, Searches.
//   study  with a search.
SearchBlocks next_search_blocks(const StudyObservation& observation,
                                const std::vector<TrialRow>& trials,
                                const Study& study,
                                const std::string& plan);

inline constexpr std::int64_t kMostCandidates = 3;
inline constexpr std::int64_t kLeastFreshBlocks = 5;  // from five on blocks are paired

}  // namespace scalestudy
