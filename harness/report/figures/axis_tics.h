// Where the axes of figures have tics, and the labels of these tics.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/report/figures/figure_series.h"
#include "harness/text/number.h"

namespace scalestudy::report {

// The definition of tics at round numbers on a logarithmic axis ('x' or 'y'): `usual`, evenly
// spaced ones where fewer than three of them are between `least` and `most`, which are above 0, or
// powers of ten where these are three decades apart. A single value has a tic.
std::string log_tics(char axis,
                     double least,
                     double most,
                     const std::vector<double>& usual,
                     std::string (*text_of)(double) = nullptr);

// 1, 2 and 5 of each power of ten from 1e-9 to 1e9.
std::vector<double> round_numbers();

// A count that leaves room for its neighbours on an axis: "4064", "11.2k", "6.89M", "7B".
std::string short_count(double value);

// The definition of short_count() tics on a y axis from 0 to `most`; "" below 100,000, where
// gnuplot's own are short enough.
std::string count_tics(double most);

// Definitions of tics at the x values of all points and nowhere else, and of x_least and x_most.
// Both ends are labelled, and the values between that have room. `marked` ones have claim_mark().
std::string value_tics(const std::vector<Series>& all,
                       bool is_log,
                       const std::set<double>& marked = {},
                       std::string (*text_of)(double) = format_axis_value);

// Whether labels at these values would touch each other on a linear axis, as those of 1, 2, 4, ...
// 256 would, and have more room on a logarithmic one.
bool need_log_axis(const std::set<double>& values);

}  // namespace scalestudy::report
