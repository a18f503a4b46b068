// How long the rest of a run will take, from the trials that have finished.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// What a trial of each cell takes; cells without one are taken as all trials. Failures that end
// quickly say nothing of a trial that works: they never make the estimate shorter. Time that they
// cost (timeouts, further attempts) makes it longer.
class Eta {
 public:
  //   is_ok     it is a trial that works.
  //   is_final  no further attempt of this trial follows.
  void add_attempt(std::int64_t cell_id, double wall_s, bool is_ok, bool is_final);

  // What an attempt took beside its wall time: a wait for an idle machine, setup and cleanup, the
  // product that is timed around blocks, the store. At trials of a second it is a third of a night.
  //   seconds  >= 0; part of what every trial takes, in its mean.
  void add_beside(double seconds);

  // Absent before any trial has finished.
  [[nodiscard]] std::optional<double> trial_s(std::int64_t cell_id) const;

  // left     trials still to run, by cell.
  // returns  nothing before a trial has ended ok: nobody knows how long one is.
  [[nodiscard]] std::optional<double> total_s(
      const std::map<std::int64_t, std::int64_t>& left) const;

 private:
  struct Spent {
    double ok_s = 0.0;   // of attempts that ended ok
    double all_s = 0.0;  // of all attempts
    std::int64_t ok = 0;
    std::int64_t trials = 0;  // that have ended, one way or the other

    [[nodiscard]] double trial_s() const;
  };

  [[nodiscard]] double wall_s(
      std::int64_t cell_id) const;  // of one trial, of all where it has none

  std::map<std::int64_t, Spent> cells_;
  Spent all_;
  double beside_s_ = 0.0;
  std::int64_t attempts_ = 0;  // with what they took beside
};

// Of stored attempts. What lay beside them is, of each session, the time from the begin of its
// first attempt to that of its last one less the wall times between, as stored begins are whole
// seconds.
Eta eta_of(const std::vector<TrialRow>& trials);

}  // namespace scalestudy
