#include "harness/analysis/cells/rates.h"

#include <algorithm>

#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Mean over trials of a fact of the workload; absent where no trial says it.
std::optional<double> fact(const CellObservation& cell, const char* name) {
  return stats::mean(trial_means(cell, name));
}

// As the trials say, else as the study declares it under the name that printed rates are checked
// by.
std::optional<double> tokens_per_sample(const CellObservation& cell) {
  const auto declared =
      std::ranges::find(cell.row.parameters, "sequence_length", &CellRow::Parameter::name);
  const std::optional<double> told = fact(cell, "tokens_per_sample");
  return told || declared == cell.row.parameters.end() ? told : declared->number();
}

}  // namespace

std::optional<double> tokens_of_step(const CellObservation& cell) {
  const std::optional<double> tokens = tokens_per_sample(cell);
  return tokens && cell.row.batch_global
             ? std::optional(*tokens * static_cast<double>(*cell.row.batch_global))
             : std::nullopt;
}

std::vector<Rate> rates_of(const CellObservation& cell) {
  std::vector<Rate> rates;
  if (const auto batch = static_cast<double>(cell.row.batch_global.value_or(0)); batch > 0.0) {
    const auto devices = static_cast<double>(cell.row.devices);
    rates.push_back({names::kThroughput, "samples/s", batch});
    rates.push_back({names::kThroughputPerDevice, "samples/s", batch / devices});
    const bool is_printed = fact(cell, names::kTokensPerSecond) && !fact(cell, "tokens_per_sample");
    if (const auto tokens = tokens_of_step(cell); tokens && !is_printed) {
      rates.push_back({names::kTokensPerSecond, "tokens/s", *tokens});
    }
  }
  if (cell.total_bytes && cell.busbw_factor) {
    rates.push_back({names::kAlgorithmBandwidth, "bytes/s", *cell.total_bytes});
    rates.push_back({names::kBusBandwidth, "bytes/s", *cell.total_bytes * *cell.busbw_factor});
  }
  if (const auto bytes = fact(cell, "checkpoint_bytes"); bytes && *bytes > 0.0) {
    // Of older trials each save wrote all of it.
    const double written = fact(cell, "checkpoint_written_bytes").value_or(*bytes);
    rates.push_back({"checkpoint_save_bytes_per_s", "bytes/s", written, names::kSaveTime});
    rates.push_back({"checkpoint_load_bytes_per_s", "bytes/s", *bytes, names::kLoadTime});
  }
  return rates;
}

std::optional<Rate> asked_rate(const CellObservation& cell,
                               const std::string& metric,
                               const Study& study) {
  const MetricRequest* request = find_request(study.analysis, metric);
  const std::vector<Rate> rates = rates_of(cell);
  const auto found = std::ranges::find(rates, metric, &Rate::metric);
  const bool is_median = request != nullptr && request->by == TrialStatistic::kP50;
  return found == rates.end() || is_median ? std::nullopt : std::optional(*found);
}

std::optional<double> asked_value(const CellObservation& cell,
                                  const TrialObservation& trial,
                                  const MetricRequest& request,
                                  const Study& study) {
  const std::optional<Rate> rate = asked_rate(cell, request.metric, study);
  const auto found = trial.metrics.find(rate ? std::string(rate->time) : request.metric);
  if (found == trial.metrics.end()) {
    return std::nullopt;
  }
  return rate ? rate->amount / found->second.mean : found->second.*statistic_of(request);
}

std::optional<double> rate_amount(const CellObservation& cell, std::string_view metric) {
  const std::vector<Rate> rates = rates_of(cell);
  const auto found = std::ranges::find(rates, metric, &Rate::metric);
  return found == rates.end() || found->time != kStepTime ? std::nullopt
                                                          : std::optional(found->amount);
}

}  // namespace scalestudy
