// Recursive descent to postfix; evaluation at the corners of the bases' intervals.
#include "harness/audit/figure/formula.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace scalestudy::audit {
namespace {

constexpr std::size_t kMostFree = 12;  // 2^12 corners

// Sets `values` to the lower ends, those of the free names whose bit is set to the upper ones, and
// names of one figure to one value.
void set_corner(std::vector<double>& values,
                std::span<const Range> ranges,
                std::span<const std::size_t> same_as,
                const std::vector<std::size_t>& free,
                std::size_t bits) {
  std::transform(
      ranges.begin(), ranges.end(), values.begin(), [](const Range& range) { return range.lo; });
  for (std::size_t k = 0; k < free.size(); ++k) {
    if ((bits >> k & 1U) != 0) {
      values[free[k]] = ranges[free[k]].hi;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = values[same_as[i]];
  }
}

// The smallest range of `symbol` between one value of each side. Unbounded (NaN) where the divisor
// can be zero, or an end overflows.
Range combine(const Range& left, char symbol, const Range& right) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (symbol == '+') {
    return {left.lo + right.lo, left.hi + right.hi};
  }
  if (symbol == '-') {
    return {left.lo - right.hi, left.hi - right.lo};
  }
  if (symbol == '/' && !(right.lo > 0.0 || right.hi < 0.0)) {
    return {nan, nan};
  }
  const auto value = [symbol](double a, double b) { return symbol == '*' ? a * b : a / b; };
  const std::array<double, 4> corners{value(left.lo, right.lo),
                                      value(left.lo, right.hi),
                                      value(left.hi, right.lo),
                                      value(left.hi, right.hi)};
  if (!std::all_of(corners.begin(), corners.end(), [](double c) { return std::isfinite(c); })) {
    return {nan, nan};
  }
  const auto [lo, hi] = std::minmax_element(corners.begin(), corners.end());
  return {*lo, *hi};
}

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

class Formula::Parser {
 public:
  Parser(Formula& formula, std::string_view text) : formula_(formula), rest_(text) {}

  void parse() {
    sum();
    if (!rest_.empty()) {
      fail();
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw std::logic_error("no formula: " + formula_.text_ + " at \"" + std::string(rest_) + "\"");
  }

  void skip_blanks() {
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
  }

  bool take(char symbol) {
    skip_blanks();
    if (!rest_.starts_with(symbol)) {
      return false;
    }
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  void push_operator(char symbol) {
    Step step;
    step.kind = Step::Kind::kOperator;
    step.symbol = symbol;
    formula_.steps_.push_back(step);
  }

  void sum() {
    product();
    for (bool more = true; more;) {
      const char symbol = take('+') ? '+' : take('-') ? '-' : ' ';
      more = symbol != ' ';
      if (more) {
        product();
        push_operator(symbol);
      }
    }
  }

  void product() {
    factor();
    for (bool more = true; more;) {
      const char symbol = take('*') ? '*' : take('/') ? '/' : ' ';
      more = symbol != ' ';
      if (more) {
        factor();
        push_operator(symbol);
      }
    }
  }

  void factor() {
    if (take('(')) {
      sum();
      if (!take(')')) {
        fail();
      }
      return;
    }
    if (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
      number();
    } else {
      name();
    }
  }

  void number() {
    Step step;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), step.number);
    if (error != std::errc()) {
      fail();
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    formula_.steps_.push_back(step);
  }

  std::string word() {
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), is_name_byte);
    std::string taken(rest_.begin(), end);
    rest_.remove_prefix(taken.size());
    skip_blanks();
    return taken;
  }

  void name() {
    std::string name = word();
    if (name == "baseline" && !rest_.empty() && is_name_byte(rest_[0])) {
      name += " " + word();
    }
    if (name.empty()) {
      fail();
    }
    std::vector<std::string>& names = formula_.names_;
    const auto found = std::find(names.begin(), names.end(), name);
    Step step;
    step.kind = Step::Kind::kName;
    step.name = static_cast<std::size_t>(found - names.begin());
    if (found == names.end()) {
      names.push_back(name);
    }
    formula_.steps_.push_back(step);
  }

  Formula& formula_;
  std::string_view rest_;
};

Formula::Formula(std::string_view text) : text_(text) {
  Parser(*this, text).parse();
}

double Formula::evaluate(std::span<const double> values) const {
  std::vector<double> divisors;
  return evaluate(values, divisors);
}

double Formula::evaluate(std::span<const double> values, std::vector<double>& divisors) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kNumber) {
      stack.push_back(step.number);
      continue;
    }
    if (step.kind == Step::Kind::kName) {
      stack.push_back(values[step.name]);
      continue;
    }
    const double right = stack.back();
    stack.pop_back();
    double& left = stack.back();
    switch (step.symbol) {
      case '+':
        left += right;
        break;
      case '-':
        left -= right;
        break;
      case '*':
        left *= right;
        break;
      default:
        divisors.push_back(right);
        // A divisor of zero has no sign to tell by which infinity it is.
        left = right == 0.0 ? std::numeric_limits<double>::quiet_NaN() : left / right;
        break;
    }
  }
  return stack.back();
}

Range Formula::enclose(std::span<const Range> ranges) const {
  std::vector<Range> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kNumber) {
      stack.push_back({step.number, step.number});
    } else if (step.kind == Step::Kind::kName) {
      stack.push_back(ranges[step.name]);
    } else {
      const Range right = stack.back();
      stack.pop_back();
      stack.back() = combine(stack.back(), step.symbol, right);
    }
  }
  return stack.back();
}

Range Formula::range(std::span<const Range> ranges, std::span<const std::size_t> same_as) const {
  std::vector<std::size_t> free;  // names that are figures of their own, and not exact
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (same_as[i] == i && ranges[i].lo < ranges[i].hi) {
      free.push_back(i);
    }
  }
  if (free.size() > kMostFree) {
    return enclose(ranges);
  }
  const std::size_t corners = std::size_t{1} << free.size();
  std::vector<double> values(ranges.size());
  std::vector<double> first_divisors;
  Range result{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (std::size_t corner = 0; corner < corners; ++corner) {
    set_corner(values, ranges, same_as, free, corner);
    std::vector<double> divisors;
    const double value = evaluate(values, divisors);
    first_divisors = corner == 0 ? divisors : first_divisors;
    const bool crosses_zero = !std::equal(
        divisors.begin(), divisors.end(), first_divisors.begin(), [](double a, double b) {
          return std::signbit(a) == std::signbit(b);
        });
    if (!std::isfinite(value) || crosses_zero) {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      return {nan, nan};
    }
    result.lo = std::min(result.lo, value);
    result.hi = std::max(result.hi, value);
  }
  return result;
}

}  // namespace scalestudy::audit
