#include "harness/analysis/compare/choices.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/ratios.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

using Family = std::vector<const CellObservation*>;

// A stored time that is none makes the mean NaN, which has no place in an order.
bool is_member(const CellObservation& cell) {
  return cell.row.role == CellRole::kMeasured && has_claim(cell) &&
         stats::mean(trial_means(cell, kStepTime)).value_or(0.0) > 0.0;
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

// What is asked: throughput alone, or what a price makes of it.
struct Question {
  std::string quantity;
  bool is_of_cost = false;
  const Price* price = nullptr;  // nullptr: device time
  const Price* first = nullptr;  // of another price: what it asks only where the two rank otherwise
};

// Of what an hour of the cell costs, over that of the base.
double price_ratio(const CellRow& base, const CellRow& cell, const Question& question) {
  return hourly(question.price, cell.devices, cell.nodes) /
         hourly(question.price, base.devices, base.nodes);
}

bool differ_in_price(const Family& family, const Question& question) {
  return std::ranges::any_of(family, [&](const CellObservation* cell) {
    return price_ratio(family.front()->row, cell->row, question) != 1.0;
  });
}

// Whether cells differ in the other price by the same factors as in the first.
bool is_asked_already(const Family& family, const Question& question) {
  return question.first != nullptr && std::ranges::all_of(family, [&](const CellObservation* cell) {
           return is_proportional(*question.first,
                                  *question.price,
                                  {family.front()->row.devices, family.front()->row.nodes},
                                  {cell->row.devices, cell->row.nodes});
         });
}

// What of `families` the quantity is asked of.
std::vector<Family> asked_of(std::vector<Family> families, const Question& question) {
  const bool is_per_node = question.price != nullptr && question.price->per_node_hour > 0.0;
  const bool is_of_two = question.is_of_cost && (is_per_node || question.first != nullptr);
  const std::size_t least = is_of_two ? 2 : 3;
  std::erase_if(families, [&](const Family& family) {
    return family.size() < least || is_asked_already(family, question) ||
           (question.is_of_cost && !differ_in_price(family, question));
  });
  return families;
}

double factor_of(const Question& question,
                 const CellRow& base,
                 const CellRow& cell,
                 const StudyObservation& observation) {
  return work_ratio(base, cell, observation.study.scaling) /
         (question.is_of_cost ? price_ratio(base, cell, question) : 1.0);
}

std::optional<double> allow_for(std::optional<double> p, std::size_t pairs) {
  return p ? std::optional(std::min(1.0, *p * static_cast<double>(pairs))) : std::nullopt;
}

// Each member but the best against the best.
void add_family(const Family& family,
                const Question& question,
                std::size_t pairs,
                const StudyObservation& observation,
                const Study& study,
                std::vector<ComparisonRow>& rows) {
  const Scaling scaling = observation.study.scaling;
  const auto worth = [&](const CellObservation* cell) {
    return factor_of(question, family.front()->row, cell->row, observation) /
           *stats::mean(trial_means(*cell, kStepTime));
  };
  const CellObservation* best = *std::ranges::max_element(family, {}, worth);
  for (const CellObservation* cell : family) {
    if (cell == best) {
      continue;
    }
    const double factor = factor_of(question, best->row, cell->row, observation);
    Comparison comparison = compare_pair(*best, *cell, question.quantity, factor, study);
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
  const Price* first = study.cost ? &study.cost->price : nullptr;
  std::vector<Question> questions = {{.quantity = kFastest}, {std::string(kCheapest), true, first}};
  if (first != nullptr) {
    for (const Price& price : study.cost->others) {
      questions.push_back({cheapest_at(price), true, &price, first});
    }
  }
  std::vector<ComparisonRow> rows;
  for (const Question& question : questions) {
    const std::vector<Family> families = asked_of(families_of(observation), question);
    const std::size_t pairs = pairs_among(families);
    for (const Family& family : families) {
      add_family(family, question, pairs, observation, study, rows);
    }
  }
  return rows;
}

}  // namespace scalestudy
