#include "harness/import/runs/run_columns.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "harness/run/output/step_numbers.h"
#include "harness/run/values/printed_number.h"
#include "harness/text/csv_line.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// One finite number, also with commas between thousands.
std::optional<FoundNumbers> read_number(const std::string& text) {
  FoundNumbers found;
  try {
    add_printed(text, {}, found);
  } catch (const BadValue&) {
    return std::nullopt;
  }
  return found.not_finite.empty() ? std::optional(found) : std::nullopt;
}

std::optional<double> number_of(const std::string& text) {
  const std::optional<FoundNumbers> found = read_number(text);
  return found ? std::optional(found->numbers.front()) : std::nullopt;
}

// Whether the steps of each row come after those of the row before; else says so.
bool are_in_order(const std::string& metric,
                  const std::vector<TableValue>& points,
                  protocol::Record& record) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto before = number_of(points[i - 1].step);
    const auto now = number_of(points[i].step);
    if (before && now && *now <= *before) {
      record.problems.push_back(
          fmt::format("line {}: step {} of {} after step {}. If the run was resumed, keep one row "
                      "for each step, in order; if these are several runs, map a column to run",
                      points[i].line,
                      points[i].step,
                      metric,
                      points[i - 1].step));
      return false;
    }
  }
  return true;
}

std::vector<double> numbers_of(const std::string& metric,
                               const MetricColumn& column,
                               protocol::Record& record) {
  std::vector<double> numbers;
  std::size_t commas = 0;  // that may be decimal ones
  for (const TableValue& point : column.points) {
    const std::optional<FoundNumbers> number = read_number(point.value);
    if (!number) {
      record.has_bad_numbers = true;
      record.problems.push_back(
          fmt::format("line {}: {}: \"{}\" is not a number", point.line, metric, point.value));
      return {};
    }
    commas += number->may_be_decimal_comma ? 1 : 0;
    numbers.push_back(number->numbers.front() * column.meaning->unit.factor);
    if (metric == names::kStepTime && numbers.back() <= 0.0) {
      record.has_bad_numbers = true;
      record.problems.push_back(fmt::format(
          "line {}: {}: a step cannot take {:g} s", point.line, metric, numbers.back()));
      return {};
    }
  }
  if (commas == numbers.size()) {
    record.notes.push_back(
        fmt::format("every {} has one comma and three digits after it, which "
                    "were read as thousands: if the comma is a decimal one, "
                    "write points instead",
                    metric));
  }
  return numbers;
}

// Whether the times of steps are all above three years: readings of a clock.
bool are_time_stamps(const std::string& metric, const std::vector<double>& values) {
  constexpr double three_years_s = 1e8;
  return metric == names::kStepTime &&
         std::ranges::all_of(values, [](double value) { return value > three_years_s; });
}

// The number of each row's step; none, and a note, unless all are whole.
std::vector<std::int64_t> step_numbers(const std::string& metric,
                                       const std::vector<TableValue>& points,
                                       protocol::Record& record) {
  std::vector<std::int64_t> numbers;
  for (const TableValue& point : points) {
    const std::optional<double> number = number_of(point.step);
    const auto whole = number ? whole_number(*number) : std::nullopt;
    if (whole && *whole >= 0) {
      numbers.push_back(*whole);
    }
  }
  if (numbers.size() == points.size()) {
    return numbers;
  }
  if (std::ranges::any_of(points, [](const TableValue& point) { return !point.step.empty(); })) {
    record.notes.push_back(fmt::format(
        "{}: some rows have no whole number of a step, so no number is used: each row is a step",
        metric));
  }
  return {};
}

// How many values of the metric, the first ones, are its warm-up. Of step_time_s, `record` gets the
// steps that the rows stand for.
int count_warmup(const std::string& metric,
                 bool has_means,
                 const std::vector<std::int64_t>& numbers,
                 int warmup,
                 protocol::Record& record) {
  const CountedSteps counted = count_steps(numbers, warmup, has_means);
  if (metric == names::kStepTime) {
    record.covered = counted.covered;
    if (const MissingLines missing = find_missing_lines(numbers);
        missing.count > 0 && !has_means) {  // a mean stands for the steps without a row
      record.notes.push_back(
          fmt::format("{} {} missing: {} has no value between steps {}, although most are {} apart",
                      format_count(missing.count, "step time"),
                      missing.count == 1 ? "is" : "are",
                      metric,
                      join(missing.places, ", "),
                      format_count(missing.interval, "step")));
    }
  }
  return static_cast<int>(counted.warmup);
}

protocol::End end_of(const protocol::Record& record, double steps_of_value) {
  protocol::End end{.ok = true, .message = ""};
  if (record.covered && record.covered->interval > 1) {
    end.facts["step_interval"] = static_cast<double>(record.covered->interval);
  }
  if (steps_of_value > 1.0) {
    end.facts["steps_of_value"] = steps_of_value;
  }
  return end;
}

}  // namespace

protocol::Record record_of(const RunColumns& columns, const Steps& steps) {
  protocol::Record record;
  double steps_of_value = 1.0;
  auto step_count =
      static_cast<std::size_t>(steps.warmup) + static_cast<std::size_t>(steps.measured);
  if (const auto times = columns.find(names::kStepTime); times == columns.end()) {
    record.problems.emplace_back("it has no step time");
  } else {
    step_count = steps.is_open ? times->second.points.size() : step_count;
    steps_of_value = times->second.meaning->unit.steps;
  }
  for (const auto& [metric, column] : columns) {
    if (!are_in_order(metric, column.points, record)) {
      continue;
    }
    std::vector<double> values = numbers_of(metric, column, record);
    if (values.empty()) {
      continue;
    }
    if (are_time_stamps(metric, values)) {
      record.problems.push_back(metric + ": it is a reading of a clock, not the time of a step");
      continue;
    }
    const std::vector<std::int64_t> numbers = step_numbers(metric, column.points, record);
    int warmup = 0;
    if (!numbers.empty()) {
      warmup = count_warmup(metric, column.meaning->has_means, numbers, steps.warmup, record);
    } else if (values.size() == step_count &&
               values.size() > static_cast<std::size_t>(steps.warmup)) {
      warmup = steps.warmup;
    }
    record.events.emplace_back(protocol::Samples{.metric = metric,
                                                 .unit = column.meaning->unit.unit,
                                                 .rank = std::nullopt,
                                                 .warmup = warmup,
                                                 .values = std::move(values)});
  }
  record.events.emplace_back(end_of(record, steps_of_value));
  return record;
}

std::string text_of(const RunColumns& columns) {
  std::string text;
  for (const auto& [metric, column] : columns) {
    text += fmt::format("step,{} [{}]\n", metric, column.meaning->unit.unit);
    for (const TableValue& point : column.points) {
      text += csv_line({point.step, point.value});
    }
  }
  return text;
}

void lower_distance(const std::vector<TableValue>& points, std::optional<double>& least) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto before = number_of(points[i - 1].step);
    const auto now = number_of(points[i].step);
    if (before && now) {
      least = std::min(least.value_or(*now - *before), *now - *before);
    }
  }
}

}  // namespace scalestudy
