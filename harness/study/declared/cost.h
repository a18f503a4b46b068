// The section cost of a study: prices, energy and what is to be trained, all declared. Contract:
// `version: 1` of study files.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/study/declared/value.h"
#include "harness/text/quantity.h"

namespace scalestudy {

// Where a declared number is from. Either may be missing, which a report points out.
struct Declared {
  std::string source = {};
  std::string date = {};  // 2026-11-01

  bool is_whole() const { return !source.empty() && !date.empty(); }
};

// The price of an hour: per_device_hour or per_node_hour is above 0.
struct Price {
  std::string name = "declared";
  double per_device_hour = 0.0;
  double per_node_hour = 0.0;
  double preemptions_per_device_hour = 0.0;  // of machines at this price; 0: not declared
  std::string basis = {};  // how bought hardware became it: "1600 over 3 years of 8760 hours, ..."
  Declared declared = {};

  // Mean time between two preemptions of so many devices, s; infinite if none are declared.
  double preemption_mtbf_s(std::int64_t devices) const {
    return kSecondsAnHour / (preemptions_per_device_hour * static_cast<double>(devices));
  }
  double per_hour(std::int64_t devices, std::int64_t nodes) const {
    return per_device_hour * static_cast<double>(devices) +
           per_node_hour * static_cast<double>(nodes);
  }
};

struct EnergyUse {
  double watts_per_device = 0.0;  // > 0, of a device that trains
  double per_kwh = 0.0;           // price; 0: not declared
  double kg_co2_per_kwh = 0.0;    // 0: not declared
  double pue = 1.0;               // >= 1: what the site uses for each kWh of its machines
  Declared declared = {};
};

// The estimate of the time that the declared training takes, h.
inline constexpr const char* kTrainingHours = "training_hours";

// What is to be trained: samples, or tokens.
struct Training {
  double samples = 0.0;  // 0: tokens are declared
  double tokens = 0.0;
  double samples_per_epoch = 0.0;  // 0: not declared
  std::string text = {};           // "90 epochs of 1281167 samples"
};

// A cost beside the machines: storage, transfer, requests.
struct CostLine {
  std::string name = {};
  double per_hour = 0.0;      // for each hour of training
  double per_training = 0.0;  // for a whole training, however long it takes
  Declared declared = {};
};

// Something that can be bought, or done at a price, and the cells that have it.
struct Investment {
  std::string name = {};
  double price = 0.0;  // > 0
  Parameters where = {};
  Declared declared = {};
};

// The currency of a study that knows no price: costs are hours of one device, and no money.
inline constexpr const char* kDeviceHours = "device-hours";

struct Cost {
  Price price = {};                // the price that a report counts with
  std::string currency = "USD";    // or kDeviceHours
  std::vector<Price> others = {};  // spot, reserved, another region ...
  std::optional<EnergyUse> energy = {};
  std::optional<Training> train = {};
  std::vector<CostLine> lines = {};
  std::vector<Investment> investments = {};
};

// All prices, the one that a report counts with first.
inline std::vector<const Price*> prices_of(const Cost& cost) {
  std::vector<const Price*> prices = {&cost.price};
  for (const Price& price : cost.others) {
    prices.push_back(&price);
  }
  return prices;
}

// What the names of metrics end in at that price of `cost`: ":spot"; "" for the first one.
inline std::string price_suffix(const Cost& cost, const Price& price) {
  return &price == &cost.price ? "" : ":" + price.name;
}

// The price of an hour of so many devices; without a price their number, so that cost is device
// time.
inline double hourly(const Price* price, std::int64_t devices, std::int64_t nodes) {
  return price != nullptr ? price->per_hour(devices, nodes) : static_cast<double>(devices);
}

inline double hourly(const std::optional<Cost>& cost, std::int64_t devices, std::int64_t nodes) {
  return hourly(cost ? &cost->price : nullptr, devices, nodes);
}

// A number of devices on a number of nodes.
struct Machines {
  std::int64_t devices = 1;
  std::int64_t nodes = 1;
};

// Whether the cost of `to` relative to `from` is the same at both prices.
inline bool is_proportional(const Price& one, const Price& other, Machines from, Machines to) {
  const auto hour = [](const Price& price, const Machines& of) {
    return price.per_hour(of.devices, of.nodes);
  };
  const double left = hour(one, to) * hour(other, from);
  const double right = hour(other, to) * hour(one, from);
  return std::abs(left - right) <= 1e-12 * left;  // products of declared numbers
}

// Quantity of comparisons with the cheapest cell at Cost::price; cheapest_at() names it at another.
inline constexpr std::string_view kCheapest = "cheapest";

inline std::string cheapest_at(const Price& price) {
  return std::string(kCheapest) + ":" + price.name;
}

inline bool is_cheapest(std::string_view quantity) {
  return quantity == kCheapest || quantity.starts_with("cheapest:");
}

}  // namespace scalestudy
