// The race of a search (search: {over: ...}): which settings stay in it, and when it is over.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// The state of one setting in the race.
struct RaceSetting {
  const CellObservation* cell = nullptr;
  bool is_default = false;
  std::int64_t departures = 0;             // values that are not the default's
  std::int64_t race_trials = 0;            // its trials of the race that count
  std::optional<std::int64_t> last_block;  // last block of the race it was planned in; may be none
  SearchPart part = SearchPart::kNone;     // its part on fresh blocks; kNone: not measured there
  std::string failure;                     // why it leaves whatever its values are; else ""
};

// The race of one plan.
struct Race {
  std::string plan;
  std::int64_t blocks = 0;  // blocks of the race planned so far
  std::int64_t fresh_blocks = 0;
  std::map<std::int64_t, RaceSetting> settings;  // by cell id

  [[nodiscard]] const RaceSetting* winner() const;  // nullptr while there is none
  [[nodiscard]] const RaceSetting* find_default() const;
};

// Reads the race of a plan. The plan says which setting was measured when, so that no later change
// of a trial changes the race.
// - observation: must outlive the result, which points into it.
// - trials: all of the study, of any plan.
Race read_race(const StudyObservation& observation,
               const std::vector<TrialRow>& trials,
               const Study& study,
               const std::string& plan);

// The next blocks to run, once all planned trials have ended. The race is a sequential halving. In
// a round each remaining setting, and the default, has one trial a block; then the better half
// stays, by the mean logarithm of the objective without block effects, until one is left, the
// winner. The default and settings that fail do not count for the half. A round takes its part of
// half the budget, but no more blocks than show a difference of the margin in nine of ten cases.
// Then come fresh blocks of the winner, the default and up to three simpler settings: as many as
// detect the margin, and equivalence within it, with a power of 0.8 after Holm, at least five,
// within the rest of the budget. METHODS.md, Searches.
// - study: one with a search.
SearchBlocks next_search_blocks(const StudyObservation& observation,
                                const std::vector<TrialRow>& trials,
                                const Study& study,
                                const std::string& plan);

inline constexpr std::int64_t kMostCandidates = 3;
inline constexpr std::int64_t kLeastFreshBlocks = 5;  // from five blocks on they are paired

}  // namespace scalestudy
