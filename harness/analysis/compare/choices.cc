#include "harness/analysis/compare/choices.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/analysis/cells/claims.h"
#include "harness/analysis/cells/efficiency.h"
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/store/cell_parameters.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

// Cells under the same conditions that share a baseline.
struct Family {
  std::vector<const CellObservation*> cells;

  // False where the baseline is under other conditions, has no result, or is not to be chosen.
  [[nodiscard]] bool has_base() const {
    return std::ranges::any_of(
        cells, [](const CellObservation* cell) { return cell->row.baseline == cell->row.hash; });
  }
  bool operator==(const Family&) const = default;
};

// A stored time that is none makes the mean NaN, which has no place in an order.
bool is_comparable(const CellObservation& cell) {
  return has_claim(cell) && stats::mean(trial_means(cell, kStepTime)).value_or(0.0) > 0.0;
}

// A batch that does not fit in all trials, or was only probed, is not chosen.
bool is_member(const CellObservation& cell, const Study& study) {
  return !is_probe(cell, study) && cell.row.role == CellRole::kMeasured && is_comparable(cell);
}

// Cells by their baseline and conditions, in the store's order.
std::vector<Family> families_of(const StudyObservation& observation, const Study& study) {
  std::map<std::pair<std::string, std::map<std::string, std::string>>, std::size_t> places;
  std::vector<Family> families;
  for (const CellObservation& cell : observation.cells) {
    if (!is_member(cell, study) || !cell.row.baseline) {
      continue;
    }
    const auto [place, is_new] = places.emplace(
        std::pair(*cell.row.baseline, conditions_of(cell.row, study)), families.size());
    if (is_new) {
      families.emplace_back();
    }
    families[place->second].cells.push_back(&cell);
  }
  return families;
}

// What is asked: throughput alone, or what a price makes of it.
struct Choosing {
  std::string quantity;
  bool is_of_cost = false;
  const Price* price = nullptr;  // nullptr: device time
  const Price* first = nullptr;  // of another price: what it asks only where the two rank otherwise
};

// Of what an hour of the cell costs, over that of the base.
double price_ratio(const CellRow& base, const CellRow& cell, const Choosing& question) {
  return hourly(question.price, cell.devices, cell.nodes) /
         hourly(question.price, base.devices, base.nodes);
}

bool differ_in_price(const Family& family, const Choosing& question) {
  return std::ranges::any_of(family.cells, [&](const CellObservation* cell) {
    return price_ratio(family.cells.front()->row, cell->row, question) != 1.0;
  });
}

// Whether cells differ in the other price by the same factors as in the first.
bool is_asked_already(const Family& family, const Choosing& question) {
  const CellRow& first = family.cells.front()->row;
  return question.first != nullptr &&
         std::ranges::all_of(family.cells, [&](const CellObservation* cell) {
           return is_proportional(*question.first,
                                  *question.price,
                                  {first.devices, first.nodes},
                                  {cell->row.devices, cell->row.nodes});
         });
}

// Whether a cell of the family has no efficiency, which would say what is cheaper.
bool lacks_efficiency(const Family& family,
                      const StudyObservation& observation,
                      const Study& study) {
  return std::ranges::any_of(family.cells, [&](const CellObservation* cell) {
    const CellObservation* base = observation.find_cell(cell->row.baseline);
    return base != nullptr && !why_no_efficiency(*base, *cell, observation, study).empty();
  });
}

// What of `families` the quantity is asked of. Of two cells their verdict says it all, if one of
// them is the baseline.
std::vector<Family> asked_of(std::vector<Family> families,
                             const Choosing& question,
                             const StudyObservation& observation,
                             const Study& study) {
  const bool is_per_node = question.price != nullptr && question.price->per_node_hour > 0.0;
  const bool is_of_two = question.is_of_cost && (is_per_node || question.first != nullptr);
  std::erase_if(families, [&](const Family& family) {
    if (family.cells.size() < 2 || is_asked_already(family, question) ||
        (question.is_of_cost && !differ_in_price(family, question))) {
      return true;
    }
    return family.cells.size() == 2 && !is_of_two && family.has_base() &&
           !(question.is_of_cost && lacks_efficiency(family, observation, study));
  });
  return families;
}

double factor_of(const Choosing& question,
                 const CellRow& base,
                 const CellRow& cell,
                 const StudyObservation& observation) {
  return work_ratio(base, cell, observation.study.scaling) /
         (question.is_of_cost ? price_ratio(base, cell, question) : 1.0);
}

// What of them is certain to keep every limit.
std::vector<Family> kept_of(std::vector<Family> families, const Results& results) {
  std::set<std::int64_t> doubted;
  for (const TargetResultRow& row : results.targets) {
    if (is_limit(row) && row.cell_id && row.verdict != TargetVerdict::kMet) {
      doubted.insert(*row.cell_id);
    }
  }
  for (Family& family : families) {
    std::erase_if(family.cells,
                  [&](const CellObservation* cell) { return doubted.contains(cell->row.id); });
  }
  return families;
}

// Comparisons with the best of each group.
std::size_t count_choosing(const std::vector<Family>& families) {
  std::size_t comparisons = 0;
  for (const Family& family : families) {
    comparisons += family.cells.size() - 1;
  }
  return comparisons;
}

// Whether samples for the same cost rank cells as efficiency does: each device costs the same.
bool is_by_device(const Choosing& question) {
  return question.is_of_cost && (question.price == nullptr || question.price->per_node_hour == 0.0);
}

Choosing choosing_of(const std::string& quantity, const Study& study) {
  return quantity == kSpeedup ? Choosing{.quantity = kFastest}
                              : Choosing{.quantity = std::string(kCheapest),
                                         .is_of_cost = true,
                                         .price = study.cost ? &study.cost->price : nullptr};
}

// Comparisons of one question, judged among `all`.
class Duels {
 public:
  Duels(const Choosing& question,
        std::size_t all,
        const StudyObservation& observation,
        const Study& study)
      : question_(question), all_(all), observation_(observation), study_(study) {}

  [[nodiscard]] Comparison make(const CellObservation& base, const CellObservation& cell) const {
    const double factor = factor_of(question_, base.row, cell.row, observation_);
    Comparison comparison = compare_pair(base, cell, question_.quantity, factor, study_);
    allow_for(comparison, all_);
    return comparison;
  }

  // Whether the verdict is that the cell is worse than the other.
  [[nodiscard]] bool is_beaten(const CellObservation& cell, const CellObservation& by) const {
    const Comparison comparison = make(by, cell);
    const ComparisonRow& row = comparison.row;
    return row.value < 1.0 && row.p_adjusted.value_or(1.0) < comparison.alpha &&
           !(row.equivalence_p_adjusted.value_or(1.0) < comparison.alpha);
  }

 private:
  const Choosing& question_;
  std::size_t all_;
  const StudyObservation& observation_;
  const Study& study_;
};

// The highest by its mean that is not worse than the base by its verdict: means are of all trials,
// verdicts of common blocks.
const CellObservation* best_of(const Family& family,
                               const CellObservation* base,
                               const Choosing& question,
                               const Duels& duels,
                               const StudyObservation& observation) {
  const CellRow& first = family.cells.front()->row;
  const auto worth = [&](const CellObservation* cell) {
    return factor_of(question, first, cell->row, observation) /
           *stats::mean(trial_means(*cell, kStepTime));
  };
  std::vector<const CellObservation*> ranked = family.cells;
  std::ranges::stable_sort(ranked, std::ranges::greater(), worth);
  const auto found = std::ranges::find_if(ranked, [&](const CellObservation* cell) {
    return base == nullptr || cell == base || !duels.is_beaten(*cell, *base);
  });
  return found == ranked.end() ? ranked.front() : *found;
}

// Each member but the best against the best; or against the base, or the base against a cell, where
// that alone excludes it.
void add_family(const Family& family,
                const Choosing& question,
                const Duels& duels,
                const StudyObservation& observation,
                std::vector<ComparisonRow>& rows) {
  const CellObservation* of_family = observation.find_cell(family.cells.front()->row.baseline);
  const bool has_base = std::ranges::find(family.cells, of_family) != family.cells.end();
  const CellObservation* base = has_base ? of_family : nullptr;
  const CellObservation* best = best_of(family, base, question, duels, observation);
  for (const CellObservation* cell : family.cells) {
    if (cell == best) {
      continue;
    }
    const CellObservation* against = best;
    if (base != nullptr && !duels.is_beaten(*cell, *best)) {
      const auto excludes = [&](const CellObservation* other) {
        return other != cell && (cell == base || other == base) && duels.is_beaten(*cell, *other);
      };
      const auto found = std::ranges::find_if(family.cells, excludes);
      against = found == family.cells.end() ? best : *found;
    }
    Comparison comparison = duels.make(*against, *cell);
    judge(comparison, observation.study.scaling);
    rows.push_back(std::move(comparison.row));
  }
}

// The comparisons that the choice is made among.
std::size_t size_of(const Choosing& question,
                    const std::vector<Family>& asked,
                    const StudyObservation& observation,
                    const Study& study) {
  const std::string verdicts = question.quantity == kFastest    ? kSpeedup
                               : question.quantity == kCheapest ? kEfficiency
                                                                : "";
  const std::optional<std::size_t> all = verdicts_and_choices(verdicts, observation, study);
  return all ? *all + verdict_rule(verdicts, observation, study).more : count_choosing(asked);
}

}  // namespace

std::optional<std::size_t> verdicts_and_choices(const std::string& quantity,
                                                const StudyObservation& observation,
                                                const Study& study) {
  if (study.search || (quantity != kSpeedup && quantity != kEfficiency)) {
    return std::nullopt;
  }
  const Choosing question = choosing_of(quantity, study);
  if (question.is_of_cost && !is_by_device(question)) {
    return std::nullopt;
  }
  const std::vector<Family> families = families_of(observation, study);
  const std::vector<Family> asked = asked_of(families, question, observation, study);
  if (asked.empty()) {
    return std::nullopt;
  }
  std::size_t all = 0;
  for (const Family& family : families) {
    const bool is_asked =
        std::ranges::any_of(asked, [&](const Family& one) { return one == family; });
    const CellObservation* base = observation.find_cell(family.cells.front()->row.baseline);
    const bool has_verdicts = base != nullptr && is_comparable(*base);
    const std::size_t besides = family.cells.size() - (family.has_base() ? 1 : 0);
    all += (has_verdicts ? besides : 0) + (is_asked ? besides - 1 : 0);
  }
  return all;
}

std::vector<ComparisonRow> compare_with_best(const StudyObservation& observation,
                                             const Study& study,
                                             const Results& results) {
  const Price* first = study.cost ? &study.cost->price : nullptr;
  std::vector<Choosing> questions = {{.quantity = kFastest}, {std::string(kCheapest), true, first}};
  if (first != nullptr) {
    for (const Price& price : study.cost->others) {
      questions.push_back({cheapest_at(price), true, &price, first});
    }
  }
  std::vector<ComparisonRow> rows;
  for (const Choosing& question : questions) {
    const std::vector<Family> all_families = families_of(observation, study);
    const auto asked = [&](const std::vector<Family>& families) {
      return asked_of(families, question, observation, study);
    };
    const std::size_t all = size_of(question, asked(all_families), observation, study);
    for (const Family& family : asked(kept_of(all_families, results))) {
      add_family(family, question, Duels(question, all, observation, study), observation, rows);
    }
  }
  return rows;
}

}  // namespace scalestudy
