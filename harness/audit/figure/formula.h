// Formulas as text that is computed: what a finding prints is what was evaluated.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// +, -, *, /, parentheses, decimal numbers, and names ([a-z0-9_]+, or two words "baseline NAME").
class Formula {
 public:
  // Throws std::logic_error for a text that is no formula: formulas are the program's own.
  explicit Formula(std::string_view text);

  const std::string& text() const { return text_; }

  // Names in the order of their first use, each once.
  const std::vector<std::string>& names() const { return names_; }

  // The formula's value for `values`, parallel to names(). Division by zero gives infinity or NaN.
  double evaluate(std::span<const double> values) const;

  // The smallest interval that holds every value when each name is anywhere in its range, for a
  // formula that is monotone in each name. `same_as[i]` is the index of the name that is the very
  // same figure (i itself when there is none before). An end is infinite or NaN when a divisor
  // can be zero. With more than 12 different figures the interval holds those values too, and is
  // the smallest one where no name is used twice.
  Range range(std::span<const Range> ranges, std::span<const std::size_t> same_as) const;

 private:
  // Postfix: a number, a name (index), or an operator.
  struct Step {
    enum class Kind { kNumber, kName, kOperator };
    Kind kind = Kind::kNumber;
    double number = 0.0;
    std::size_t name = 0;
    char symbol = ' ';
  };
  class Parser;

  // Interval arithmetic: each use of a name goes through its range by itself.
  Range enclose(std::span<const Range> ranges) const;

  // Evaluates as above and appends every divisor to `divisors`, in order.
  double evaluate(std::span<const double> values, std::vector<double>& divisors) const;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

}  // namespace scalestudy::audit
