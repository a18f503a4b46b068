// Tries every relation that could be meant: a figure follows when one of them gives what is
// printed.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "harness/audit/check/attempt.h"
#include "harness/audit/check/checks.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::audit {
namespace {

// Quantities that are taken for each other, each with what a figure is then called.
struct Taken {
  std::string_view quantity;
  std::string_view words;
};
constexpr auto kTakenFor = std::to_array<std::pair<Taken, Taken>>(
    {{{names::kSpeedup, "the speedup"}, {names::kEfficiency, "the efficiency"}},
     {{names::kThroughput, "the rate of all devices"},
      {names::kThroughputPerDevice, "the rate of one device"}},
     {{"algbw", "the algbw"}, {"busbw", "the busbw"}}});

double distance(const Attempt& attempt, const Range& printed) {
  const std::optional<double> gap = relative_gap(printed, *attempt.recomputed);
  return gap ? std::abs(*gap) : std::numeric_limits<double>::infinity();
}

void tell(Finding& finding, const Attempt& attempt, const Figure& printed) {
  finding.formula = attempt.relation->formula.text();
  if (attempt.sense == Sense::kAtLeast) {
    finding.formula = "at least " + finding.formula;
  }
  for (const Found& base : attempt.bases) {
    finding.bases.push_back(base.base);
  }
  compare(finding, printed, *attempt.recomputed, attempt.from_cut_off);
}

// Notes the figures that other formulas use which could be computed as well.
void tell_other_uses(Finding& finding, const std::vector<Attempt>& attempts, const Range& printed) {
  for (const Attempt& attempt : attempts) {
    for (const Found& base : attempt.recomputed ? attempt.bases : std::vector<Found>()) {
      finding.other_uses.push_back(
          {base.base.place, is_met_by(attempt, printed), attempt.relation->formula.text()});
    }
  }
}

struct Reason {
  std::string why;
  std::string needs;
};

// Why none of the attempts decides: by the one that came closest.
// - only: the relation to tell of, if any attempt is of it; nullptr: any.
Reason reason(const std::vector<Attempt>& attempts, const Relation* only) {
  const bool has_only = std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
    return attempt.relation == only;
  });
  const Attempt* closest = nullptr;
  for (const Attempt& attempt : attempts) {
    if (has_only && attempt.relation != only) {
      continue;
    }
    const bool is_closer = closest == nullptr || attempt.missing_count < closest->missing_count;
    if (attempt.is_ambiguous ? closest == nullptr || !closest->is_ambiguous || is_closer
                             : is_closer && (closest == nullptr || !closest->is_ambiguous)) {
      closest = &attempt;
    }
  }
  if (closest == nullptr) {
    return {"no relation knows such a figure, and none is declared",
            "say what it follows from (`follows`)"};
  }
  const std::string& formula = closest->relation->formula.text();
  if (!closest->problem.empty()) {
    return {fmt::format("{}: {}", formula, closest->problem), closest->needs};
  }
  if (closest->relation->sense == Sense::kAtLeast) {
    return {fmt::format("it is more than {}, as it may be", formula), "print what else is in it"};
  }
  return {fmt::format("it is not {}, but the document may mean something else", formula),
          "say how it is defined"};
}

const Attempt* nearest_of(const std::vector<Attempt>& attempts, const Range& printed) {
  const Attempt* nearest = nullptr;
  for (const Attempt& attempt : attempts) {
    if (contradicts(attempt, printed) &&
        (nearest == nullptr || distance(attempt, printed) < distance(*nearest, printed))) {
      nearest = &attempt;
    }
  }
  return nearest;
}

void tell_contradiction(Finding& finding,
                        const std::vector<Attempt>& attempts,
                        const Figure& printed) {
  constexpr std::size_t most_told = 3;
  const Attempt& nearest = *nearest_of(attempts, *printed.range);
  tell(finding, nearest, printed);
  std::vector<std::string> told{nearest.relation->formula.text(), finding.recomputed_text};
  const auto is_told = [&](const std::string& text) {
    return std::find(told.begin(), told.end(), text) != told.end();
  };
  for (const Attempt& attempt : attempts) {
    if (!contradicts(attempt, *printed.range) || told.size() > 2 * most_told) {
      continue;
    }
    const std::string text = range_text(printed, *attempt.recomputed);
    const std::string& formula = attempt.relation->formula.text();
    if (!is_told(text) && !is_told(formula)) {
      told.insert(told.end(), {formula, text});
      finding.why += fmt::format("; nor is it {} ({})", formula, text);
    }
  }
}

// "this is the efficiency", when the figure is what another quantity of its run is.
std::string mistaken_for(const Entry& target, const Ledger& ledger) {
  const std::string& quantity = target.figure.quantity;
  for (const auto& [one, other] : kTakenFor) {
    if (quantity != one.quantity && quantity != other.quantity) {
      continue;
    }
    const Taken& taken = quantity == one.quantity ? other : one;
    for (const Attempt& attempt : attempts_for(std::string(taken.quantity), target, ledger)) {
      if (attempt.mixed.empty() && is_met_by(attempt, *target.figure.figure.range)) {
        return fmt::format("this is {}", taken.words);
      }
    }
  }
  return "";
}

// The comparisons of mixed runs that figures of the target's column could follow from.
std::map<std::string, ComparisonTally> comparisons_of_column(const Entry& target,
                                                             const Ledger& ledger) {
  std::map<std::string, ComparisonTally> all;
  for (const Entry& entry : ledger.entries()) {
    if (entry.declared != target.declared) {
      continue;
    }
    std::map<std::string, bool> own;  // whether the figure follows
    for (const Attempt& attempt : attempts_for(entry.figure.quantity, entry, ledger)) {
      if (!attempt.mixed.empty()) {
        bool& is_met = own[comparison_of(attempt)];
        is_met = is_met || is_met_by(attempt, *entry.figure.figure.range);
      }
    }
    for (const auto& [comparison, is_met] : own) {
      ComparisonTally& tally = all[comparison];
      ++tally.tried;
      tally.met += is_met ? 1U : 0U;
    }
  }
  return all;
}

// Whether figures of the column follow from the comparison, two at least and more than do not: it
// is then the one that is meant.
bool is_usual(const Attempt& mixed, const Entry& target, CheckContext& context) {
  constexpr std::size_t fewest = 2;
  const auto [column, is_new] = context.mixed_comparisons.try_emplace(target.declared);
  if (is_new) {
    column->second = comparisons_of_column(target, context.ledger);
  }
  const auto found = column->second.find(comparison_of(mixed));
  return found != column->second.end() && found->second.met >= fewest &&
         2 * found->second.met > found->second.tried;
}

// Relations over runs that differ in more than they may, where no others are printed: that the
// figure follows from them, or that others of its column do, shows what the document compared.
void check_mixed(std::size_t index,
                 Finding finding,
                 const std::vector<Attempt>& mixed,
                 CheckContext& context) {
  const Entry& target = context.entry(index);
  const Figure& printed = target.figure.figure;
  const auto first = [&](const auto& test) {
    const auto found = std::find_if(mixed.begin(), mixed.end(), test);
    return found == mixed.end() ? nullptr : &*found;
  };
  const Attempt* met = first([&](const Attempt& one) { return is_met_by(one, *printed.range); });
  if (met == nullptr) {
    met = first([&](const Attempt& one) { return is_cut_off_by(one, printed); });
  }
  const Attempt* nearest = met == nullptr ? nearest_of(mixed, *printed.range) : nullptr;
  if (nearest != nullptr && is_usual(*nearest, target, context)) {
    met = nearest;
  }
  if (met == nullptr) {
    if (nearest != nullptr) {
      finding.why += fmt::format("; over the run that differs in {}: {}",
                                 nearest->mixed,
                                 range_text(printed, *nearest->recomputed));
    }
    context.add(index, std::move(finding));
    return;
  }
  Finding told = start_finding(context.dataset.name, target);
  tell(told, *met, printed);
  std::vector<Base> bases = told.bases;
  context.add(index, std::move(told));
  add_implausible(
      index,
      "one thing differs from the baseline",
      fmt::format("a comparison across {} as well: part of it may come from that", met->mixed),
      std::move(bases),
      context);
}

}  // namespace

void check_relations(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Figure& printed = target.figure.figure;
  std::vector<Attempt> attempts = attempts_for(target.figure.quantity, target, context.ledger);
  const auto first_mixed =
      std::stable_partition(attempts.begin(), attempts.end(), [](const Attempt& attempt) {
        return attempt.mixed.empty();
      });
  const std::vector<Attempt> mixed(first_mixed, attempts.end());
  attempts.erase(first_mixed, attempts.end());
  const QuantityInfo& info = *find_quantity(target.figure.quantity);
  const auto find = [&](const auto& test) {
    return std::find_if(attempts.begin(), attempts.end(), test);
  };
  const bool has_all_bases =
      find([](const Attempt& attempt) { return attempt.missing_count == 0; }) != attempts.end();
  if (!info.is_derived && !has_all_bases) {
    return;
  }
  Finding finding = start_finding(context.dataset.name, target);
  auto met = find([&](const Attempt& a) { return is_met_by(a, *printed.range); });
  if (met == attempts.end()) {
    met = find([&](const Attempt& a) { return is_cut_off_by(a, printed); });
  }
  if (met != attempts.end()) {
    tell(finding, *met, printed);
    tell_other_uses(finding, attempts, *printed.range);
  } else if (find([](const Attempt& a) { return a.is_ambiguous; }) != attempts.end() ||
             nearest_of(attempts, *printed.range) == nullptr) {
    const Attempt* compared = nearest_of(mixed, *printed.range);
    const auto [why, needs] = reason(attempts, compared == nullptr ? nullptr : compared->relation);
    leave_unchecked(finding, why, needs);
    check_mixed(index, std::move(finding), mixed, context);
    return;
  } else {
    tell_contradiction(finding, attempts, printed);
    finding.remark = mistaken_for(target, context.ledger);
  }
  context.add(index, std::move(finding));
}

}  // namespace scalestudy::audit
