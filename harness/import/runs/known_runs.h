// The runs that a store has of a study, so that none counts twice and none is lost.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/import/runs/import_runs.h"

namespace scalestudy {

struct KnownTrial {
  std::string cell;  // hash
  TrialRow row;
};

// The trials of the study with that name, earlier attempts included; none without a store.
std::vector<KnownTrial> known_trials(const Store* store, const std::string& study);

// A run is known by its text: logs may have been copied or renamed since they were imported.
class KnownRuns {
 public:
  using Pairs = std::set<std::pair<std::string, std::string>>;

  // - trials: as known_trials() gives them.
  // - texts: sources and hashes of all texts that are imported now.
  KnownRuns(std::string study, std::vector<KnownTrial> trials, Pairs texts);

  // Sets the run's effect and, of a further attempt, its plan and number; a new run is known from
  // then on. Returns why it cannot be a trial; "" if it can.
  std::string settle(ReadRun& run);

  [[nodiscard]] bool has_trial(const Cell& cell) const;

 private:
  using Trials = std::vector<KnownTrial>;
  Trials::iterator earlier_text(const ReadRun& run);
  [[nodiscard]] std::string collision(const ReadRun& run, Trials::const_iterator replaced) const;
  [[nodiscard]] std::string was_declared_otherwise() const;

  std::string study_;
  Trials trials_;                // last attempts
  std::set<std::string> moved_;  // hashes of texts that are not where a trial has them from
  Pairs plans_;                  // by cell
};

}  // namespace scalestudy
