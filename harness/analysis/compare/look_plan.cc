#include "harness/analysis/compare/look_plan.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/findings.h"
#include "harness/study/matrix/matrix.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the run goes on until the row has a verdict: a speedup, or a metric that the study asks
// for. Where a single seed fixes the values, more trials would say no more.
bool is_awaited(const ComparisonRow& row, const StudyObservation& observation, const Study& study) {
  if (row.quantity == kSpeedup) {
    return true;
  }
  if (find_request(study.analysis, row.quantity) == nullptr) {
    return false;
  }
  return seeds_of(study, observation.find_cell(row.cell_id)->row, row.quantity) != Seeds::kOne;
}

bool is_open(const ComparisonRow& row) {
  return row.verdict == Verdict::kNotEnoughData || is_loss(row.verdict) ||
         row.verdict == Verdict::kNoDetectableDifference;
}

}  // namespace

double LookTerms::two_sided(double p) const {
  return adjustment ? adjustment->two_sided(p) : p;
}

double LookTerms::one_sided(double p) const {
  return adjustment ? adjustment->one_sided(p) : p;
}

double LookTerms::level(double alpha) const {
  return adjustment ? adjustment->level(alpha) : alpha;
}

LookTerms look_terms(const Study& study, std::size_t blocks) {
  const double confidence = study.analysis.confidence;
  const std::vector<std::size_t> looks = planned_looks(study.trials);
  if (looks.empty()) {
    return {.confidence = confidence, .adjustment = nullptr};
  }
  const std::size_t planned = looks.back();
  const std::size_t now = std::clamp<std::size_t>(blocks, 1, planned);
  std::vector<std::size_t> made(looks.begin(), std::ranges::lower_bound(looks, now));
  made.push_back(now);
  // Each takes milliseconds, and all comparisons of a study ask for the same few.
  static std::mutex mutex;
  static std::map<std::tuple<double, std::size_t, std::vector<std::size_t>>, LookTerms> known;
  const std::lock_guard lock(mutex);
  LookTerms& terms = known[{confidence, planned, made}];
  if (!terms.adjustment) {
    terms.confidence = 1.0 - stats::look_levels(1.0 - confidence, made, planned).levels.back();
    terms.adjustment = std::make_shared<stats::LookAdjustment>(made, planned);
  }
  return terms;
}

std::set<std::int64_t> open_cells(StudyObservation observation,
                                  const Study& study,
                                  std::int64_t blocks) {
  for (CellObservation& cell : observation.cells) {
    std::erase_if(cell.trials,
                  [blocks](const TrialObservation& trial) { return trial.row.block >= blocks; });
  }
  std::set<std::int64_t> open;
  for (const ComparisonRow& row : compare_cells(observation, study)) {
    if (is_awaited(row, observation, study) && is_open(row)) {
      open.insert({row.cell_id, row.baseline_cell_id});
    }
  }
  std::set<std::string> hashes;
  for (const CellObservation& cell : observation.cells) {
    if (open.contains(cell.row.id)) {
      hashes.insert(cell.row.hash);
    }
  }
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.control_of && hashes.contains(*cell.row.control_of)) {
      open.insert(cell.row.id);
    }
    const bool is_asked = hashes.contains(cell.row.hash);
    if (const CellObservation* noop = is_asked ? noop_of(observation, cell) : nullptr) {
      open.insert(noop->row.id);
    }
  }
  return open;
}

std::vector<ThreatRow> look_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const std::vector<ComparisonRow>& comparisons) {
  const std::vector<std::size_t> looks = planned_looks(study.trials);
  if (looks.empty()) {
    return {};
  }
  const auto is_awaited_row = [&](const ComparisonRow& row) {
    return is_awaited(row, observation, study);
  };
  const auto awaited = std::ranges::count_if(comparisons, is_awaited_row);
  if (awaited == 0) {
    return {};
  }
  std::int64_t blocks = 0;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      blocks = std::max(blocks, trial.row.block + 1);
    }
  }
  std::vector<std::string> made;
  for (const std::size_t look : looks) {
    if (static_cast<std::int64_t>(look) <= blocks) {
      made.push_back(std::to_string(look));
    }
  }
  double confidence = study.analysis.confidence;
  for (const ComparisonRow& row : comparisons) {
    confidence = is_awaited_row(row) ? std::max(confidence, row.confidence) : confidence;
  }
  const auto open = std::ranges::count_if(
      comparisons, [&](const ComparisonRow& row) { return is_awaited_row(row) && is_open(row); });
  return {
      {ThreatKind::kAdaptive,
       open == 0 ? Severity::kNote : Severity::kWarning,
       fmt::format(
           "Cells run until their comparison is decided, {} to {} trials, looked at "
           "after {}: p values and intervals of comparisons allow for all looks "
           "(alpha spending), so that each interval has a confidence of up to {}, and all of them "
           "together that of {}. Decided: {} of {}.",
           study.trials.min,
           study.trials.count,
           made.empty() ? "none yet" : join(made, ", "),
           format_percent(std::round(1e3 * confidence) / 1e3),
           format_percent(study.analysis.confidence),
           awaited - open,
           awaited)}};
}

}  // namespace scalestudy
