// Estimates of the sample study's cells, typed by hand.
#include "tests/report/sample_estimates.h"

#include <string>
#include <utility>

namespace scalestudy::test {

double sample_step_s(const CellRow& cell) {
  const auto devices = static_cast<double>(cell.devices);
  const double compute = 1e-4 * static_cast<double>(*cell.batch_global) / devices;
  const double communication =
      cell.role == CellRole::kNoop ? 0.0 : 0.004 * (devices - 1.0) / devices * 2.0;
  return 0.002 + compute + communication;
}

EstimateRow sample_estimate(const CellRow& cell,
                            const std::string& metric,
                            const std::string& unit,
                            double value,
                            double relative) {
  EstimateRow row;
  row.cell_id = cell.id;
  row.metric = metric;
  row.statistic = Statistic::kMean;
  row.variant = Variant::kAll;
  row.unit = unit;
  row.value = value;
  row.lo = value * (1.0 - relative);
  row.hi = value * (1.0 + relative);
  row.method = "mean_ci_t";
  row.n = 3;
  row.n_planned = 3;
  row.status = RowStatus::kOk;
  return row;
}

namespace {

// Of 2 devices in one bucket, where nothing can be hidden; of more in three.
void add_communication(Results& results, const CellRow& cell, double exposed_s) {
  const bool has_overlap = cell.devices > 2;
  const double total_s = has_overlap ? 2.0 * exposed_s : exposed_s;
  const auto add = [&](const char* metric, const char* unit, double value) {
    results.estimates.push_back(sample_estimate(cell, metric, unit, value, 0.1));
  };
  add("communication_time_s", "s", total_s);
  add("exposed_communication_max_time_s", "s", exposed_s);
  add("exposed_communication_mean_time_s", "s", 0.9 * exposed_s);
  add("collective_transfer_time_s", "s", 0.6 * total_s);
  add("collective_skew_time_s", "s", 0.4 * total_s);
  add("bucket_count", "1", has_overlap ? 3.0 : 1.0);
  add("tail_bucket_bytes", "bytes", 1048576.0);
  if (has_overlap) {
    add("overlap_efficiency", "1", 0.5);
  }
}

// By the declared numbers: 300 W and PUE 1.2 a device, 90 epochs of 1281167 samples.
void add_money(Results& results, const CellRow& cell, double step) {
  const auto batch = static_cast<double>(*cell.batch_global);
  const auto devices = static_cast<double>(cell.devices);
  const double hours = 90.0 * 1281167.0 / batch * step / 3600.0;
  const double kw = 0.36 * devices;
  const auto add = [&](const std::string& metric, const std::string& unit, double value) {
    results.estimates.push_back(sample_estimate(cell, metric, unit, value, 0.03));
  };
  add("cost_per_million_samples:spot", "USD", devices / 3600.0 * step / batch * 1e6);
  add("cost_per_million_tokens", "USD", devices / 3600.0 * step / batch * 1e4);
  add("training_hours", "h", hours);
  add("training_cost", "USD", hours * (3.0 * devices + 0.36) + 5.0);
  add("training_cost:spot", "USD", hours * (1.0 * devices + 0.36) + 5.0);
  add("energy_kwh_per_million_samples", "kWh", kw * step / 3600.0 / batch * 1e6);
  add("kg_co2_per_million_samples", "kg", 0.4 * kw * step / 3600.0 / batch * 1e6);
  add("training_kwh", "kWh", kw * hours);
  add("training_energy_cost", "USD", 0.3 * kw * hours);
  add("training_kg_co2", "kg", 0.4 * kw * hours);
  if (cell.devices == 2 && cell.role == CellRole::kMeasured && batch > 64.0) {
    add("pays_after_hours:second device", "h", batch > 256.0 ? 885.0 : 1255.0);
    add("gain_per_thousand:second device", "1", batch > 256.0 ? 0.6875 : 0.39);
  }
  EstimateRow used = sample_estimate(cell, "device_hours_used", "h", 0.00125 * devices, 0.0);
  used.lo.reset();
  used.hi.reset();
  used.method = "sum";
  results.estimates.push_back(used);
}

}  // namespace

void add_estimates(Results& results, const CellRow& cell) {
  const double step = sample_step_s(cell);
  EstimateRow row = sample_estimate(cell, "step_time_s", "s", step, 0.03);
  results.estimates.push_back(row);
  row.statistic = Statistic::kP50;
  row.method = "tail_across_trials";
  results.estimates.push_back(row);
  row.statistic = Statistic::kP95;
  row.value = row.lo = row.hi = std::nullopt;
  row.status = RowStatus::kUnattainable;
  results.estimates.push_back(row);
  const auto batch = static_cast<double>(*cell.batch_global);
  const auto devices = static_cast<double>(cell.devices);
  results.estimates.push_back(sample_estimate(cell, "throughput", "samples/s", batch / step, 0.03));
  results.estimates.push_back(
      sample_estimate(cell, "throughput_per_device", "samples/s", batch / step / devices, 0.03));
  results.estimates.push_back(sample_estimate(
      cell, "cost_per_million_samples", "USD", 3.0 * devices / 3600.0 * step / batch * 1e6, 0.03));
  add_money(results, cell, step);
  const double exposed =
      cell.role == CellRole::kNoop ? 0.0 : 0.004 * (devices - 1.0) / devices * 2.0;
  for (const auto& [phase, share] : {std::pair("data", 0.1),
                                     std::pair("forward", 0.3),
                                     std::pair("backward", 0.5),
                                     std::pair("optimizer", 0.08),
                                     std::pair("other", 0.02)}) {
    results.estimates.push_back(
        sample_estimate(cell, std::string(phase) + "_time_s", "s", (step - exposed) * share, 0.05));
  }
  results.estimates.push_back(
      sample_estimate(cell, "exposed_communication_time_s", "s", exposed, 0.1));
  const double own = (step - exposed) / step;
  for (const auto& [share, part] : {std::pair("computation", 0.8 * own),
                                    std::pair("exposed_communication", exposed / step),
                                    std::pair("update", 0.08 * own),
                                    std::pair("data", 0.1 * own),
                                    std::pair("other", 0.02 * own)}) {
    results.estimates.push_back(
        sample_estimate(cell, std::string(share) + "_share", "1", part, 0.05));
  }
  if (devices > 1.0 && cell.role == CellRole::kMeasured) {
    add_communication(results, cell, exposed);
  }
}

}  // namespace scalestudy::test
