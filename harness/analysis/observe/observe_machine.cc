#include "harness/analysis/observe/observe_machine.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/analysis/observe/analysis_change.h"
#include "harness/store/tables/summary.h"
#include "harness/study/parameters/interconnect.h"
#include "workloads/names/names.h"

namespace scalestudy {

bool is_of_earlier_command(const TrialRow& trial, const StudyObservation& observation) {
  const auto change = trial_change(trial, observation);
  return change && !change->empty();
}

void place_as_met(const std::vector<TrialRow>& trials,
                  const std::map<std::int64_t, StepTime>& times,
                  StudyObservation& observation) {
  std::unordered_map<std::int64_t, std::vector<const TrialRow*>> by_cell;
  for (const TrialRow& trial : trials) {
    by_cell[trial.cell_id].push_back(&trial);
  }
  for (CellObservation& cell : observation.cells) {
    std::map<std::pair<std::string, std::int64_t>, const TrialRow*> first;  // by plan, block
    bool is_disturbed = false;
    for (const TrialRow* trial : by_cell[cell.row.id]) {
      const bool would_count = trial->state == TrialState::kOk || is_put_aside(*trial);
      if (would_count && !cell.excluded.contains(trial->id) &&
          !is_of_earlier_command(*trial, observation)) {
        const TrialRow*& kept = first[{trial->plan, trial->block}];
        kept = kept == nullptr || trial->attempt < kept->attempt ? trial : kept;
        is_disturbed |= trial->disturbance != Disturbance::kNone;
      }
    }
    for (const auto& [place, trial] : first) {
      const auto time = times.find(trial->id);
      if (is_disturbed && time != times.end() && is_step_time(time->second.mean_s)) {
        TrialObservation& met = cell.as_met.emplace_back();
        met.row = *trial;
        met.metrics[kStepTime] = {.steps = time->second.steps, .mean = time->second.mean_s};
      }
    }
    std::ranges::stable_sort(
        cell.as_met, {}, [](const TrialObservation& trial) { return trial.row.block; });
  }
}

void read_calibrations(const std::vector<SessionRow>& sessions,
                       const Study& study,
                       const std::vector<TrialRow>& trials,
                       const std::map<std::int64_t, std::vector<TelemetryRow>>& telemetry,
                       StudyObservation& observation) {
  for (const SessionRow& session : sessions) {
    for (const TrialRow& trial : trials) {  // in the order they ran
      if (trial.session_id != session.id) {
        continue;
      }
      const auto left = telemetry.find(trial.id);
      if (left == telemetry.end()) {
        continue;
      }
      for (const char* name : {"calibration_before_s", "calibration_after_s"}) {
        const auto row = std::ranges::find(left->second, name, &TelemetryRow::name);
        if (row != left->second.end() && row->value > 0.0 && is_computable(row->value)) {
          const bool is_batch = study.order.design == OrderDesign::kBatch;
          observation.calibrations.push_back({.session = session.id,
                                              .host = session.host,
                                              .group = is_batch ? trial.cell_id : trial.block,
                                              .time_s = row->value});
        }
      }
    }
  }
}

bool is_measure(const std::string& name) {
  static constexpr std::array<std::string_view, 17> kMeasures{names::kParameterCount,
                                                              "tokens_per_sample",
                                                              names::kFlopPerSample,
                                                              "gradient_bytes",
                                                              names::kPeakBytes,
                                                              "device_memory_bytes",
                                                              "driver_memory_bytes",
                                                              "driver_memory_of_process",
                                                              "largest_layers",
                                                              "largest_parameter_count",
                                                              names::kBucketCount,
                                                              names::kTailBucketBytes,
                                                              "best_accuracy",
                                                              "pipeline_bubble_ideal",
                                                              "communication_thread_cores",
                                                              "data_thread_cores",
                                                              "data_storage_share"};
  const bool is_part = name.starts_with("memory_") || name.starts_with("calculated_");
  return (is_part && name.ends_with("_bytes")) ||
         std::ranges::find(kMeasures, name) != kMeasures.end();
}

TrialMetric single_value(double value) {
  return {.steps = 1, .mean = value, .p50 = value, .p95 = value, .p99 = value, .last = value};
}

namespace {

// Bytes per second that the machine's links could carry in each direction, of those that were used
// at least half as much as the busiest; absent if no used link tells its share.
std::optional<double> network_rate(const std::map<std::string, double>& values) {
  constexpr std::string_view share = "_share";
  const auto measured = values.find("measured_s");
  std::map<double, double> rates;  // by share
  for (const auto& [name, value] : values) {
    if (!name.starts_with("measured_") || !name.ends_with(share) || !(value > 0.0) ||
        measured == values.end()) {
      continue;
    }
    const std::string link = name.substr(0, name.size() - share.size());
    const auto sent = values.find(link + "_sent_bytes");
    const auto received = values.find(link + "_received_bytes");
    if (sent != values.end() && received != values.end()) {
      rates[value] += std::max(sent->second, received->second) / value / measured->second;
    }
  }
  double sum = 0.0;
  for (const auto& [used, rate] : rates) {
    sum += used >= 0.5 * rates.rbegin()->first ? rate : 0.0;
  }
  return rates.empty() ? std::nullopt : std::optional(sum);
}

// Bytes per second of the emulated link that each rank has to itself; 0 without one.
double declared_link_rate(const CellRow& cell) {
  constexpr double bytes_per_mbit = 1e6 / 8.0;
  const auto number = [&](const char* name) {
    const auto found = std::ranges::find(cell.parameters, name, &CellRow::Parameter::name);
    return found == cell.parameters.end() ? 0.0 : found->number().value_or(0.0);
  };
  const bool shares_it = cell.devices < 2 || number(names::kVirtualNodeRanks) > 1.0;
  return shares_it ? 0.0 : number(kInterconnectBandwidth) * bytes_per_mbit;
}

// The telemetry of a trial, with what several of its rows come to.
struct Usage {
  std::map<std::string, double> values;  // of each row, by name
  double energy_j = 0.0;                 // of the measured steps, over all devices
  std::optional<double> link_share;      // the largest of any link
  std::optional<double> memory_share;    // the largest of any GPU
  double gpu_use = 0.0;                  // summed over the GPUs that were used
  std::int64_t used_gpus = 0;
};

Usage usage_of(const std::vector<TelemetryRow>& told) {
  Usage usage;
  for (const TelemetryRow& row : told) {
    const bool is_measured = row.name.starts_with("measured_");
    const bool is_of_gpu = row.name.starts_with("gpu");
    usage.values[row.name] = row.value;
    usage.energy_j += is_measured && row.name.ends_with("_energy_j") ? row.value : 0.0;
    if (is_measured && row.name.ends_with("_share")) {
      usage.link_share = std::max(usage.link_share.value_or(0.0), row.value);
    }
    if (is_of_gpu && row.name.ends_with("_memory_share")) {
      usage.memory_share = std::max(usage.memory_share.value_or(0.0), row.value);
    }
    if (is_of_gpu && row.name.ends_with("_utilization") && row.value > 0.0) {
      usage.gpu_use += row.value;
      ++usage.used_gpus;
    }
  }
  return usage;
}

}  // namespace

std::set<std::string> given_metrics(const Study& study, const StudyObservation& observation) {
  std::set<std::string> given = observation.mixed_units;
  for (const auto& [metric, unit] : observation.units) {
    given.insert(metric);
  }
  for (const ExtractRule& rule : study.extract) {
    given.insert(rule.metric);
  }
  return given;
}

void take_usage(const std::vector<TelemetryRow>& told,
                const CellRow& cell,
                const std::set<std::string>& given,
                TrialObservation& trial,
                StudyObservation& observation) {
  Usage usage = usage_of(told);
  const auto add = [&](const char* metric, const char* unit, std::optional<double> value) {
    if (value && *value >= 0.0 && is_computable(*value) && !given.contains(metric)) {
      trial.metrics.emplace(metric, single_value(*value));
      observation.units.emplace(metric, unit);
    }
  };
  const auto over = [&](const char* part, double whole) {
    const auto found = usage.values.find(part);
    return found != usage.values.end() && whole > 0.0 ? std::optional(found->second / whole)
                                                      : std::nullopt;
  };
  const auto step = trial.metrics.find(kStepTime);
  const double step_s = step == trial.metrics.end() ? 0.0 : step->second.mean;
  const double measured_s = usage.values["measured_s"];
  if (usage.energy_j > 0.0 && measured_s > 0.0) {
    const double power_w = usage.energy_j / measured_s;
    add("power_w", "W", power_w);
    add("energy_per_step_j", "J", power_w * step_s);
    if (const auto batch = static_cast<double>(cell.batch_global.value_or(0)); batch > 0.0) {
      add("energy_per_sample_j", "J", power_w * step_s / batch);
    }
  }
  if (usage.used_gpus > 0) {
    add("gpu_busy_share", "1", usage.gpu_use / static_cast<double>(usage.used_gpus));
  }
  add("memory_share", "1", usage.memory_share);
  add("link_share", "1", usage.link_share);
  add(kNetworkRate, "bytes/s", network_rate(usage.values));
  if (const double rate = declared_link_rate(cell); rate > 0.0 && step_s > 0.0) {
    add("declared_link_share", "1", over("traffic_bytes", rate * step_s));
  }
  add("cpu_cores", "cores", over("cpu_s", trial.row.wall_s.value_or(0.0)));
  add("system_share", "1", over("system_s", usage.values["cpu_s"]));
  add("loading_share", "1", over("loading_cpu_s", usage.values["cpu_s"]));
  add("preprocessing_share", "1", over("preprocessing_cpu_s", usage.values["cpu_s"]));
}

}  // namespace scalestudy
