// Tries every relation that could be meant: a figure follows when one of them gives what is
// printed.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/audit/checks.h"
#include "harness/audit/quantity.h"
#include "harness/audit/relation.h"

namespace scalestudy::audit {
namespace {

// One relation tried on one figure.
struct Attempt {
  const Relation* relation = nullptr;
  Sense sense = Sense::kEqual;
  std::vector<Found> bases;
  std::optional<Range> recomputed;
  std::size_t missing_count = 0;
  std::string problem;  // why there is nothing recomputed
  bool is_ambiguous = false;
};

constexpr std::string_view kBaselinePrefix = "baseline ";

enum class Known { kYes, kNo, kUnsaid };

// Whether a throughput counts tokens, by its unit; unsaid when it has none.
Known counts_tokens(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos || slash == 0) {
    return Known::kUnsaid;
  }
  return unit.find("tok") != std::string::npos ? Known::kYes : Known::kNo;
}

// Whether the figure's run has the same value of a batch as its baseline.
Known keeps(const Entry& target, const std::string& batch, const Ledger& ledger) {
  const Search here = ledger.find(target, batch);
  const Search there = ledger.find_baseline(target, batch);
  if (!here.found || !there.found) {
    return Known::kUnsaid;
  }
  return here.found->range.lo == there.found->range.lo ? Known::kYes : Known::kNo;
}

Known is_scaling(const Entry& target, bool strong, const Ledger& ledger) {
  const auto said = target.figure.conditions.find("scaling");
  if (said != target.figure.conditions.end()) {
    return (said->second == "strong") == strong ? Known::kYes : Known::kNo;
  }
  const Known global = keeps(target, "batch_global", ledger);
  const Known per_device = keeps(target, "batch_per_device", ledger);
  const Known wanted = strong ? global : per_device;
  const Known other = strong ? per_device : global;
  // At the baseline itself both are kept, and both formulas give 1.
  return wanted == Known::kUnsaid && other == Known::kYes ? Known::kNo : wanted;
}

Known is_operation(const Entry& target, std::initializer_list<std::string_view> operations) {
  const auto said = target.figure.conditions.find("operation");
  if (said == target.figure.conditions.end()) {
    return Known::kUnsaid;
  }
  std::string plain;
  for (const char c : said->second) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return std::find(operations.begin(), operations.end(), plain) != operations.end() ? Known::kYes
                                                                                    : Known::kNo;
}

Known is_met(const Attempt& attempt, const Entry& target, const Ledger& ledger) {
  switch (attempt.relation->requirement) {
    case Requirement::kNone:
      return Known::kYes;
    case Requirement::kStrong:
      return is_scaling(target, true, ledger);
    case Requirement::kWeak:
      return is_scaling(target, false, ledger);
    case Requirement::kAllReduce:
      return is_operation(target, {"allreduce"});
    case Requirement::kGather:
      return is_operation(target, {"allgather", "reducescatter", "alltoall"});
    case Requirement::kRooted:
      return is_operation(target, {"broadcast", "reduce"});
    case Requirement::kSamples:
    case Requirement::kTokens:
      break;
  }
  std::string unit = target.figure.figure.unit;
  const std::vector<std::string>& names = attempt.relation->formula.names();
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    if (names[i] == "throughput") {
      unit = attempt.bases[i].unit;
    }
  }
  const Known tokens = counts_tokens(unit);
  if (tokens == Known::kUnsaid || attempt.relation->requirement == Requirement::kTokens) {
    return tokens;
  }
  return tokens == Known::kYes ? Known::kNo : Known::kYes;
}

void find_bases(Attempt& attempt, const Entry& target, const Ledger& ledger) {
  for (const std::string& name : attempt.relation->formula.names()) {
    const bool is_baseline = name.starts_with(kBaselinePrefix);
    Search search = is_baseline ? ledger.find_baseline(target, name.substr(kBaselinePrefix.size()))
                                : ledger.find(target, name);
    if (search.found) {
      attempt.bases.push_back(std::move(*search.found));
      continue;
    }
    ++attempt.missing_count;
    attempt.is_ambiguous = attempt.is_ambiguous || search.is_ambiguous;
    if (attempt.problem.empty()) {
      attempt.problem = search.problem;
    }
  }
}

void recompute(Attempt& attempt) {
  std::vector<Range> ranges;
  std::vector<std::size_t> same_as;
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    const Found& base = attempt.bases[i];
    if (!base.range.is_bounded()) {
      attempt.problem = fmt::format("{} ({}) is only a bound", base.base.figure, base.base.printed);
      return;
    }
    const auto earlier = std::find_if(attempt.bases.begin(),
                                      attempt.bases.end(),
                                      [&](const Found& f) { return f.id == base.id; });
    same_as.push_back(static_cast<std::size_t>(earlier - attempt.bases.begin()));
    ranges.push_back(base.range);
  }
  const Range range = attempt.relation->formula.range(ranges, same_as);
  if (range.is_bounded()) {
    attempt.recomputed = range;
  } else {
    attempt.problem = "a divisor may be zero within its rounding";
  }
}

// Nothing when the relation is not meant for such a figure.
std::optional<Attempt> attempt_relation(const Relation& relation,
                                        const Entry& target,
                                        const Ledger& ledger) {
  Attempt attempt;
  attempt.relation = &relation;
  attempt.sense = relation.sense;
  find_bases(attempt, target, ledger);
  const Known met = is_met(attempt, target, ledger);
  if (met == Known::kNo) {
    return std::nullopt;
  }
  if (met == Known::kUnsaid) {
    attempt.sense = Sense::kMayBe;
  }
  if (attempt.missing_count == 0) {
    recompute(attempt);
  }
  return attempt;
}

bool is_met_by(const Attempt& attempt, const Range& printed) {
  return attempt.recomputed && meet(printed, *attempt.recomputed);
}

bool contradicts(const Attempt& attempt, const Range& printed) {
  if (!attempt.recomputed || meet(printed, *attempt.recomputed)) {
    return false;
  }
  return attempt.sense == Sense::kEqual ||
         (attempt.sense == Sense::kAtLeast && printed.hi < attempt.recomputed->lo);
}

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
  if (attempt.recomputed) {
    compare(finding, printed, *attempt.recomputed);
  }
}

// Why none of the attempts decides: by the one that came closest.
std::string reason(const std::vector<Attempt>& attempts) {
  const Attempt* closest = nullptr;
  for (const Attempt& attempt : attempts) {
    const bool is_closer = closest == nullptr || attempt.missing_count < closest->missing_count;
    if (attempt.is_ambiguous ? closest == nullptr || !closest->is_ambiguous || is_closer
                             : is_closer && (closest == nullptr || !closest->is_ambiguous)) {
      closest = &attempt;
    }
  }
  if (closest == nullptr) {
    return "no relation knows such a figure, and none is declared";
  }
  if (!closest->problem.empty()) {
    return fmt::format("{}: {}", closest->relation->formula.text(), closest->problem);
  }
  return closest->sense == Sense::kAtLeast
             ? fmt::format("it is more than {}, as it may be", closest->relation->formula.text())
             : fmt::format("it is not {}, but the document may mean something else",
                           closest->relation->formula.text());
}

void tell_contradiction(Finding& finding,
                        const std::vector<Attempt>& attempts,
                        const Figure& printed) {
  const Attempt* nearest = nullptr;
  for (const Attempt& attempt : attempts) {
    if (contradicts(attempt, *printed.range) &&
        (nearest == nullptr ||
         distance(attempt, *printed.range) < distance(*nearest, *printed.range))) {
      nearest = &attempt;
    }
  }
  tell(finding, *nearest, printed);
  for (const Attempt& attempt : attempts) {
    const std::string text =
        attempt.recomputed ? range_text(printed, *attempt.recomputed) : std::string();
    if (contradicts(attempt, *printed.range) && text != finding.recomputed_text) {
      finding.why += fmt::format("; nor is it {} ({})", attempt.relation->formula.text(), text);
    }
  }
}

}  // namespace

void check_relations(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Figure& printed = target.figure.figure;
  std::vector<Attempt> attempts;
  for (const Relation& relation : relations()) {
    if (relation.target == target.figure.quantity) {
      if (auto attempt = attempt_relation(relation, target, context.ledger)) {
        attempts.push_back(std::move(*attempt));
      }
    }
  }
  const QuantityInfo& info = *find_quantity(target.figure.quantity);
  const auto any = [&](const auto& test) {
    return std::any_of(attempts.begin(), attempts.end(), test);
  };
  const bool has_all_bases = any([](const Attempt& attempt) { return attempt.missing_count == 0; });
  if (!info.is_derived && !has_all_bases) {
    return;
  }
  Finding finding = start_finding(context.dataset.name, target);
  const auto met = std::find_if(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
    return is_met_by(attempt, *printed.range);
  });
  if (met != attempts.end()) {
    tell(finding, *met, printed);
  } else if (any([](const Attempt& attempt) { return attempt.is_ambiguous; }) ||
             !any([&](const Attempt& a) { return contradicts(a, *printed.range); })) {
    leave_unchecked(finding, reason(attempts));
  } else {
    tell_contradiction(finding, attempts, printed);
  }
  context.add(index, std::move(finding));
}

}  // namespace scalestudy::audit
