// Study -> cells with stable hashes, excluded cells with reasons, and the order of trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/study/declared/words.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {

// Consecutive blocks, each with one trial of the cell.
struct Blocks {
  std::int64_t first = 0;
  std::int64_t count = 0;

  [[nodiscard]] bool has(std::int64_t block) const {
    return block >= first && block < first + count;
  }
};

struct Cell {
  std::string hash;  // 8 hexadecimal digits; see cell_hash
  CellRole role = CellRole::kMeasured;
  EffectiveParameters effective;  // what its trials see, defaults included
  Parameters parameters;  // values given beyond the defaults, and all that the harness reads itself
  Parameters varied;      // values of axes, zip and include alone, which a report's row shows
  std::string label;      // "devices=2 batch_global=256": varied parameters and the control
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
  std::optional<std::int64_t> batch_global;      // samples of one step over all devices
  std::optional<std::int64_t> batch_per_device;  // batch_global / devices
  std::optional<std::string> control_of;         // hash of the cell it is the control of
  // Hash of the cell that its speedup is relative to; a baseline cell names itself. Absent: the
  // study declares no baseline, or the cell has no counterpart (baseline_problem says why).
  std::optional<std::string> baseline;
  std::string baseline_problem;
  std::vector<Blocks> blocks;  // of its trials, at least one; by trials.count or study.additions

  // The blocks that include `block`; nullptr if none do.
  [[nodiscard]] const Blocks* blocks_with(std::int64_t block) const;
};

struct ExcludedCell {
  Cell cell;
  std::string reason;  // "exclude rule 1 (devices=1, env.NCCL_ALGO=Ring)"
};

struct Matrix {
  std::vector<Cell> cells;  // measured ones in file order, those added later, then controls
  std::vector<ExcludedCell> excluded;
  Scaling scaling = Scaling::kNone;
};

// Expands a study into its matrix. Throws Error{kUsage} that names the cells if nothing is left to
// measure, a batch is not divisible by its devices, two cells are equal, or values cannot be
// combined.
Matrix expand(const Study& study);

// One more than the last block of any cell; gaps between blocks are counted.
std::int64_t block_count(const Matrix& matrix);

// First 8 hexadecimal digits of XXH3-64 over the workload, the control and the parameters that
// differ from the workload's defaults, in sorted order. Adding a cell, or an axis at its default
// value, leaves the hashes of the others as they were.
std::string cell_hash(Workload workload, CellRole role, const Parameters& parameters);

// 16 hexadecimal digits over everything that decides what is measured and how it is judged: all of
// the study but titles, comments, formatting and the report template.
std::string study_hash(const Study& study);

// What differs between two studies, one line each: "trials.count: 5 -> 10"; empty if their hashes
// are equal, except for a limits.timeout of 10min, which has the hash of none. No secret is shown,
// and one that was left out of a text is no difference.
std::vector<std::string> study_difference(const Study& before, const Study& after);

// Whether nothing differs but how many trials a cell has.
bool differ_in_count_alone(const Study& a, const Study& b);

// The differences that make trials of a cell incomparable: what runs (command, setup, build, cwd,
// env, sides), what the trial before left (cleanup), extract rules and steps. (Its parameters are
// in its hash.)
std::vector<std::string> trial_difference(const Study& before, const Study& after);

// The differences that count as a change of the study: all but the number of trials and the session
// time.
std::vector<std::string> declared_difference(const Study& before, const Study& after);

inline constexpr std::size_t kMostTrials = 2'000'000;  // limit of trials in a study

struct ScheduledTrial {
  std::size_t cell = 0;  // index into Matrix::cells
  int block = 0;         // from 0
  int position = 0;      // from 0: place in the whole order
};

// The order in which all trials run. The same study gives the same order on every machine, because
// generator and shuffle are the program's own, seeded by order.seed.
std::vector<ScheduledTrial> schedule(const Study& study, const Matrix& matrix);

// Numbers of trials of each cell after which a run for verdicts looks at its comparisons:
// trials.min first, each next one half as many again (rounded up), trials.max last. Empty if the
// study is not run for verdicts.
std::vector<std::size_t> planned_looks(const Trials& trials);

}  // namespace scalestudy
