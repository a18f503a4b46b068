// How long a trial warms up and measures: floors in steps and in time, and the end of the warm-up.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "workloads/parameters/parameters.h"
#include "workloads/rank/world.h"

namespace scalestudy::rank {

using protocol::kMostSteps;

// The least length of both phases. Without floors in time (0) they have exactly the steps asked
// for.
struct Floors {
  std::size_t warmup_steps = 0;
  std::size_t measured_steps = 1;
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;
  // Steps of a turn, after which steps repeat (local_sgd); both phases consist of whole turns.
  std::size_t turn_steps = 1;

  bool has_times() const { return warmup_time_s > 0.0 || measured_time_s > 0.0; }
  std::size_t most_warmup_steps() const;
  std::size_t most_measured_steps() const;
};

// Whether the last steps take as long as those before them: the medians of the last two blocks of
// max(10, a quarter) of the steps differ by at most 2 %, or by what the noise inside the blocks
// explains (two standard errors). With blocks of ten and 2 % alone, noisy clean steps would fail
// more often than not; longer blocks and the allowance for noise keep such false alarms under 5 %
// of trials (tests/workloads/rank/phases_test.cc).
//   step_times_s  in order, > 0; fewer than kLeastToJudge are not steady.
bool is_steady(std::span<const double> step_times_s);
inline constexpr std::size_t kLeastToJudge = 20;

// With fewer steps no trial is called unsteady: there would be too few borders at which to find it
// steady, and noisy clean trials would fail more often than 5 %.
inline constexpr std::size_t kLeastToMark = 60;

// The lengths of the phases, as rank 0 decides them for every rank.
struct PhaseLengths {
  std::size_t warmup = 0;
  std::size_t measured = 0;
  // Absent if nobody asked, or if the cap came before kLeastToMark steps without an answer.
  std::optional<bool> is_steady = std::nullopt;
  double warmup_time_s = 0.0;  // of rank 0
  // On rank 0, by now_s(): when the measured phase began and ended; 0: not known.
  double measured_from_s = 0.0;
  double measured_until_s = 0.0;

  // Facts for the end of the record; those of the warm-up only with floors in time.
  std::map<std::string, double> facts(const Floors& floors) const;
};

// Decides at block borders when a warm-up ends.
class WarmUp {
 public:
  explicit WarmUp(const Floors& floors) : floors_(floors) {}

  // The number of steps after which to ask next.
  std::size_t next_border() const { return next_; }

  // Whether the warm-up is over: rank 0 judges by its own steps and tells the others. Every rank
  // calls, after as many steps. Once it is true, lengths() is known.
  //   step_times_s  of this rank's `done` steps, whole turns.
  bool is_over(const World& world, std::size_t done, std::span<const double> step_times_s);

  // The judgement of rank 0, without other ranks.
  bool judge(std::size_t done, std::span<const double> step_times_s);

  const PhaseLengths& lengths() const { return lengths_; }

 private:
  Floors floors_;
  std::size_t next_ = floors_.warmup_steps;
  PhaseLengths lengths_;
};

}  // namespace scalestudy::rank
