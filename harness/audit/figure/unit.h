// Units as reports print them, brought to one base unit a dimension.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalestudy::audit {

// What kind of number a figure is. Figures of different dimensions are never compared.
enum class Dimension {
  kLabel,         // text, no number
  kRatio,         // base 1; %, x
  kCount,         // base 1; K, M, B, T and any word that is no unit ("23.5M parameters")
  kTime,          // base s
  kBytes,         // base B
  kBandwidth,     // base B/s
  kRate,          // base 1/s; "img/s", "K tokens/sec"
  kMoney,         // base 1 of the currency
  kPrice,         // base 1 of the currency per second; "$3/GPU-hr"
  kDeviceTime,    // base device-seconds; "GPU-hours"
  kFlop,          // base FLOP
  kFlopRate,      // base FLOP/s
  kPower,         // base W
  kRatePerPower,  // base 1/s/W; "K tokens/s/kW"
  kOther,         // a number in whatever unit is printed; never converted
};

// The name of the dimension's base unit: "s", "B/s", "1" ...
std::string_view base_unit(Dimension dimension);

// How many base units one `unit` is, e.g. 1e-3 for ("ms", kTime), 1e9 for ("B", kCount).
// - unit: the text after the digits (for money "$", before them), without blanks; "" is the base
//   unit of kRatio, kCount, kRate and kOther, and no unit of other dimensions.
// - returns: absent if it is no unit of that dimension.
std::optional<double> unit_scale(std::string_view unit, Dimension dimension);

// How many times larger the power of 1024 is for which people also write this unit: 1.024 for 1e3,
// 1.0486 for 1e6; 1 for units that are no power of 1000 up to 1e12.
double binary_excess(double unit_size);

}  // namespace scalestudy::audit
