// Finds the bases of relations, every choice of them.
#include "harness/audit/check/attempt.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/check/finding.h"
#include "harness/audit/figure/quantity.h"
#include "workloads/names/names.h"
#include "workloads/names/operations.h"

namespace scalestudy::audit {
namespace {

constexpr std::size_t kMostChoices = 64;
constexpr std::string_view kBaselinePrefix = "baseline ";
constexpr std::string_view kBaselineSpeedup = "baseline speedup";

enum class Known { kYes, kNo, kUnsaid };

// Whether a throughput counts tokens, by its unit; unsaid when it has none.
Known counts_tokens(const std::string& unit) {
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos || slash == 0) {
    return Known::kUnsaid;
  }
  return unit.find("tok") != std::string::npos || unit.find("Tok") != std::string::npos
             ? Known::kYes
             : Known::kNo;
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
  const bool is_strong = says_scaling(target.figure.conditions, "strong");
  if (is_strong || says_scaling(target.figure.conditions, "weak")) {
    return is_strong == strong ? Known::kYes : Known::kNo;
  }
  if (target.figure.conditions.contains("scaling")) {
    return Known::kUnsaid;
  }
  const Known global = keeps(target, names::kBatchGlobal, ledger);
  const Known per_device = keeps(target, names::kBatchPerDevice, ledger);
  const Known wanted = strong ? global : per_device;
  const Known other = strong ? per_device : global;
  // At the baseline itself both are kept, and both formulas give 1.
  return wanted == Known::kUnsaid && other == Known::kYes ? Known::kNo : wanted;
}

Known travels(const Entry& target, names::Travel travel) {
  const auto said = target.figure.conditions.find(names::kOperation);
  if (said == target.figure.conditions.end()) {
    return Known::kUnsaid;
  }
  const names::OperationInfo* known = names::find_operation(said->second);
  return known != nullptr && known->travel == travel ? Known::kYes : Known::kNo;
}

// Whether both tokens and samples are counted by the rates of the formula and its target.
bool mixes_rates(const Attempt& attempt, const Entry& target) {
  std::vector<Known> kinds;
  if (attempt.relation->target.starts_with(names::kThroughput)) {
    kinds.push_back(counts_tokens(target.figure.figure.unit));
  }
  const std::vector<std::string>& names = attempt.relation->formula.names();
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    if (names[i].find(names::kThroughput) != std::string::npos) {
      kinds.push_back(counts_tokens(attempt.bases[i].unit));
    }
  }
  const auto has = [&](Known kind) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  return has(Known::kYes) && has(Known::kNo);
}

// Whether the formula's batch counts tokens: yes by its unit, unsaid if only its name has them.
Known has_batch_in_tokens(const Attempt& attempt) {
  const std::vector<std::string>& names = attempt.relation->formula.names();
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    if (!names[i].starts_with("batch")) {
      continue;
    }
    const std::string& figure = attempt.bases[i].base.figure;
    if (attempt.bases[i].unit.find("tok") != std::string::npos) {
      return Known::kYes;
    }
    if (figure.substr(0, figure.find(',')).find("tok") != std::string::npos) {
      return Known::kUnsaid;
    }
  }
  return Known::kNo;
}

// Whether the run takes about as long as its baseline does, or longer: on more devices it then
// hardly does the same work.
bool keeps_time(const Attempt& attempt) {
  constexpr double most = 1.1;
  const std::vector<std::string>& names = attempt.relation->formula.names();
  const Found* base = nullptr;
  const Found* own = nullptr;
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    if (names[i].ends_with("_time") && !attempt.bases[i].id.empty()) {
      (names[i].starts_with(kBaselinePrefix) ? base : own) = &attempt.bases[i];
    }
  }
  return base != nullptr && own != nullptr && base->range.lo <= most * own->range.hi;
}

Known is_weak_in_time(const Attempt& attempt, const Entry& target, const Ledger& ledger) {
  const Known weak = is_scaling(target, false, ledger);
  if (weak != Known::kUnsaid) {
    return weak;
  }
  return keeps_time(attempt) ? Known::kYes : Known::kNo;
}

Known is_met(const Attempt& attempt, const Entry& target, const Ledger& ledger) {
  if (mixes_rates(attempt, target)) {
    return Known::kNo;
  }
  switch (attempt.relation->requirement) {
    case Requirement::kNone:
      return Known::kYes;
    case Requirement::kStrong:
      return is_scaling(target, true, ledger);
    case Requirement::kWeak:
      return is_scaling(target, false, ledger);
    case Requirement::kWeakTime:
      return is_weak_in_time(attempt, target, ledger);
    case Requirement::kSameTime:  // an epoch of the same data is the same work at any scale
      return says_scaling(target.figure.conditions, "weak") ? Known::kUnsaid : Known::kYes;
    case Requirement::kAllReduce:
      return travels(target, names::Travel::kTwice);
    case Requirement::kGather:
      return travels(target, names::Travel::kParts);
    case Requirement::kRooted:
      return travels(target, names::Travel::kWhole);
    case Requirement::kSamples:
    case Requirement::kTokens:
      break;
  }
  std::string unit = target.figure.figure.unit;
  const std::vector<std::string>& names = attempt.relation->formula.names();
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    if (names[i] == names::kThroughput && !attempt.bases[i].id.empty()) {
      unit = attempt.bases[i].unit;
    }
  }
  const Known tokens = counts_tokens(unit);
  const Known batch = has_batch_in_tokens(attempt);
  const bool wants_tokens = attempt.relation->requirement == Requirement::kTokens;
  if (batch == Known::kYes) {
    return wants_tokens ? Known::kNo : tokens;  // no sequence_length is needed
  }
  if (batch == Known::kUnsaid) {
    return wants_tokens && tokens == Known::kNo ? Known::kNo : Known::kUnsaid;
  }
  if (tokens == Known::kUnsaid || wants_tokens) {
    return tokens;
  }
  return tokens == Known::kYes ? Known::kNo : Known::kYes;
}

// The attempts with `attempt`'s next base: one, or one for each that could be meant.
std::vector<Attempt> with_base(const Attempt& attempt, const Search& search, std::size_t so_far) {
  Attempt next = attempt;
  if (search.found) {
    next.bases.push_back(*search.found);
    return {std::move(next)};
  }
  std::vector<Attempt> attempts;
  const bool is_chosen = so_far * search.candidates.size() <= kMostChoices;
  const bool is_mixed = !search.mixed.empty();
  if (search.candidates.empty() || !is_chosen || is_mixed) {
    next.bases.emplace_back();
    ++next.missing_count;
    next.is_ambiguous = next.is_ambiguous || (!search.candidates.empty() && !is_mixed);
    if (next.problem.empty()) {
      next.problem = search.problem;
      next.needs = search.needs;
    }
    attempts.push_back(std::move(next));
  }
  for (const Found& candidate : is_chosen ? search.candidates : std::vector<Found>()) {
    Attempt& chosen = attempts.emplace_back(attempt);
    chosen.bases.push_back(candidate);
    chosen.mixed = is_mixed ? search.mixed : chosen.mixed;
  }
  return attempts;
}

std::vector<Attempt> choices_of(const Relation& relation,
                                const Entry& target,
                                const std::optional<Found>& ideal,
                                const Ledger& ledger) {
  Attempt start;
  start.relation = &relation;
  start.sense = relation.sense;
  std::vector<Attempt> attempts{std::move(start)};
  for (const std::string& name : relation.formula.names()) {
    const bool is_baseline = name.starts_with(kBaselinePrefix);
    const Search search = name == kBaselineSpeedup ? Search{ideal, "", ""}
                          : is_baseline
                              ? ledger.find_baseline(target, name.substr(kBaselinePrefix.size()))
                              : ledger.find(target, name);
    std::vector<Attempt> longer;
    for (const Attempt& attempt : attempts) {
      for (Attempt& next : with_base(attempt, search, attempts.size())) {
        longer.push_back(std::move(next));
      }
    }
    attempts = std::move(longer);
  }
  return attempts;
}

void recompute(Attempt& attempt) {
  std::vector<Range> ranges;
  std::vector<Range> cut_off;
  std::vector<std::size_t> same_as;
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    const Found& base = attempt.bases[i];
    if (!base.range.is_bounded()) {
      attempt.problem = fmt::format("{} ({}) is only a bound", base.base.figure, base.base.printed);
      attempt.needs = fmt::format("print {} itself", base.base.figure);
      return;
    }
    const auto earlier = std::find_if(attempt.bases.begin(),
                                      attempt.bases.end(),
                                      [&](const Found& f) { return f.id == base.id; });
    same_as.push_back(static_cast<std::size_t>(earlier - attempt.bases.begin()));
    ranges.push_back(base.range);
    cut_off.push_back(base.cut_off);
  }
  const Range range = attempt.relation->formula.range(ranges, same_as);
  if (!range.is_bounded()) {
    attempt.problem = "a divisor may be zero within its rounding";
    attempt.needs = "print the divisor with more digits";
    return;
  }
  attempt.recomputed = range;
  const Range from_cut_off = attempt.relation->formula.range(cut_off, same_as);
  if (from_cut_off.is_bounded()) {
    attempt.from_cut_off = from_cut_off;
  }
}

// The speedup printed for the baseline's run: in the target's own column, or for what is no column
// of speedups in its experiment. One that differs in nothing else goes first.
const Entry* find_base_speedup(const Entry& target, const Ledger& ledger) {
  const Conditions& baseline = target.declared->baseline;
  const bool is_column = target.table != nullptr && target.figure.quantity == names::kSpeedup;
  const Entry* found = nullptr;
  for (const Entry& entry : ledger.entries()) {
    const bool is_near =
        is_column ? entry.table == target.table && entry.figure.column == target.figure.column
                  : entry.figure.experiment == target.figure.experiment;
    if (!is_near || entry.figure.quantity != names::kSpeedup ||
        !agree(entry.figure.conditions, baseline)) {
      continue;
    }
    if (are_comparable(target.figure.conditions, entry.figure.conditions, baseline)) {
      return &entry;
    }
    found = found == nullptr ? &entry : found;
  }
  return found;
}

// Requirements of which one must hold.
const std::vector<std::vector<Requirement>>& alternatives() {
  using enum Requirement;
  static const std::vector<std::vector<Requirement>> kAlternatives{
      {kStrong, kWeak}, {kSamples, kTokens}, {kAllReduce, kGather, kRooted}};
  return kAlternatives;
}

// Where each of such requirements could be computed, one of these is the right one, whichever.
void take_alternatives(std::vector<Attempt>& attempts) {
  for (const std::vector<Requirement>& family : alternatives()) {
    const auto is_of = [](const Attempt& attempt, Requirement requirement) {
      return attempt.relation->requirement == requirement;
    };
    const bool is_complete = std::all_of(family.begin(), family.end(), [&](Requirement one) {
      return std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
        return is_of(attempt, one) && attempt.recomputed && attempt.mixed.empty();
      });
    });
    for (Attempt& attempt : attempts) {
      const bool is_member = std::any_of(
          family.begin(), family.end(), [&](Requirement one) { return is_of(attempt, one); });
      if (is_complete && is_member && attempt.is_unsaid) {
        attempt.sense = attempt.relation->sense;
      }
    }
  }
}

}  // namespace

std::vector<Attempt> attempts_for(const std::string& quantity,
                                  const Entry& target,
                                  const Ledger& ledger) {
  std::vector<Attempt> attempts;
  const std::optional<Found> ideal = ideal_base(target, ledger);
  const SpeedupBase other_base = ideal ? SpeedupBase::kOne : SpeedupBase::kLinear;
  for (const Relation& relation : relations()) {
    if (relation.target != quantity || relation.base == other_base) {
      continue;
    }
    for (Attempt& attempt : choices_of(relation, target, ideal, ledger)) {
      const Known met = is_met(attempt, target, ledger);
      if (met == Known::kNo) {
        continue;
      }
      attempt.is_unsaid = met == Known::kUnsaid;
      attempt.sense = attempt.is_unsaid ? Sense::kMayBe : attempt.sense;
      if (attempt.missing_count == 0) {
        recompute(attempt);
      }
      attempts.push_back(std::move(attempt));
    }
  }
  take_alternatives(attempts);
  return attempts;
}

std::optional<Found> ideal_base(const Entry& target, const Ledger& ledger) {
  const Entry* base =
      target.declared->baseline.empty() ? nullptr : find_base_speedup(target, ledger);
  const std::optional<double> printed = base == nullptr ? std::nullopt : base->figure.figure.value;
  if (!printed || *printed <= 1.0) {
    return std::nullopt;
  }
  const auto is_count = [&](const char* scale) {
    const Search search = ledger.find_baseline(target, scale);
    return search.found && search.found->range.lo == *printed;
  };
  if (!is_count(names::kDevices) && !is_count(names::kNodes)) {
    return std::nullopt;
  }
  Found found = found_from(*base, target);
  const Range& own = *target.figure.figure.range;
  const double width = own.hi - own.lo;
  if (found.range.hi - found.range.lo > width) {
    found.range = {*printed - width / 2.0, *printed + width / 2.0};
    found.cut_off = {*printed, *printed + width};
  }
  return found;
}

std::string comparison_of(const Attempt& attempt) {
  const std::vector<std::string>& names = attempt.relation->formula.names();
  std::string text = attempt.relation->formula.text() + "\n" + attempt.mixed;
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    text += names[i].starts_with(kBaselinePrefix) ? "\n" + attempt.bases[i].id : "";
  }
  return text;
}

bool is_met_by(const Attempt& attempt, const Range& printed) {
  return attempt.recomputed && meet(printed, *attempt.recomputed);
}

bool is_cut_off_by(const Attempt& attempt, const Figure& printed) {
  return attempt.recomputed &&
         !cut_off_reading(printed, *attempt.recomputed, attempt.from_cut_off).empty();
}

bool contradicts(const Attempt& attempt, const Range& printed) {
  if (!attempt.recomputed || meet(printed, *attempt.recomputed)) {
    return false;
  }
  return attempt.sense == Sense::kEqual ||
         (attempt.sense == Sense::kAtLeast && printed.hi < attempt.recomputed->lo);
}

}  // namespace scalestudy::audit
