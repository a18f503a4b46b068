#include "harness/analysis/choices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/analysis/comparisons.h"
#include "harness/analysis/ratios.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

using Family = std::vector<const CellObservation*>;

constexpr std::size_t kLeastMembers = 3;

bool is_member(const CellObservation& cell) {
  return cell.row.role == CellRole::kMeasured && !cell.row.oversubscribed &&
         !trial_means(cell, kStepTime).empty();
}

// Cells by their baseline, in the store's order.
std::vector<Family> families_of(const StudyObservation& observation) {
  std::map<std::string, std::size_t> places;
  std::vector<Family> families;
  for (const CellObservation& cell : observation.cells) {
    if (!is_member(cell) || !cell.row.baseline) {
      continue;
    }
    const auto [place, is_new] = places.emplace(*cell.row.baseline, families.size());
    if (is_new) {
      families.emplace_back();
    }
    families[place->second].push_back(&cell);
  }
  std::erase_if(families, [](const Family& family) { return family.size() < kLeastMembers; });
  return families;
}

std::size_t pairs_among(const std::vector<Family>& families) {
  std::size_t pairs = 0;
  for (const Family& family : families) {
    pairs += family.size() * (family.size() - 1) / 2;
  }
  return pairs;
}

bool differ_in_devices(const Family& family) {
  return std::ranges::any_of(family, [&](const CellObservation* cell) {
    return cell->row.devices != family.front()->row.devices;
  });
}

std::optional<double> allow_for(std::optional<double> p, std::size_t pairs) {
  return p ? std::optional(std::min(1.0, *p * static_cast<double>(pairs))) : std::nullopt;
}

// Each member but the best against the best.
void add_family(const Family& family,
                const std::string& quantity,
                std::size_t pairs,
                const StudyObservation& observation,
                const Study& study,
                std::vector<ComparisonRow>& rows) {
  const Scaling scaling = observation.study.scaling;
  const auto worth = [&](const CellObservation* cell) {
    return quantity_factor(quantity, family.front()->row, cell->row, scaling) /
           *stats::mean(trial_means(*cell, kStepTime));
  };
  const CellObservation* best = *std::ranges::max_element(family, {}, worth);
  for (const CellObservation* cell : family) {
    if (cell == best) {
      continue;
    }
    const double factor = quantity_factor(quantity, best->row, cell->row, scaling);
    Comparison comparison = compare_pair(*best, *cell, quantity, factor, study);
    comparison.family_size = pairs;
    comparison.row.p_adjusted = allow_for(comparison.row.p_value, pairs);
    comparison.row.equivalence_p_adjusted = allow_for(comparison.row.equivalence_p, pairs);
    judge(comparison, scaling);
    rows.push_back(std::move(comparison.row));
  }
}

}  // namespace

std::vector<ComparisonRow> compare_with_best(const StudyObservation& observation,
                                             const Study& study) {
  const std::vector<Family> families = families_of(observation);
  const std::size_t pairs = pairs_among(families);
  std::vector<ComparisonRow> rows;
  for (const Family& family : families) {
    add_family(family, kFastest, pairs, observation, study, rows);
    if (differ_in_devices(family)) {
      add_family(family, kCheapest, pairs, observation, study, rows);
    }
  }
  return rows;
}

}  // namespace scalestudy
