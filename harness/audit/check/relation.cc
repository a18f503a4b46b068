// The table of relations.
#include "harness/audit/check/relation.h"

#include <string>

#include <fmt/format.h>

#include "workloads/names/names.h"

namespace scalestudy::audit {
namespace {

using enum Sense;
using enum Requirement;

// A row of the table, with its formula as text.
struct Row {
  std::string_view target;
  std::string_view formula;
  Sense sense = kEqual;
  Requirement requirement = kNone;
};

constexpr Row kRows[] = {
    // Throughput: work over time.
    {"throughput", "batch_global / step_time", kEqual, kSamples},
    {"throughput", "batch_per_device * devices / step_time", kEqual, kSamples},
    {"throughput",
     "batch_per_device * gradient_accumulation * devices / step_time",
     kEqual,
     kSamples},
    {"throughput", "batch / step_time", kEqual, kSamples},
    {"throughput", "batch * devices / step_time", kEqual, kSamples},
    {"throughput", "batch * gradient_accumulation * devices / step_time", kEqual, kSamples},
    {"throughput", "batch_global * sequence_length / step_time", kEqual, kTokens},
    {"throughput", "batch_per_device * devices * sequence_length / step_time", kEqual, kTokens},
    {"throughput",
     "batch_per_device * gradient_accumulation * devices * sequence_length / step_time",
     kEqual,
     kTokens},
    {"throughput", "batch * sequence_length / step_time", kEqual, kTokens},
    {"throughput", "batch * devices * sequence_length / step_time", kEqual, kTokens},
    {"throughput",
     "batch * gradient_accumulation * devices * sequence_length / step_time",
     kEqual,
     kTokens},
    {"throughput", "throughput_per_device * devices"},
    {"throughput_per_device", "throughput / devices"},
    {"throughput_per_device", "batch_per_device / step_time", kEqual, kSamples},
    {"throughput_per_device",
     "batch_per_device * gradient_accumulation / step_time",
     kEqual,
     kSamples},
    {"throughput_per_device", "batch_global / devices / step_time", kEqual, kSamples},
    {"throughput_per_device", "batch / step_time", kEqual, kSamples},
    {"throughput_per_device", "batch * gradient_accumulation / step_time", kEqual, kSamples},
    {"throughput_per_device", "batch / devices / step_time", kEqual, kSamples},
    {"throughput_per_device", "batch_per_device * sequence_length / step_time", kEqual, kTokens},
    {"throughput_per_device",
     "batch_per_device * gradient_accumulation * sequence_length / step_time",
     kEqual,
     kTokens},
    {"throughput_per_device",
     "batch_global / devices * sequence_length / step_time",
     kEqual,
     kTokens},
    {"throughput_per_device", "batch * sequence_length / step_time", kEqual, kTokens},
    {"throughput_per_device",
     "batch * gradient_accumulation * sequence_length / step_time",
     kEqual,
     kTokens},
    {"throughput_per_device", "batch / devices * sequence_length / step_time", kEqual, kTokens},
    {"throughput_per_power", "throughput / power"},
    {"throughput_per_power", "throughput / power / devices", kMayBe},
    {"throughput_per_power", "throughput / (devices * power_per_device)"},
    {"throughput_per_power", "throughput_per_device / power_per_device"},
    {"batch_global", "batch_per_device * devices", kAtLeast},
    {"batch_global", "batch_per_device * gradient_accumulation * devices"},

    // Times: the whole holds its parts and often more (validation, checkpoints, start-up).
    {"epoch_time", "samples_per_epoch / throughput", kAtLeast, kSamples},
    {"epoch_time", "steps_per_epoch * step_time", kAtLeast},
    {"total_time", "epochs * epoch_time", kAtLeast},
    {"total_time", "steps * step_time", kAtLeast},
    {"total_time", "tokens / throughput", kAtLeast, kTokens},

    // Scaling: definitions as in stats/METHODS.md, "Speedup and efficiency".
    {"speedup", "throughput / baseline throughput"},
    {"speedup",
     "throughput_per_device * devices / (baseline throughput_per_device * baseline devices)"},
    {"speedup", "baseline step_time / step_time", kEqual, kStrong},
    {"speedup", "baseline step_time / step_time * (devices / baseline devices)", kEqual, kWeak},
    {"speedup", "baseline epoch_time / epoch_time", kEqual, kSameTime},
    {"speedup", "baseline total_time / total_time", kEqual, kSameTime},
    {"speedup",
     "baseline epoch_time / epoch_time * (devices / baseline devices)",
     kEqual,
     kWeakTime},
    {"speedup",
     "baseline total_time / total_time * (devices / baseline devices)",
     kEqual,
     kWeakTime},
    {"speedup", "baseline epoch_time / epoch_time * (nodes / baseline nodes)", kEqual, kWeakTime},
    {"speedup", "baseline total_time / total_time * (nodes / baseline nodes)", kEqual, kWeakTime},
    {"efficiency", "speedup / (devices / baseline devices)"},
    {"efficiency", "throughput / baseline throughput / (devices / baseline devices)"},
    {"efficiency", "throughput_per_device / baseline throughput_per_device"},
    {"efficiency",
     "baseline step_time / step_time / (devices / baseline devices)",
     kEqual,
     kStrong},
    {"efficiency", "baseline step_time / step_time", kEqual, kWeak},
    {"efficiency",
     "baseline epoch_time / epoch_time / (devices / baseline devices)",
     kEqual,
     kSameTime},
    {"efficiency",
     "baseline total_time / total_time / (devices / baseline devices)",
     kEqual,
     kSameTime},
    {"efficiency", "baseline epoch_time / epoch_time", kEqual, kWeakTime},
    {"efficiency", "baseline total_time / total_time", kEqual, kWeakTime},
    {"efficiency", "speedup / (nodes / baseline nodes)"},
    {"efficiency", "throughput / baseline throughput / (nodes / baseline nodes)"},
    {"efficiency",
     "baseline epoch_time / epoch_time / (nodes / baseline nodes)",
     kEqual,
     kSameTime},
    {"efficiency",
     "baseline total_time / total_time / (nodes / baseline nodes)",
     kEqual,
     kSameTime},
    {"overhead", "communication_time / step_time"},
    {"overhead", "1 - compute_time / step_time"},
    {"overhead", "1 - efficiency", kMayBe},
    {"overhead", "communication_time / compute_time", kMayBe},
    {"overhead", "step_time / compute_time - 1", kMayBe},
    // Amdahl 1967.
    {"amdahl_speedup", "1 / ((1 - parallel_fraction) + parallel_fraction / devices)"},

    // Cost.
    {"device_time", "devices * total_time"},
    {"cost", "devices * total_time * price_per_device_hour"},
    {"cost", "nodes * total_time * price_per_node_hour"},
    {"cost", "device_time * price_per_device_hour"},
    {"power", "devices * power_per_device", kAtLeast},

    // Volumes and bandwidths. Ring all-reduce: Patarasuk & Yuan 2009; factors of the bus bandwidth:
    // github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
    {"gradient_bytes", "parameters * bytes_per_parameter"},
    {"traffic_bytes", "2 * (devices - 1) / devices * gradient_bytes"},
    {"memory_share", "memory / memory_capacity"},
    {"algbw", "message_bytes / latency"},
    {"busbw", "algbw * 2 * (devices - 1) / devices", kEqual, kAllReduce},
    {"busbw", "algbw * (devices - 1) / devices", kEqual, kGather},
    {"busbw", "algbw", kEqual, kRooted},
    {"flop_rate", "flop_per_step / step_time"},
    {"flop_rate", "flop_rate_per_device * devices"},
    {"flop_rate_per_device", "flop_per_step / step_time / devices"},
    {"flop_rate_per_device", "flop_rate / devices"},
    {"mfu", "flop_rate / (devices * peak_flop_rate)"},
    {"mfu", "flop_rate_per_device / peak_flop_rate"},
    {"mfu", "flop_per_step / (step_time * devices * peak_flop_rate)"},
};

// The formula for tables whose baseline prints n on n devices: all speedups are n times as large.
// Empty if the row has nothing to do with speedups.
std::string over_linear(const Row& row) {
  if (row.target == names::kSpeedup) {
    return fmt::format("{} * baseline speedup", row.formula);
  }
  return row.formula.starts_with("speedup /") ? fmt::format("{} / baseline speedup", row.formula)
                                              : "";
}

}  // namespace

const std::vector<Relation>& relations() {
  static const std::vector<Relation> kTable = [] {
    std::vector<Relation> all;
    for (const Row& row : kRows) {
      const std::string linear = over_linear(row);
      const SpeedupBase base = linear.empty() ? SpeedupBase::kAny : SpeedupBase::kOne;
      all.push_back({row.target, Formula(row.formula), row.sense, row.requirement, base});
      if (!linear.empty()) {
        all.push_back(
            {row.target, Formula(linear), row.sense, row.requirement, SpeedupBase::kLinear});
      }
    }
    return all;
  }();
  return kTable;
}

}  // namespace scalestudy::audit
