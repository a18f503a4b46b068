// The sides of one study, which ran in the same blocks, compared in a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/analyse.h"
#include "harness/analysis/studies/sides.h"
#include "harness/base/error.h"
#include "harness/cli/table.h"
#include "harness/cli/terminal.h"
#include "harness/store/store.h"

namespace scalestudy {

// One cell on one side, and the same cell on the side that this one is compared with.
struct SidePair {
  std::string cell;   // the cell's name without its side
  std::string hash;   // of the cell on `side`
  std::string label;  // of it
  std::string side;
  std::string against;
  std::optional<double> step_time_s;
  std::optional<double> step_time_s_against;
  ComparisonRow speedup;  // of `side`
};

// All pairs of a study, in the order of its cells; empty if it has no sides or its baseline is not
// one of them.
std::vector<SidePair> side_pairs(const Store& store, std::int64_t study_id, const Results& results);

// The pairs as a table: rounded, with a sentence on the method, in kTable and kMarkdown; with every
// number in full in kJson and kCsv.
std::string format_pairs(const std::vector<SidePair>& pairs, Format format);

// gate_verdicts() of the pairs.
ExitCode gate_pairs(const std::vector<SidePair>& pairs);

// The exit code of the study's targets; gate_pairs() of its sides if it has no targets. Tells what
// decides it, unless that is kDone.
ExitCode gate_study(const Study& study,
                    const Store& store,
                    std::int64_t study_id,
                    const Results& results,
                    Terminal& terminal);

// How often a limit on the step time would fire by chance, as lines after the verdicts; empty where
// no spread is known.
std::string gate_noise_text(const std::vector<const StudyObservation*>& sides,
                            const Study& study,
                            Format format);

struct PairsOptions {
  Format format = Format::kTable;
  bool gate = false;
};

// `compare STUDY`: prints the pairs of a stored study. Returns gate_pairs() of them if `gate` is
// set, else kDone. Throws Error{kUsage} if the study has no sides.
ExitCode compare_own_sides(const std::string& study,
                           const std::string& results,
                           const PairsOptions& options,
                           Terminal& terminal);

}  // namespace scalestudy
