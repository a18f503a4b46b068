// Which trials met load, and whether some cells met more of it than chance explains.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

enum class LoadReading { kNone, kQuiet, kLoaded };  // of a trial; kNone: too short
using ReadLoad = std::function<LoadReading(const TrialObservation&)>;

// Trials of one block have equal numbers; those of an order without blocks all have one.
class LoadBlocks {
 public:
  explicit LoadBlocks(const Study& study) : is_batch_(study.order.design == OrderDesign::kBatch) {}

  std::int64_t of(const TrialRow& trial) {
    const auto place =
        is_batch_ ? std::pair<std::string, std::int64_t>() : std::pair(trial.plan, trial.block);
    return numbers_.emplace(place, std::ssize(numbers_)).first->second;
  }

 private:
  bool is_batch_;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> numbers_;
};

struct CrowdedCell {
  const CellObservation* cell = nullptr;
  double p = 1.0;  // of the test that named it
};

// Where load met more trials than chance explains.
struct Crowding {
  // Without these, load met the others as by chance. At most three, the most loaded first.
  std::vector<CrowdedCell> cells;
  bool is_of_all = false;  // even without three cells, load met the others unequally
};

// Tests cells, and numbers of devices, and takes out the most loaded cell until the others pass.
// Trials without a reading are left out.
Crowding find_crowding(const StudyObservation& observation,
                       const Study& study,
                       const ReadLoad& read);

}  // namespace scalestudy
