#include "harness/analysis/estimates/printed_rates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "harness/analysis/cells/printed_digits.h"
#include "harness/audit/check/rate.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

using audit::Range;

// What a trial's values of a metric stand for.
struct Printed {
  Range range;  // from mean to median, with the rounding of one value
  // Of the mean of one value, relative: s of the values, robust. Absent unless they are above 0.
  std::optional<double> error;
  double count = 0.0;  // values
  double mean = 0.0;
  double rounding = 0.0;      // what half a unit of the last printed decimal is worth
  std::vector<double> first;  // the first kMostProducts values
};
constexpr std::size_t kMostProducts = 1000;

using PrintedByTrial = std::map<std::int64_t, Printed>;

// The digits that the values of a cell were printed with, found over all of its trials: a single
// 2.00 looks like a 2. Which rule gave the values is not known, so the coarsest one counts; and
// 1200 ms may be 1.2e+03, so that the stored digits count as well.
class CellDigits {
 public:
  explicit CellDigits(std::vector<PrintedForm> forms)
      : forms_(std::move(forms)), printed_(forms_.size(), 1.0) {}

  void add(const std::vector<double>& values) {
    stored_ = std::min(stored_, last_decimal(values));
    std::vector<double> printed(values.size());
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      std::ranges::transform(
          values, printed.begin(), [&](double value) { return forms_[i].printed(value); });
      printed_[i] = std::min(printed_[i], last_decimal(printed));
    }
  }

  // How far rounding may have moved a value near `mean`.
  [[nodiscard]] double rounding(double mean) const {
    double most = 0.0;
    for (std::size_t i = 0; i < forms_.size(); ++i) {
      const double as_stored = forms_[i].is_rate ? 0.0 : stored_ / 2.0;
      most = std::max({most, as_stored, forms_[i].stored_change(mean, printed_[i] / 2.0)});
    }
    return most;
  }

 private:
  std::vector<PrintedForm> forms_;
  std::vector<double> printed_;  // a unit of the last decimal, by form
  double stored_ = 1.0;
};

// Without its rounding.
std::optional<Printed> printed_of(const std::vector<double>& values) {
  constexpr double normal_quartiles = 1.349;  // between them, in standard deviations
  const auto mean = stats::mean(values);
  const auto median = stats::quantile(values, 0.5);
  const auto low = stats::quantile(values, 0.25);
  const auto high = stats::quantile(values, 0.75);
  if (!mean || !median || !low || !high || std::isnan(*mean)) {
    return std::nullopt;
  }
  const bool is_above_zero = *mean > 0.0 && *median > 0.0;
  return Printed{
      {std::min(*mean, *median), std::max(*mean, *median)},
      is_above_zero ? std::optional((*high - *low) / normal_quartiles / *median) : std::nullopt,
      static_cast<double>(values.size()),
      *mean,
      0.0,
      {values.begin(),
       values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), kMostProducts))}};
}

PrintedByTrial printed_of_trials(const Store& store,
                                 const StudyObservation& observation,
                                 const Study& study,
                                 const std::string& metric) {
  std::map<std::int64_t, CellDigits> digits;  // by cell
  for (const CellObservation& cell : observation.cells) {
    digits.emplace(cell.row.id, printed_forms(study, metric, cell.row));
  }
  PrintedByTrial trials;
  const auto take = [&](const TrialRow& trial, const SeriesRow& series) {
    const auto warmup =
        std::min<std::size_t>(static_cast<std::size_t>(series.warmup_n), series.values.size());
    const std::vector<double> measured(series.values.begin() + static_cast<std::ptrdiff_t>(warmup),
                                       series.values.end());
    const auto of_cell = digits.find(trial.cell_id);
    if (std::optional<Printed> printed = printed_of(measured); printed && of_cell != digits.end()) {
      of_cell->second.add(measured);
      trials.emplace(trial.id, *printed);
    }
  };
  store.for_each_series(observation.study.id, metric, take);
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      if (const auto found = trials.find(trial.row.id); found != trials.end()) {
        Printed& printed = found->second;
        printed.rounding = digits.at(cell.row.id).rounding(printed.mean);
        printed.range = {printed.range.lo - printed.rounding, printed.range.hi + printed.rounding};
      }
    }
  }
  return trials;
}

// Names under which studies declare what formulas need.
struct FactName {
  std::string_view name;
  std::string_view quantity;
};
constexpr auto kFactNames =
    std::to_array<FactName>({{"sequence_length", "sequence_length"},
                             {"seq_length", "sequence_length"},
                             {"seq_len", "sequence_length"},
                             {"seq", "sequence_length"},
                             {"max_seq_len", "sequence_length"},
                             {"max_seq_length", "sequence_length"},
                             {"context_length", "sequence_length"},
                             {"block_size", "sequence_length"},
                             {"tokens_per_sample", "sequence_length"},
                             {"parameters", "parameters"},
                             {"parameter_count", "parameters"},
                             {"model_parameters", "parameters"},
                             {"device_peak_flops", "peak_flop_rate"},
                             {"gradient_accumulation", "gradient_accumulation"},
                             {"accumulation_steps", "gradient_accumulation"},
                             {"gradient_accumulation_steps", "gradient_accumulation"}});

using RateFacts = std::map<std::string, Range>;

// What the cell's parameters and its trials' own facts say.
RateFacts rate_facts_of(const CellObservation& cell) {
  constexpr double fewest_flop = 0.9;
  constexpr double most_flop = 4.0 / 3.0;
  constexpr double flop_per_parameter = 6.0;
  RateFacts facts;
  const auto add = [&](std::string_view quantity, double value) {
    if (value > 0.0) {
      facts.emplace(quantity, Range{value, value});
    }
  };
  add("devices", static_cast<double>(cell.row.devices));
  add("batch_global", static_cast<double>(cell.row.batch_global.value_or(0)));
  add("batch_per_device", static_cast<double>(cell.row.batch_per_device.value_or(0)));
  for (const FactName& fact : kFactNames) {
    const auto found = std::ranges::find(cell.row.parameters, fact.name, &CellRow::Parameter::name);
    if (found != cell.row.parameters.end()) {
      add(fact.quantity, found->number().value_or(0.0));
    }
    add(fact.quantity, stats::mean(trial_means(cell, std::string(fact.name))).value_or(0.0));
  }
  // A declared global batch is that of all accumulated passes, and so is the batch per device that
  // is made of it.
  if (std::ranges::find(cell.row.parameters, "batch_global", &CellRow::Parameter::name) !=
      cell.row.parameters.end()) {
    facts.erase("gradient_accumulation");
  }
  const auto has = [&](const char* quantity) { return facts.contains(quantity); };
  if (has("parameters") && has("batch_global") && has("sequence_length")) {
    const double flop = flop_per_parameter * facts.at("parameters").lo *
                        facts.at("batch_global").lo * facts.at("sequence_length").lo;
    facts.emplace("flop_per_step", Range{fewest_flop * flop, most_flop * flop});
  }
  return facts;
}

// Whether the study computes the step time from the very figure that the metric is.
bool is_source_of_step_time(const Study& study, const std::string& metric) {
  const auto rule_of = [&](std::string_view name) {
    return std::ranges::find(study.extract, name, &ExtractRule::metric);
  };
  const auto step = rule_of(kStepTime);
  const auto own = rule_of(metric);
  return step != study.extract.end() && own != study.extract.end() && step->from == own->from &&
         step->regex == own->regex && step->group == own->group &&
         step->json_path == own->json_path && step->mllog_key == own->mllog_key;
}

Range average(const std::vector<Range>& ranges) {
  Range sum;
  for (const Range& range : ranges) {
    sum.lo += range.lo;
    sum.hi += range.hi;
  }
  const auto count = static_cast<double>(ranges.size());
  return {sum.lo / count, sum.hi / count};
}

// What a trial says of a rate and of the time of its steps.
struct RateAndTime {
  Range rate;
  Range time;
  double middle = 0.0;  // of the time
};
using Reading = std::optional<RateAndTime> (*)(const TrialRow&, const Printed&, const Printed&);

// As if they came from different steps.
std::optional<RateAndTime> read_apart(const TrialRow& trial,
                                      const Printed& rate,
                                      const Printed& time) {
  constexpr double errors = 4.0;
  constexpr double most_longer = 1.25;
  if (!time.error) {
    return std::nullopt;
  }
  const bool is_of_run = rate.count == 1.0 && time.count > 1.0;
  const double averaged = is_of_run ? time.count : rate.count;
  const double error = errors * *time.error * std::sqrt(1.0 / averaged + 1.0 / time.count);
  Range range{time.range.lo / (1.0 + error), time.range.hi * (1.0 + error)};
  if (is_of_run && trial.wall_s) {
    range.hi = std::max(range.hi, std::min(most_longer * range.hi, *trial.wall_s / time.count));
  }
  return RateAndTime{rate.range, range, (time.range.lo + time.range.hi) / 2.0};
}

// As rates of the very steps whose times are printed: rate times time is then the same in all of
// them, however much the steps differ. Absent if it is not.
std::optional<RateAndTime> read_together(const TrialRow& /*trial*/,
                                         const Printed& rate,
                                         const Printed& time) {
  constexpr double least_tolerance = 0.001;
  if (rate.count != time.count || rate.count < 2.0) {
    return std::nullopt;
  }
  const double least_rate = *std::ranges::min_element(rate.first);
  const double least_time = *std::ranges::min_element(time.first);
  if (!(least_rate > 0.0 && least_time > 0.0)) {
    return std::nullopt;
  }
  std::vector<double> products;
  for (std::size_t i = 0; i < rate.first.size(); ++i) {
    products.push_back(rate.first[i] * time.first[i]);
  }
  const double tolerance =
      std::max(least_tolerance, rate.rounding / least_rate + time.rounding / least_time);
  const double product = *stats::quantile(products, 0.5);
  const bool is_same = std::ranges::all_of(
      products, [&](double one) { return std::abs(one / product - 1.0) <= 2.0 * tolerance; });
  const double middle = product / rate.mean;
  return is_same
             ? std::optional(RateAndTime{{rate.mean, rate.mean},
                                         {middle * (1.0 - tolerance), middle * (1.0 + tolerance)},
                                         middle})
             : std::nullopt;
}

// The cell's rate and its step time, averaged over trials that have both; absent without any.
std::optional<std::pair<Range, Range>> rate_and_time(const CellObservation& cell,
                                                     const PrintedByTrial& rates,
                                                     const PrintedByTrial& times,
                                                     Reading read) {
  std::vector<Range> of_rates;
  std::vector<Range> of_times;
  std::vector<double> middles;
  for (const TrialObservation& trial : cell.trials) {
    const auto rate = rates.find(trial.row.id);
    const auto time = times.find(trial.row.id);
    if (rate == rates.end() || time == times.end()) {
      continue;
    }
    if (const auto both = read(trial.row, rate->second, time->second)) {
      of_rates.push_back(both->rate);
      of_times.push_back(both->time);
      middles.push_back(both->middle);
    }
  }
  const auto middle = stats::mean(middles);
  if (!middle) {
    return std::nullopt;
  }
  // Rates at the cell's mean step time.
  for (std::size_t i = 0; i < of_rates.size(); ++i) {
    of_rates[i] = {of_rates[i].lo * middles[i] / *middle, of_rates[i].hi * middles[i] / *middle};
  }
  return std::pair(average(of_rates), average(of_times));
}

void check_row(const CellObservation& cell,
               const audit::RateKind& kind,
               const PrintedByTrial& rates,
               const PrintedByTrial& times,
               EstimateRow& row) {
  const auto check_by = [&](Reading read) -> std::optional<audit::RateCheck> {
    const auto both = rate_and_time(cell, rates, times, read);
    if (!both) {
      return std::nullopt;
    }
    const Range& rate = both->first;
    return audit::check_rate({kind.quantity,
                              row.unit,
                              {rate.lo * kind.unit_size, rate.hi * kind.unit_size},
                              both->second,
                              rate_facts_of(cell)});
  };
  const auto apart = check_by(read_apart);
  if (!apart) {
    return;
  }
  // Noise between steps hides a factor of 1.024, which the products of the same steps show.
  const auto together = check_by(read_together);
  const audit::RateCheck& check =
      together && together->verdict == RateVerdict::kCountsX1024 ? *together : *apart;
  row.recomputed_verdict = check.verdict;
  row.recomputed_from = check.from;
  if (check.recomputed) {
    row.recomputed_lo = check.recomputed->lo / kind.unit_size;
    row.recomputed_hi = check.recomputed->hi / kind.unit_size;
  }
}

}  // namespace

void check_printed_rates(const Store& store,
                         const StudyObservation& observation,
                         const Study& study,
                         std::vector<EstimateRow>& estimates) {
  if (study.workload != Workload::kCommand) {
    return;
  }
  std::optional<PrintedByTrial> times;
  std::map<std::string, PrintedByTrial> rates;
  for (EstimateRow& row : estimates) {
    const bool is_printed =
        std::ranges::find(study.extract, row.metric, &ExtractRule::metric) != study.extract.end();
    if (!is_printed || row.variant != Variant::kAll || row.statistic != Statistic::kMean) {
      continue;
    }
    const CellObservation* cell = observation.find_cell(row.cell_id);
    const auto kind = audit::rate_kind(row.metric, row.unit);
    if (cell == nullptr || !kind) {
      continue;
    }
    if (is_source_of_step_time(study, row.metric)) {
      row.recomputed_verdict = RateVerdict::kCannotBeChecked;
      row.recomputed_from = "the step time is computed from it";
      continue;
    }
    if (!times) {
      times = printed_of_trials(store, observation, study, kStepTime);
    }
    if (!rates.contains(row.metric)) {
      rates[row.metric] = printed_of_trials(store, observation, study, row.metric);
    }
    check_row(*cell, *kind, rates[row.metric], *times, row);
  }
}

}  // namespace scalestudy
