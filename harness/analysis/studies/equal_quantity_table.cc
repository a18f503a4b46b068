#include "harness/analysis/studies/equal_quantity_table.h"

#include <array>

#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kMillion = 1e6;
constexpr double kWattsAKilowatt = 1e3;

constexpr std::string_view kOfOverhead =
    "ours is the share of a step that is saved without communication; a document may mean 1 - "
    "efficiency, or the time inside collectives";
constexpr std::string_view kOfTime =
    "ours is the declared training at the measured throughput, without start, evaluation and "
    "checkpoints";
constexpr std::string_view kOfCost =
    "ours is the declared training at the measured throughput and the declared prices, with the "
    "other lines of the cost";
constexpr std::string_view kOfCostEfficiency = "ours is relative to this study's own baseline";
constexpr std::string_view kOfTokens =
    "ours is the price of the machines alone, without storage and transfer";
constexpr std::string_view kOfMemory =
    "ours is what the program allocated on a device; a driver also counts contexts, code and "
    "caches";
constexpr std::string_view kOfPower =
    "ours is calculated with the declared power of a device and the site's PUE";
constexpr std::string_view kOfExposed =
    "ours is the communication that a step waits for, without what backward hides";
constexpr std::string_view kOfBusy =
    "ours is the share of the trial in which some kernel ran on the GPU, the program's start "
    "included";
constexpr std::string_view kOfCores = "ours is a share of the CPU time of the trial";

const auto kRows = std::to_array<EqualQuantity>({
    {.quantity = "throughput", .result = names::kTokensPerSecond, .count = RateOf::kTokens},
    {.quantity = "throughput", .result = names::kThroughput, .count = RateOf::kSamples},
    {.quantity = "throughput_per_device", .result = names::kThroughputPerDevice},
    {.quantity = "mfu", .result = names::kUtilization},
    {.quantity = "speedup", .result = names::kSpeedup, .is_comparison = true},
    {.quantity = "efficiency", .result = names::kEfficiency, .is_comparison = true},
    {.quantity = "overhead",
     .result = names::kOverhead,
     .is_comparison = true,
     .note = kOfOverhead},
    {.quantity = "throughput_change",
     .result = names::kSpeedup,
     .is_comparison = true,
     .conversion = Conversion::kChange},
    {.quantity = "memory", .result = names::kPeakBytes, .note = kOfMemory},
    {.quantity = "memory_saving",
     .result = names::kPeakBytes,
     .is_comparison = true,
     .conversion = Conversion::kSaving,
     .note = kOfMemory},
    {.quantity = "parameters", .result = names::kParameterCount},
    // Times of a training.
    {.quantity = "total_time",
     .result = "training_hours",
     .factor = kSecondsAnHour,
     .scale = EqualBy::kTraining,
     .note = kOfTime},
    {.quantity = "epoch_time", .result = "epoch_time_s", .note = kOfTime},
    {.quantity = "device_time",
     .result = "training_device_hours",
     .factor = kSecondsAnHour,
     .scale = EqualBy::kTraining,
     .note = kOfTime},
    // Parts of a step.
    {.quantity = "time", .parts = "forward|forward pass", .result = names::kForwardTime},
    {.quantity = "time", .parts = "backward|backward pass", .result = names::kBackwardTime},
    {.quantity = "time", .parts = "optimizer|optimizer step", .result = names::kOptimizerTime},
    {.quantity = "time", .parts = "data|data loading", .result = names::kDataTime},
    {.quantity = "time",
     .parts = "communication|gradient sync|allreduce operation",
     .result = names::kExposed,
     .note = kOfExposed},
    {.quantity = "time", .parts = "overhead|other", .result = names::kOtherTime},
    {.quantity = "time", .parts = "total", .result = names::kStepTime},
    {.quantity = "communication_time", .result = names::kExposed, .note = kOfExposed},
    {.quantity = "share", .parts = "optimizer|optimizer step", .result = "update_share"},
    {.quantity = "share", .parts = "data|data loading", .result = "data_share"},
    {.quantity = "share",
     .parts = "communication|allreduce comm",
     .result = "exposed_communication_share",
     .note = kOfExposed},
    {.quantity = "share", .parts = "other|idle/overhead", .result = "other_share"},
    // What a machine's counters tell.
    {.quantity = "utilization",
     .parts = "data loading",
     .result = "loading_share",
     .note = kOfCores},
    {.quantity = "utilization",
     .parts = "preprocessing",
     .result = "preprocessing_share",
     .note = kOfCores},
    {.quantity = "utilization", .parts = "system", .result = "system_share", .note = kOfCores},
    {.quantity = "utilization", .parts = "memory", .result = "memory_share"},
    {.quantity = "utilization", .parts = "network", .result = "link_share"},
    {.quantity = "utilization", .result = "gpu_busy_share", .note = kOfBusy},
    // Money and energy.
    {.quantity = "cost",
     .result = "training_cost",
     .scale = EqualBy::kSameTraining,
     .has_price = true,
     .note = kOfCost},
    {.quantity = "cost",
     .result = "cost_per_million_tokens",
     .factor = 1.0 / kMillion,
     .scale = EqualBy::kTokens,
     .has_price = true,
     .note = kOfTokens},
    {.quantity = "cost",
     .result = "cost_per_million_samples",
     .factor = 1.0 / kMillion,
     .scale = EqualBy::kSamples,
     .has_price = true,
     .note = kOfTokens},
    {.quantity = "money",
     .parts = "total",
     .result = "training_cost",
     .scale = EqualBy::kSameTraining,
     .has_price = true,
     .note = kOfCost},
    {.quantity = "money",
     .parts = "compute",
     .result = "training_machine_cost",
     .scale = EqualBy::kSameTraining,
     .has_price = true},
    {.quantity = "cost_efficiency",
     .result = "cost_efficiency",
     .has_price = true,
     .note = kOfCostEfficiency},
    {.quantity = "throughput_per_power",
     .result = "tokens_per_second_per_kw",
     .factor = 1.0 / kWattsAKilowatt,
     .count = RateOf::kTokens,
     .note = kOfPower},
    {.quantity = "throughput_per_power",
     .result = "throughput_per_kw",
     .factor = 1.0 / kWattsAKilowatt,
     .count = RateOf::kSamples,
     .note = kOfPower},
    {.quantity = "carbon", .result = "training_kg_co2", .note = kOfPower},
});

}  // namespace

std::span<const EqualQuantity> equal_quantities() {
  return kRows;
}

}  // namespace scalestudy
