// What needs no relation: limits of quantities, parts and wholes, the same thing printed twice.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "harness/audit/check/attempt.h"
#include "harness/audit/check/checks.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::audit {
namespace {

struct PartAndWhole {
  std::string_view part;
  std::string_view whole;
};
constexpr auto kParts = std::to_array<PartAndWhole>({{"communication_time", "step_time"},
                                                     {"compute_time", "step_time"},
                                                     {"step_time", "epoch_time"},
                                                     {"epoch_time", "total_time"},
                                                     {"memory", "memory_capacity"}});

constexpr double kBinaryExcess = 0x1p30 / 1e9;  // of a GiB over a GB

// Quantities of which a run has any number.
constexpr auto kManyOfARun = std::to_array<std::string_view>({"ratio",
                                                              "count",
                                                              "time",
                                                              "size",
                                                              "bandwidth",
                                                              "rate",
                                                              "money",
                                                              "other",
                                                              "share",
                                                              "utilization",
                                                              "saving",
                                                              "change"});

constexpr const char* kMoreThanLinear =
    "more than linear scaling: possible (caches, a slow baseline), but the document has to say why";

// A speedup above the number of devices over the baseline's, or of nodes where no devices are said.
void check_linear(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const std::optional<Found> ideal = ideal_base(target, context.ledger);
  for (const char* scale : {names::kDevices, names::kNodes}) {
    const Search own = context.ledger.find(target, scale);
    const Search base = context.ledger.find_baseline(target, scale);
    if (!own.found || !base.found || !(base.found->range.lo > 0.0)) {
      continue;
    }
    const double ratio = own.found->range.hi / base.found->range.lo;
    const double most = ideal ? ratio * ideal->range.hi : ratio;
    if (ratio > 1.0 && target.figure.figure.range->lo > most) {
      std::vector<Base> bases{own.found->base, base.found->base};
      if (ideal) {
        bases.push_back(ideal->base);
      }
      add_implausible(
          index,
          fmt::format(
              "speedup <= {0} / baseline {0}{1}", scale, ideal ? " * baseline speedup" : ""),
          kMoreThanLinear,
          std::move(bases),
          context);
    }
    return;
  }
}

// Whether the figure follows, so that its limit is another: an overhead over the computation alone
// may be more than 100 %.
bool is_over_part(const Entry& target, const Ledger& ledger) {
  if (target.figure.quantity != "overhead") {
    return false;
  }
  if (target.declared->follows) {
    return target.declared->follows->kind == Rule::Kind::kChange;
  }
  const std::vector<Attempt> attempts = attempts_for("overhead", target, ledger);
  return std::any_of(attempts.begin(), attempts.end(), [&](const Attempt& attempt) {
    return attempt.relation->sense == Sense::kMayBe &&
           is_met_by(attempt, *target.figure.figure.range);
  });
}

void check_limits(std::size_t index, CheckContext& context) {
  const PrintedFigure& figure = context.entry(index).figure;
  const QuantityInfo& info = *find_quantity(figure.quantity);
  const Range& range = *figure.figure.range;
  if (info.least && range.hi < *info.least) {
    add_implausible(index,
                    fmt::format("{} >= {}", info.name, *info.least),
                    fmt::format("{} cannot be negative", info.name),
                    {},
                    context);
  }
  if (figure.quantity == names::kSpeedup) {
    check_linear(index, context);
  }
  if (info.most && range.lo > *info.most && !is_over_part(context.entry(index), context.ledger)) {
    const bool scales = figure.quantity == names::kEfficiency;
    add_implausible(index,
                    fmt::format("{} <= {:.0f} %", info.name, *info.most * 100.0),
                    scales ? kMoreThanLinear : "a part larger than its whole",
                    {},
                    context);
  }
}

void check_parts(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  for (const PartAndWhole& pair : kParts) {
    if (target.figure.quantity != pair.part) {
      continue;
    }
    const Search whole = context.ledger.find(target, std::string(pair.whole));
    // The "80 GB" of a device may be 80 GiB.
    const bool is_sold_in_gb =
        pair.whole == "memory_capacity" && whole.found && whole.found->unit == "GB";
    const double excess = is_sold_in_gb ? kBinaryExcess : 1.0;
    if (whole.found && target.figure.figure.range->lo > whole.found->range.hi * excess &&
        !meet(*target.figure.figure.range, whole.found->range)) {
      add_implausible(index,
                      fmt::format("{} <= {}", pair.part, pair.whole),
                      fmt::format("a part larger than its whole ({})", whole.found->base.printed),
                      {whole.found->base},
                      context);
    }
  }
}

void check_own_interval(std::size_t index, CheckContext& context) {
  const Figure& figure = context.entry(index).figure.figure;
  if (!figure.interval || !figure.range) {
    return;
  }
  const double slack = (figure.range->hi - figure.range->lo) / 2.0;
  const Range interval{figure.interval->lo - slack, figure.interval->hi + slack};
  if (!meet(*figure.range, interval)) {
    add_implausible(index,
                    "inside the interval printed with it",
                    "the figure is outside the interval printed with it",
                    {},
                    context);
  }
}

// What differs between the figure's run and its declared baseline, without what has to.
void check_baseline(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Conditions& baseline = target.declared->baseline;
  const Conditions& run = target.figure.conditions;
  std::vector<std::string> differing;
  bool has_scale = false;
  for (const auto& [name, value] : baseline) {
    const auto own = run.find(name);
    if (own == run.end() || own->second == value) {
      continue;
    }
    const bool is_scale = name == names::kDevices || name == names::kNodes;
    if (is_scale && has_scale) {
      continue;
    }
    Conditions without = baseline;
    without.erase(name);
    if (!is_scale && are_comparable(run, baseline, without)) {
      continue;  // the batch that this kind of scaling changes
    }
    has_scale = has_scale || is_scale;
    differing.push_back(fmt::format("{} ({} against {})", name, own->second, value));
  }
  if (differing.size() > 1) {
    add_implausible(index,
                    "one thing differs from the baseline",
                    fmt::format("a comparison across {}: what part each has in it cannot be told",
                                join(differing, ", ")),
                    {},
                    context);
  }
}

double gap_between(const Entry& a, const Entry& b) {
  const Range& left = *a.figure.figure.range;
  const Range& right = *b.figure.figure.range;
  return meet(left, right) ? 0.0 : std::max(left.lo - right.hi, right.lo - left.hi);
}

}  // namespace

void add_implausible(std::size_t index,
                     const std::string& formula,
                     const std::string& why,
                     std::vector<Base> bases,
                     CheckContext& context) {
  Finding finding = start_finding(context.dataset.name, context.entry(index));
  finding.verdict = Verdict::kImplausible;
  finding.formula = formula;
  finding.why = why;
  finding.bases = std::move(bases);
  context.add(index, std::move(finding));
}

bool check_twins(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const PrintedFigure& figure = target.figure;
  if (find_quantity(figure.quantity)->is_condition ||
      std::find(kManyOfARun.begin(), kManyOfARun.end(), figure.quantity) != kManyOfARun.end()) {
    return false;
  }
  const Entry* told = nullptr;  // one that agrees, or else the one that is nearest
  for (const Entry* twin : context.ledger.find_twins(target)) {
    const bool is_earlier = twin < &target;  // each pair once
    if (is_earlier &&
        (told == nullptr || gap_between(target, *twin) < gap_between(target, *told))) {
      told = twin;
    }
  }
  if (told == nullptr) {
    return false;
  }
  Finding finding = start_finding(context.dataset.name, target);
  finding.formula = "the same figure, printed twice";
  finding.bases = {base_of(*told, target)};
  const Figure& other = told->figure.figure;
  if (other.range->is_bounded()) {
    compare(finding,
            figure.figure,
            physical_range(figure.quantity, other),
            physical_cut_off_range(figure.quantity, other));
  } else if (meet(*figure.figure.range, *other.range)) {
    finding.verdict = Verdict::kFollows;
  } else {
    finding.verdict = Verdict::kDoesNotFollow;
    finding.why = fmt::format("the other place prints {}", other.printed);
  }
  context.add(index, std::move(finding));
  return true;
}

void check_plausible(std::size_t index, CheckContext& context) {
  check_limits(index, context);
  check_parts(index, context);
  check_own_interval(index, context);
  check_baseline(index, context);
}

}  // namespace scalestudy::audit
