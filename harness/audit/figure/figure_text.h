// The grammar of printed figures: a text taken apart, before its unit means anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// A number as printed, without its unit.
struct Number {
  double value = 0.0;
  int decimals = 0;        // place of the last printed digit, exponent included: 2 for "3.85"
  int trailing_zeros = 0;  // of an integer
  std::string currency;
};

// A printed figure's parts.
struct Pieces {
  FigureForm form = FigureForm::kRounded;
  std::optional<Number> first;   // absent for a spread alone: "±0.1%"
  std::optional<Number> second;  // the upper end of a span
  std::optional<Number> spread;
  std::optional<std::pair<Number, Number>> interval;
  bool is_approximate = false;
  std::string unit;
};

// Takes a printed figure apart; absent if the text is no figure.
std::optional<Pieces> take_apart(std::string_view text);

// Removes "$", "€" or "£" from the front of `text` and returns it; empty if there is none.
std::string take_currency(std::string_view& text);

}  // namespace scalestudy::audit
