// Numbers and cells as the sentences of a report name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/number.h"
#include "harness/store/rows.h"

namespace scalestudy {

// Three significant digits, for numbers without an interval: "0.0123", "1.62", "1230".
std::string format_plain(double value);

// "1.62x [1.55, 1.70]": rounded so that the half-width has two significant digits. Without both
// ends only the value, with three digits. `unit` follows the value: "x", " %", " s".
//   levels  what the ends are read against: see interval_decimals.
std::string format_with_interval(double value,
                                 std::optional<double> lo,
                                 std::optional<double> hi,
                                 std::string_view unit,
                                 const std::vector<double>& levels = {});

// A fraction as a percentage: 0.123 with [0.09, 0.16] -> "12.3 % [9.0, 16.0]"; as a factor where
// are_factors: 15 with [3, 75] -> "15x [3, 75]". Levels are fractions too.
std::string format_percent_with_interval(double fraction,
                                         std::optional<double> lo,
                                         std::optional<double> hi,
                                         const std::vector<double>& levels = {});

// A ratio as a change: "+3.20 %", "-12.0 %"; "12.0x" where are_factors.
std::string format_change(double ratio);

// The ends of a ratio's interval as changes: "from -0.2 % to +3.2 %", "from 0.067x to 100x".
std::string format_change_range(double lo, double hi);

// A declared number in full, without binary noise: "1.7", "85".
std::string format_number(double value);

// A declared fraction: "2 %", "0.5 %".
std::string format_percent(double fraction);

// A p value: "p = 0.013", "p < 0.0001".
std::string say_p_value(double p_value);

// "1 trial", "8 trials".
std::string format_count(std::int64_t count, std::string_view noun);

// "2 devices at batch_global=256": what varies, devices first.
std::string describe_cell(const CellRow& cell);

// `named` by what sets it apart from `other`: "1 device", "env.NCCL_ALGO=default".
std::string describe_against(const CellRow& named, const CellRow& other);

}  // namespace scalestudy
