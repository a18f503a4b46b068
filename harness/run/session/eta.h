// How long the rest of a run will take, from the trials that have finished.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Estimates what a trial of each cell takes; for a cell without finished trials, what a trial of
// any cell takes. Failures that end quickly say nothing about a trial that works: they never make
// the estimate shorter. The time that they cost (timeouts, further attempts) makes it longer.
class Eta {
 public:
  // - is_ok: the attempt ended ok.
  // - is_final: no further attempt of this trial follows.
  void add_attempt(std::int64_t cell_id, double wall_s, bool is_ok, bool is_final);

  // Takes in what an attempt took beside its wall time: a wait for an idle machine, setup and
  // cleanup, the product that is timed around blocks, the store. With trials of a second, that is a
  // third of a night.
  // - seconds: >= 0; their mean is part of what every trial takes.
  void add_beside(double seconds);

  // Their mean, in seconds; 0 before one is known.
  [[nodiscard]] double beside_s() const;

  // What a trial of the cell takes; absent before any trial has finished.
  [[nodiscard]] std::optional<double> trial_s(std::int64_t cell_id) const;

  // What the rest of the run takes.
  // - left: number of trials still to run, by cell.
  // - returns: absent before a trial has ended ok, since nobody knows how long one is.
  [[nodiscard]] std::optional<double> total_s(
      const std::map<std::int64_t, std::int64_t>& left) const;

 private:
  struct Spent {
    double ok_s = 0.0;   // wall time of attempts that ended ok
    double all_s = 0.0;  // wall time of all attempts
    std::int64_t ok = 0;
    std::int64_t trials = 0;  // trials that have ended, one way or the other

    [[nodiscard]] double trial_s() const;
  };

  // Wall time of a trial of the cell; of any cell if it has no finished trial.
  [[nodiscard]] double wall_s(std::int64_t cell_id) const;

  std::map<std::int64_t, Spent> cells_;
  Spent all_;
  double beside_s_ = 0.0;
  std::int64_t attempts_ = 0;  // attempts whose time beside is part of beside_s_
};

// The estimate from stored attempts. Time beside attempts is found for each session as a whole,
// since their stored starts are whole seconds: the time from the start of the first attempt to that
// of the last, less the wall times between and a long pause.
// - waits_s: waits before attempts that are left out, too, by id of the trial.
Eta eta_of(const std::vector<TrialRow>& trials, const std::map<std::int64_t, double>& waits_s = {});

}  // namespace scalestudy
