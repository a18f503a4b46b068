// How long a trial warms up and measures: floors in steps and in time, and what ends the warm-up.
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

// Without floors in time (0) the phases have exactly the steps asked for: whole turns.
struct Floors {
  std::size_t warmup_steps = 0;
  std::size_t measured_steps = 1;
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;
  // Steps that make a turn, of which each is like the one before: both phases are whole turns.
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

// With fewer steps, at whose borders it could have been found steady, no trial is called unsteady:
// noisy clean ones would be more often than 5 %.
inline constexpr std::size_t kLeastToMark = 60;

// What rank 0 has found out, and every rank does.
struct PhaseLengths {
  std::size_t warmup = 0;
  std::size_t measured = 0;
  // Absent where nobody asked, and where the cap came before kLeastToMark steps without an answer.
  std::optional<bool> is_steady = std::nullopt;
  double warmup_time_s = 0.0;  // of rank 0
  // On rank 0, by now_s(): when the measured phase began and ended; 0: not known.
  double measured_from_s = 0.0;
  double measured_until_s = 0.0;

  // For the end of the record; what is about the warm-up not without floors in time, where nobody
  // asked.
  std::map<std::string, double> facts(const Floors& floors) const;
};

// Ends a warm-up. Asked at block borders.
class WarmUp {
 public:
  explicit WarmUp(const Floors& floors) : floors_(floors) {}

  // The number of steps after which to ask next.
  std::size_t next_border() const { return next_; }

  // Whether the warm-up is over, which rank 0 judges by its own steps and tells the others: every
  // rank asks, after as many steps. Then lengths() are known.
  //   step_times_s  of this rank's `done` steps, whole turns.
  bool is_over(const World& world, std::size_t done, std::span<const double> step_times_s);

  // What rank 0 finds.
  bool judge(std::size_t done, std::span<const double> step_times_s);

  const PhaseLengths& lengths() const { return lengths_; }

 private:
  Floors floors_;
  std::size_t next_ = floors_.warmup_steps;
  PhaseLengths lengths_;
};

}  // namespace scalestudy::rank
