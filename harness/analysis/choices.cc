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
  return families;
}

std::size_t pairs_among(const std::vector<Family>& families) {
  std::size_t pairs = 0;
  for (const Family& family : families) {
    pairs += family.size() * (family.size() - 1) / 2;
  }
  return pairs;
}

// Of what an hour of the cell costs, over that of the base.
double price_ratio(const CellRow& base, const CellRow& cell, const Study& study) {
  return hourly(study.cost, cell.devices, cell.nodes) /
         hourly(study.cost, base.devices, base.nodes);
}

bool differ_in_price(const Family& family, const Study& study) {
  return std::ranges::any_of(family, [&](const CellObservation* cell) {
    return price_ratio(family.front()->row, cell->row, study) != 1.0;
  });
}

// What of `families` the quantity is asked of.
std::vector<Family> asked_of(std::vector<Family> families,
                             const std::string& quantity,
                             const Study& study) {
  const bool is_per_node = study.cost && study.cost->price.per_node_hour > 0.0;
  const std::size_t least = quantity == kCheapest && is_per_node ? 2 : 3;
  std::erase_if(families, [&](const Family& family) {
    return family.size() < least || (quantity == kCheapest && !differ_in_price(family, study));
  });
  return families;
}

double factor_of(const std::string& quantity,
                 const CellRow& base,
                 const CellRow& cell,
                 const StudyObservation& observation,
                 const Study& study) {
  return work_ratio(base, cell, observation.study.scaling) /
         (quantity == kCheapest ? price_ratio(base, cell, study) : 1.0);
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
    return factor_of(quantity, family.front()->row, cell->row, observation, study) /
           *stats::mean(trial_means(*cell, kStepTime));
  };
  const CellObservation* best = *std::ranges::max_element(family, {}, worth);
  for (const CellObservation* cell : family) {
    if (cell == best) {
      continue;
    }
    const double factor = factor_of(quantity, best->row, cell->row, observation, study);
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
  std::vector<ComparisonRow> rows;
  for (const char* quantity : {kFastest, kCheapest}) {
    const std::vector<Family> families = asked_of(families_of(observation), quantity, study);
    const std::size_t pairs = pairs_among(families);
    for (const Family& family : families) {
      add_family(family, quantity, pairs, observation, study, rows);
    }
  }
  return rows;
}

}  // namespace scalestudy
