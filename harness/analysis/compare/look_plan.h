// The looks of a run that ends with its verdicts (trials: {min, max, for: verdicts}), and what they
// cost every p value and interval of its comparisons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "stats/sequential.h"

namespace scalestudy {

// What a comparison may claim after all looks planned before it (planned_looks of study); without
// looks, what any may.
struct LookTerms {
  double confidence = 0.95;  // of its interval, so that those of all looks hold at once with the
                             // confidence that the study declares
  std::shared_ptr<const stats::LookAdjustment> adjustment;  // absent without looks

  // p values adjusted for these looks.
  [[nodiscard]] double two_sided(double p) const;
  [[nodiscard]] double one_sided(double p) const;
};

// Of a comparison over the first `blocks` blocks; more than trials.max count as trials.max.
// Source: METHODS.md, Looks.
LookTerms look_terms(const Study& study, std::size_t blocks);

// The cells that a run for verdicts still has to measure after its first `blocks` blocks: those of
// comparisons by throughput, and by the metrics that the study asks for, that are neither faster,
// slower nor equivalent (better, worse), with their baselines and the controls of both; not those
// of what a single seed fixes (Seeds::kOne), which more trials do not change. Ids of the store.
// What is decided stays so at later looks: its trials are no more, and Holm's steps at a later look
// have smaller factors for it, not larger ones.
std::set<std::int64_t> open_cells(StudyObservation observation,
                                  const Study& study,
                                  std::int64_t blocks);

// The threat `adaptive` of a study that runs for verdicts: the looks made, and what is open.
std::vector<ThreatRow> look_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<ComparisonRow>& comparisons);

}  // namespace scalestudy
