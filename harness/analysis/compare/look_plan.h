// The looks of a run that ends with its verdicts (trials: {min, max, for: verdicts}), and how p
// values and intervals of its comparisons allow for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "stats/sequential.h"

namespace scalestudy {

// The terms on which a comparison is judged at one of its planned looks (planned_looks of study).
struct LookTerms {
  // Confidence of its interval, so that the intervals of all looks hold at once with the confidence
  // that the study declares.
  double confidence = 0.95;
  std::shared_ptr<const stats::LookAdjustment> adjustment;  // null without looks

  // p values adjusted for these looks.
  [[nodiscard]] double two_sided(double p) const;
  [[nodiscard]] double one_sided(double p) const;

  // The unadjusted two-sided p whose adjusted p is alpha.
  [[nodiscard]] double level(double alpha) const;
};

// The terms of a comparison over the first `blocks` blocks; more than trials.max count as
// trials.max. Source: METHODS.md, Looks.
LookTerms look_terms(const Study& study, std::size_t blocks);

// Ids of the cells that a run for verdicts still has to measure after its first `blocks` blocks.
// They are the cells of undecided comparisons (neither faster, slower, better, worse nor
// equivalent) by throughput and by the metrics that the study asks for, with their baselines and
// the controls of both. Values that a single seed determines (Seeds::kOne) are left out: more
// trials do not change them. A decision holds at later looks: no trials are added to it, and Holm's
// steps at a later look have smaller factors for it, not larger ones.
std::set<std::int64_t> open_cells(StudyObservation observation,
                                  const Study& study,
                                  std::int64_t blocks);

// The threat `adaptive` of a study that runs for verdicts: the looks made, and what is undecided.
std::vector<ThreatRow> look_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
