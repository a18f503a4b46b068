#include "harness/analysis/compare/comparisons.h"

#include <array>
#include <map>
#include <string>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/cells/groups.h"
#include "harness/analysis/cells/row_status.h"
#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/compare/verdict_word.h"

namespace scalestudy {
namespace {

// A ratio of step times that is no speedup is not given as one: the counts alone are left.
stats::RatioInterval without_ratio(const stats::RatioInterval& interval) {
  stats::RatioInterval counts;
  counts.status = stats::Status::kInsufficientData;
  counts.n_a = interval.n_a;
  counts.n_b = interval.n_b;
  return counts;
}

}  // namespace

Comparison compare_pair(const CellObservation& base,
                        const CellObservation& cell,
                        const std::string& quantity,
                        double factor,
                        const Study& study,
                        const MetricRequest* request) {
  Comparison comparison;
  comparison.request = request;
  comparison.cell = &cell;
  comparison.base = &base;
  comparison.ratio = time_ratio(base, cell, factor, study, request);
  comparison.no_claim = why_no_claim(base, cell);
  if (request == nullptr && !has_known_work(base.row, cell.row, study)) {
    comparison.no_claim = comparison.no_claim.value_or(NoClaim{Verdict::kUnknownWork});
    comparison.ratio.interval = without_ratio(comparison.ratio.interval);
    comparison.ratio.equivalence_p.reset();
  }
  if (!comparison.no_claim) {
    comparison.no_claim = why_lost(base, cell);
  }
  comparison.is_of_seeds =
      request != nullptr && seeds_of(study, cell.row, request->metric) == Seeds::kOfBlock;
  const stats::RatioInterval& interval = comparison.ratio.interval;
  const stats::Estimate estimate = quantity_of(quantity, interval);
  ComparisonRow& row = comparison.row;
  row.cell_id = cell.row.id;
  row.baseline_cell_id = base.row.id;
  row.quantity = quantity;
  row.value = estimate.value;
  row.lo = estimate.lo;
  row.hi = estimate.hi;
  comparison.alpha = 1.0 - study.analysis.confidence;
  row.confidence = comparison.ratio.looks.confidence;
  row.p_value = interval.p;
  row.equivalence_p = comparison.ratio.equivalence_p;
  row.method = comparison.ratio.method;
  row.n = static_cast<std::int64_t>(interval.n_b);
  row.n_baseline = static_cast<std::int64_t>(interval.n_a);
  row.margin = margin_of(study, request);
  row.status = row_status(interval.status);
  row.trials = comparison.ratio.trials;
  row.baseline_trials = comparison.ratio.base_trials;
  return comparison;
}

namespace {

using CellsByHash = std::map<std::string, const CellObservation*>;

// The controls of that role by the hash of what they are of; of kMeasured those themselves.
CellsByHash cells_of(const StudyObservation& observation, CellRole role) {
  CellsByHash cells;
  for (const CellObservation& cell : observation.cells) {
    if (cell.row.role == role && (role == CellRole::kMeasured || cell.row.control_of)) {
      cells.emplace(role == CellRole::kMeasured ? cell.row.hash : *cell.row.control_of, &cell);
    }
  }
  const bool has_noops = role == CellRole::kNoop && !cells.empty();
  for (const CellObservation& cell : observation.cells) {
    const bool may_share =
        has_noops && cell.row.role == CellRole::kMeasured && !cells.contains(cell.row.hash);
    if (const CellObservation* noop = may_share ? noop_of(observation, cell) : nullptr) {
      cells.emplace(cell.row.hash, noop);
    }
  }
  return cells;
}

std::vector<Comparison> speedups(const StudyObservation& observation, const Study& study) {
  std::vector<Comparison> comparisons;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (cell.row.role == CellRole::kMeasured && base != nullptr && base != &cell) {
      const double work = quantity_factor(kSpeedup, base->row, cell.row, observation.study.scaling);
      comparisons.push_back(compare_pair(*base, cell, kSpeedup, work, study));
      comparisons.back().no_efficiency = why_no_efficiency(*base, cell, observation, study);
    }
  }
  return comparisons;
}

std::vector<Comparison> efficiencies(const StudyObservation& observation, const Study& study) {
  std::vector<Comparison> comparisons;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (cell.row.role == CellRole::kMeasured && base != nullptr &&
        has_efficiency(*base, cell, observation, study)) {
      const double per_device =
          quantity_factor(kEfficiency, base->row, cell.row, observation.study.scaling);
      comparisons.push_back(compare_pair(*base, cell, kEfficiency, per_device, study));
    }
  }
  return comparisons;
}

// Each measured cell, or that control of it, against another control of it.
std::vector<Comparison> against_control(const StudyObservation& observation,
                                        const Study& study,
                                        CellRole role,
                                        CellRole base_role,
                                        const std::string& quantity) {
  std::vector<Comparison> comparisons;
  const CellsByHash cells = cells_of(observation, role);
  const CellsByHash bases = cells_of(observation, base_role);
  for (const CellObservation& measured : observation.cells) {
    const auto cell = cells.find(measured.row.hash);
    const auto base = bases.find(measured.row.hash);
    if (measured.row.role == CellRole::kMeasured && cell != cells.end() && base != bases.end()) {
      comparisons.push_back(compare_pair(*base->second, *cell->second, quantity, 1.0, study));
    }
  }
  return comparisons;
}

std::vector<Comparison> overheads(const StudyObservation& observation, const Study& study) {
  return against_control(observation, study, CellRole::kMeasured, CellRole::kNoop, kOverhead);
}

std::vector<Comparison> synchronizations(const StudyObservation& observation, const Study& study) {
  return against_control(observation, study, CellRole::kBarrier, CellRole::kNoop, kSynchronization);
}

std::vector<Comparison> transfers(const StudyObservation& observation, const Study& study) {
  return against_control(observation, study, CellRole::kMeasured, CellRole::kBarrier, kTransfer);
}

std::vector<Comparison> overlap_gains(const StudyObservation& observation, const Study& study) {
  return against_control(
      observation, study, CellRole::kMeasured, CellRole::kStartWait, kOverlapGain);
}

// Controls of that role against what they repeat.
std::vector<Comparison> repeated(const StudyObservation& observation,
                                 const Study& study,
                                 CellRole role,
                                 const std::string& quantity) {
  std::vector<Comparison> comparisons;
  for (const CellObservation& control : observation.cells) {
    const CellObservation* base = observation.find_cell(control.row.control_of);
    if (control.row.role == role && base != nullptr) {
      comparisons.push_back(compare_pair(*base, control, quantity, 1.0, study));
    }
  }
  return comparisons;
}

std::vector<Comparison> second_names(const StudyObservation& observation, const Study& study) {
  return repeated(observation, study, CellRole::kAa, kAa);
}

std::vector<Comparison> device_matches(const StudyObservation& observation, const Study& study) {
  return repeated(observation, study, CellRole::kDeviceMatch, kDeviceMatch);
}

// Bytes that are the same in all trials do not hang on how fast ranks get on, as bytes that vary
// may, and times that a program prints coarsely do. A setting in doubt stays one.
void allow_exact_bytes(Comparison& comparison, const StudyObservation& observation) {
  const auto unit = observation.units.find(comparison.request->metric);
  if (comparison.no_claim && unit != observation.units.end() && unit->second == "bytes" &&
      is_exact(comparison) &&
      (comparison.no_claim->verdict == Verdict::kNoClaim ||
       comparison.no_claim->verdict == Verdict::kSoftwareType)) {
    comparison.no_claim.reset();
  }
}

// Each measured cell against its baseline by a metric that the study asks for.
std::vector<Comparison> by_metric(const StudyObservation& observation,
                                  const Study& study,
                                  const MetricRequest& request) {
  std::vector<Comparison> comparisons;
  for (const CellObservation& cell : observation.cells) {
    const CellObservation* base = observation.find_cell(cell.row.baseline);
    if (cell.row.role == CellRole::kMeasured && base != nullptr && base != &cell) {
      comparisons.push_back(compare_pair(*base, cell, request.metric, 1.0, study, &request));
      allow_exact_bytes(comparisons.back(), observation);
    }
  }
  return comparisons;
}

using MakeFamily = std::vector<Comparison> (*)(const StudyObservation&, const Study&);

// The quantities in the order of their rows.
constexpr auto kFamilies =
    std::to_array<std::pair<const char*, MakeFamily>>({{kSpeedup, speedups},
                                                       {kEfficiency, efficiencies},
                                                       {kOverhead, overheads},
                                                       {kSynchronization, synchronizations},
                                                       {kTransfer, transfers},
                                                       {kOverlapGain, overlap_gains},
                                                       {kAa, second_names},
                                                       {kDeviceMatch, device_matches}});

}  // namespace

std::vector<Comparison> family_of(const std::string& quantity,
                                  const StudyObservation& observation,
                                  const Study& study) {
  for (const auto& [name, make] : kFamilies) {
    if (name == quantity) {
      return make(observation, study);
    }
  }
  const MetricRequest* request = find_request(study.analysis, quantity);
  return request == nullptr ? std::vector<Comparison>() : by_metric(observation, study, *request);
}

std::vector<ComparisonRow> compare_cells(const StudyObservation& observation, const Study& study) {
  std::vector<std::string> quantities;
  for (const auto& [name, make] : kFamilies) {
    quantities.emplace_back(name);
  }
  for (const MetricRequest& request : study.analysis.metrics) {
    quantities.push_back(request.metric);
  }
  std::vector<ComparisonRow> rows;
  for (const std::string& quantity : quantities) {
    for (ComparisonRow& row : judge_family(family_of(quantity, observation, study),
                                           observation.study.scaling,
                                           verdict_rule(quantity, observation, study))) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace scalestudy
