#include "harness/analysis/compare/ratios.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "harness/analysis/cells/rates.h"
#include "harness/analysis/cells/sessions.h"
#include "stats/equivalence.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct BlockTime {
  double time_s = 0.0;
  std::int64_t trial = 0;  // id; 0 of a mean over several
};
using BlockTimes = std::map<SessionBlock, BlockTime>;

Seeds seeds_in(const CellObservation& cell, const Study& study, const MetricRequest* request) {
  return request == nullptr ? Seeds::kNone : seeds_of(study, cell.row, request->metric);
}

using Amount = std::optional<double>;

// What one step of base and cell has of the requested mean, if that is a rate over the step time of
// both: it then follows from their mean times, as its estimates do. The mean of the rates of single
// steps is higher.
std::pair<Amount, Amount> rate_amounts(const CellObservation& base,
                                       const CellObservation& cell,
                                       const MetricRequest* request) {
  if (request == nullptr || request->by == TrialStatistic::kP50) {
    return {};
  }
  const std::pair amounts(rate_amount(base, request->metric), rate_amount(cell, request->metric));
  return amounts.first && amounts.second ? amounts : std::pair<Amount, Amount>();
}

// Times, or values of the requested metric.
// - amount: of a rate (rate_amounts); its times are those of one unit of it.
BlockTimes times_by_block(const CellObservation& cell,
                          double factor,
                          const Study& study,
                          const MetricRequest* request,
                          const Amount& amount) {
  const Seeds seeds = seeds_in(cell, study, request);
  double TrialMetric::*const statistic =
      request == nullptr ? &TrialMetric::mean : statistic_of(*request);
  BlockTimes times_s;
  for (const TrialObservation& trial : cell.trials) {
    const auto found =
        trial.metrics.find(request == nullptr || amount ? kStepTime : request->metric);
    if (found != trial.metrics.end()) {
      times_s.emplace(
          counted_block(trial.row, seeds),
          BlockTime{.time_s = factor * (found->second.*statistic) / amount.value_or(1.0),
                    .trial = trial.row.id});
    }
  }
  return times_s;
}

// cell over base, of base over cell.
void invert(stats::RatioInterval& interval) {
  if (!interval.ratio) {
    return;
  }
  interval.ratio = 1.0 / *interval.ratio;
  if (interval.lo && interval.hi) {
    const double hi = 1.0 / *interval.lo;
    interval.lo = 1.0 / *interval.hi;
    interval.hi = hi;
  }
}

void keep_common(BlockTimes& a, BlockTimes& b) {
  std::erase_if(a, [&](const auto& entry) { return !b.contains(entry.first); });
  std::erase_if(b, [&](const auto& entry) { return !a.contains(entry.first); });
}

// One value a session, as if each were a block.
BlockTimes session_means(const BlockTimes& times_s) {
  SessionValues by_session;
  for (const auto& [block, time] : times_s) {
    by_session[block.first].push_back(time.time_s);
  }
  BlockTimes means_s;
  for (const auto& [session, values] : by_session) {
    means_s.emplace(SessionBlock{session, 0}, BlockTime{.time_s = *stats::mean(values)});
  }
  return means_s;
}

std::vector<double> values_of(const BlockTimes& times_s) {
  std::vector<double> values;
  values.reserve(times_s.size());
  for (const auto& [block, time] : times_s) {
    values.push_back(time.time_s);
  }
  return values;
}

TrialIds trials_of(const BlockTimes& times_s) {
  TrialIds ids;
  for (const auto& [block, time] : times_s) {
    ids.push_back(time.trial);
  }
  std::ranges::sort(ids);
  return ids;
}

std::size_t count_sessions(const BlockTimes& a, const BlockTimes& b) {
  BlockTimes all = session_means(a);
  all.merge(session_means(b));
  return all.size();
}

// Blocks of the plan up to the last that is used.
std::size_t count_blocks(const BlockTimes& a, const BlockTimes& b) {
  std::int64_t last = 0;
  for (const BlockTimes* times_s : {&a, &b}) {
    for (const auto& [block, time] : *times_s) {
      last = std::max(last, block.second);
    }
  }
  return static_cast<std::size_t>(last) + 1;
}

std::int64_t count_not_in(const BlockTimes& all, const BlockTimes& used) {
  return static_cast<std::int64_t>(all.size() - used.size());
}

// Without an interval where blocks of few seeds would give it; without a value where that is of one
// launch of each, against times that rest on more.
void keep_what_holds(TimeRatio& ratio) {
  stats::RatioInterval& all = ratio.interval;
  if (ratio.has_few_seeds) {
    stats::RatioInterval kept;
    kept.status = stats::Status::kInsufficientData;
    kept.ratio = all.ratio;
    kept.n_a = all.n_a;
    kept.n_b = all.n_b;
    all = kept;
  }
  if (ratio.is_blocked && all.n_a == 1 && ratio.left_out + ratio.left_out_base > 0) {
    all.ratio.reset();
  }
}

}  // namespace

TimeRatio time_ratio(const CellObservation& base,
                     const CellObservation& cell,
                     double factor,
                     const Study& study,
                     const MetricRequest* request) {
  const auto [base_amount, cell_amount] = rate_amounts(base, cell, request);
  const BlockTimes all_base_s = times_by_block(base, factor, study, request, base_amount);
  const BlockTimes all_cell_s = times_by_block(cell, 1.0, study, request, cell_amount);
  BlockTimes base_s = all_base_s;
  BlockTimes cell_s = all_cell_s;
  TimeRatio ratio;
  ratio.is_blocked = study.order.design == OrderDesign::kBlocks;
  if (ratio.is_blocked) {
    keep_common(base_s, cell_s);
  }
  BlockTimes base_sessions_s = session_means(base_s);
  BlockTimes cell_sessions_s = session_means(cell_s);
  keep_common(base_sessions_s, cell_sessions_s);
  const bool is_by_session = base_sessions_s.size() >= kSessionsAsUnit;
  if (is_by_session) {
    const auto is_alone = [&](const auto& entry) {
      return !base_sessions_s.contains({entry.first.first, 0});
    };
    std::erase_if(base_s, is_alone);
    std::erase_if(cell_s, is_alone);
  }
  ratio.sessions = count_sessions(base_s, cell_s);
  ratio.left_out = count_not_in(all_cell_s, cell_s);
  ratio.left_out_base = count_not_in(all_base_s, base_s);
  ratio.trials = trials_of(cell_s);
  ratio.base_trials = trials_of(base_s);
  ratio.is_of_one_seed = seeds_in(cell, study, request) == Seeds::kOne;
  ratio.looks = look_terms(study, count_blocks(base_s, cell_s));
  const LookTerms& terms = ratio.looks;
  const double level = terms.confidence;
  const std::vector<double> a = values_of(is_by_session ? base_sessions_s : base_s);
  const std::vector<double> b = values_of(is_by_session ? cell_sessions_s : cell_s);
  if (is_by_session || (ratio.is_blocked && a.size() >= kLeastBlocks)) {
    ratio.method = is_by_session ? RatioMethod::kSessions : RatioMethod::kPaired;
    ratio.interval = stats::log_ratio_delta_paired(a, b, level);
    ratio.geometric = stats::log_ratio_paired(a, b, level);
  } else {
    ratio.method = RatioMethod::kIndependent;
    ratio.is_attributable = ratio.is_blocked || !has_other_software(base, cell);
    if (ratio.is_attributable) {
      ratio.interval = stats::log_ratio_delta(a, b, level);
    } else {
      ratio.interval.n_a = a.size();
      ratio.interval.n_b = b.size();
    }
  }
  ratio.has_few_seeds = seeds_in(cell, study, request) == Seeds::kOfBlock &&
                        std::min(a.size(), b.size()) < kLeastBlocks;
  keep_what_holds(ratio);
  if (request != nullptr && !base_amount) {
    invert(ratio.interval);
    invert(ratio.geometric);
  }
  ratio.equivalence_p = stats::tost_ratio(ratio.interval, margin_of(study, request), 1.0 - level).p;
  if (ratio.equivalence_p) {
    ratio.equivalence_p = terms.one_sided(*ratio.equivalence_p);
  }
  if (ratio.interval.p) {
    ratio.interval.p = terms.two_sided(*ratio.interval.p);
  }
  return ratio;
}

double margin_of(const Study& study, const MetricRequest* request) {
  return request != nullptr && request->margin > 0.0 ? request->margin : study.analysis.margin;
}

double quantity_factor(const std::string& quantity,
                       const CellRow& base,
                       const CellRow& cell,
                       Scaling scaling) {
  const double work = work_ratio(base, cell, scaling);
  return quantity == names::kSpeedup      ? work
         : quantity == names::kEfficiency ? work / device_ratio(base, cell)
                                          : 1.0;
}

double work_ratio(const CellRow& base, const CellRow& cell, Scaling scaling) {
  if (base.batch_global.value_or(0) > 0 && cell.batch_global.value_or(0) > 0) {
    return static_cast<double>(*cell.batch_global) / static_cast<double>(*base.batch_global);
  }
  return scaling == Scaling::kWeak ? device_ratio(base, cell) : 1.0;
}

double device_ratio(const CellRow& base, const CellRow& cell) {
  return static_cast<double>(cell.devices) / static_cast<double>(base.devices);
}

TrialIds trials_of_both(const ComparisonRow& row) {
  TrialIds trials;
  std::ranges::merge(row.trials, row.baseline_trials, std::back_inserter(trials));
  return trials;
}

}  // namespace scalestudy
