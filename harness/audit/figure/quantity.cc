// The table of quantities.
#include "harness/audit/figure/quantity.h"

#include <algorithm>
#include <array>

namespace scalestudy::audit {
namespace {

using enum Dimension;

QuantityInfo label(std::string_view name, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = kLabel;
  info.is_condition = true;
  info.meaning = meaning;
  return info;
}

// Text that only describes a row.
QuantityInfo remark(std::string_view name, std::string_view meaning) {
  QuantityInfo info = label(name, meaning);
  info.is_condition = false;
  info.is_exact = true;
  return info;
}

// A count that says which run is meant and that nobody rounds.
QuantityInfo setting(std::string_view name, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = kCount;
  info.is_condition = true;
  info.is_exact = true;
  info.least = 0.0;
  info.meaning = meaning;
  return info;
}

QuantityInfo size_condition(std::string_view name, Dimension dimension, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = dimension;
  info.is_condition = true;
  info.least = 0.0;
  info.meaning = meaning;
  return info;
}

QuantityInfo exact_count(std::string_view name, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = kCount;
  info.is_exact = true;
  info.least = 0.0;
  info.meaning = meaning;
  return info;
}

QuantityInfo amount(std::string_view name, Dimension dimension, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = dimension;
  info.least = 0.0;
  info.meaning = meaning;
  return info;
}

// A property of a product: its nominal value.
QuantityInfo nominal(std::string_view name, Dimension dimension, std::string_view meaning) {
  QuantityInfo info = amount(name, dimension, meaning);
  info.is_exact = true;
  return info;
}

QuantityInfo derived(std::string_view name, Dimension dimension, std::string_view meaning) {
  QuantityInfo info = amount(name, dimension, meaning);
  info.is_derived = true;
  return info;
}

// A part of a whole: from 0 to 1.
QuantityInfo part(std::string_view name, bool is_derived, std::string_view meaning) {
  QuantityInfo info = amount(name, kRatio, meaning);
  info.most = 1.0;
  info.is_derived = is_derived;
  return info;
}

QuantityInfo free(std::string_view name, Dimension dimension, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = dimension;
  info.is_free = true;
  info.meaning = meaning;
  return info;
}

QuantityInfo relative(std::string_view name, bool is_derived, std::string_view meaning) {
  QuantityInfo info;
  info.name = name;
  info.dimension = kRatio;
  info.is_derived = is_derived;
  info.meaning = meaning;
  return info;
}

QuantityInfo relative_change(std::string_view name, std::string_view meaning) {
  QuantityInfo info = relative(name, true, meaning);
  info.is_free = true;
  return info;
}

const auto kQuantities = std::to_array<QuantityInfo>({
    // Which run.
    setting("devices", "GPUs, or whatever computes on its own"),
    setting("nodes", "machines"),
    setting("batch_per_device", "samples a device and step"),
    setting("batch_global", "samples of all devices a step"),
    setting("batch", "samples a step, where the document does not say of one device or of all"),
    setting("sequence_length", "tokens of a sample"),
    size_condition("message_bytes", kBytes, "size of a collective call's buffer"),
    size_condition("tokens", kCount, "tokens trained on"),
    size_condition("samples", kCount, "samples trained on"),
    label("model", "model"),
    label("strategy", "DDP, FSDP ..."),
    label("precision", "number format"),
    label("hardware", "device or machine"),
    label("framework", "software"),
    label("data", "data set"),
    label("operation", "phase of a step, or kind of collective (all_reduce, all_gather ...)"),
    label("configuration", "anything else that names a run: baseline, optimized"),
    label("scaling", "strong: batch_global is kept; weak: batch_per_device is kept"),
    label("label", "text under the name of its own column"),
    remark("note", "text that tells rows apart and names no run that others are compared with"),
    // Speed.
    amount("throughput", kRate, "samples or tokens a second, of all devices"),
    amount("throughput_per_device", kRate, "the same of one device"),
    amount("step_time", kTime, "one training step"),
    amount("epoch_time", kTime, "one pass over the data"),
    amount("total_time", kTime, "the whole training"),
    amount("communication_time", kTime, "communication in one step"),
    amount("compute_time", kTime, "computation in one step"),
    amount("latency", kTime, "one collective call"),
    amount("checkpoint_save_time", kTime, "writing one checkpoint"),
    amount("checkpoint_load_time", kTime, "reading one checkpoint"),
    amount("recovery_time", kTime, "from the restart after a failure to the first new step"),
    exact_count("steps", "steps of the whole training"),
    exact_count("steps_per_epoch", "steps of an epoch"),
    exact_count("epochs", "epochs of the whole training"),
    exact_count("gradient_accumulation", "batches of a device in one step"),
    amount("samples_per_epoch", kCount, "samples of the data set"),
    // Scaling.
    derived("speedup", kRatio, "throughput over the baseline's"),
    part("efficiency", true, "speedup over the ratio of devices"),
    part("overhead", true, "part of the step that is not computation"),
    part("parallel_fraction", false, "P of Amdahl's law"),
    derived("amdahl_speedup", kRatio, "speedup by Amdahl's law"),
    part("mfu", true, "achieved over peak FLOP/s"),
    part("utilization", false, "part of the time or of the capacity that is used"),
    part("share", false, "part of a whole"),
    part("accuracy", false, "part of the answers that are right"),
    relative("throughput_change", false, "throughput over the baseline's - 1"),
    relative("memory_saving", false, "1 - memory over the baseline's"),
    // Cost.
    derived("cost",
            kMoney,
            "cost of the whole training, or of the tokens or samples of its conditions"),
    derived("cost_efficiency", kRatio, "the baseline's cost over the cost"),
    nominal("price_per_device_hour", kPrice, "price of one device"),
    nominal("price_per_node_hour", kPrice, "price of one machine"),
    derived("device_time", kDeviceTime, "devices x time: GPU-hours"),
    amount("power", kPower, "power of all devices"),
    amount("power_per_device", kPower, "power of one device"),
    derived("throughput_per_power", kRatePerPower, "throughput a watt"),
    amount("carbon", kOther, "kg of CO2 of the whole training"),
    // Volumes and bandwidths.
    amount("parameters", kCount, "parameters of the model"),
    exact_count("bytes_per_parameter", "4 for fp32"),
    derived("gradient_bytes", kBytes, "size of all gradients"),
    derived("traffic_bytes", kBytes, "what a device sends in a ring all-reduce of the gradients"),
    amount("memory", kBytes, "memory used on a device"),
    nominal("memory_capacity", kBytes, "memory of a device, as it is sold"),
    derived("memory_share", kRatio, "memory used over the memory of a device"),
    derived("algbw", kBandwidth, "message size over latency"),
    derived("busbw", kBandwidth, "algbw by the collective's factor, as nccl-tests prints it"),
    amount("flop_per_step", kFlop, "floating-point operations of a step, all devices"),
    amount("flop_rate", kFlopRate, "achieved FLOP/s of all devices"),
    amount("flop_rate_per_device", kFlopRate, "the same of one device"),
    nominal("peak_flop_rate", kFlopRate, "peak FLOP/s of one device, as it is sold"),
    // Differences.
    relative_change("saving", "1 - new / old"),
    relative_change("change", "new / old - 1"),
    // Figures no relation knows; rules and SQL may use them.
    free("ratio", kRatio, "any ratio"),
    free("count", kCount, "any count"),
    free("time", kTime, "any time"),
    free("size", kBytes, "any amount of data"),
    free("bandwidth", kBandwidth, "any bandwidth"),
    free("rate", kRate, "any rate"),
    free("money", kMoney, "any amount of money"),
    free("other", kOther, "a number in a unit of its own"),
});

}  // namespace

std::span<const QuantityInfo> quantities() {
  return kQuantities;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const QuantityInfo& info : kQuantities) {
    names.emplace_back(info.name);
  }
  return names;
}

const QuantityInfo* find_quantity(std::string_view name) {
  const auto* const found =
      std::find_if(kQuantities.begin(), kQuantities.end(), [&](const QuantityInfo& info) {
        return info.name == name;
      });
  return found == kQuantities.end() ? nullptr : found;
}

bool adds_up(const QuantityInfo& info) {
  constexpr auto dimensions =
      std::to_array<Dimension>({kTime, kBytes, kCount, kMoney, kDeviceTime});
  return !info.is_condition &&
         std::find(dimensions.begin(), dimensions.end(), info.dimension) != dimensions.end();
}

}  // namespace scalestudy::audit
