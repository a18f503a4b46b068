#include "harness/run/output/step_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/text/number.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kShownResumptions = 3;
constexpr std::size_t kShownGaps = 3;
constexpr std::size_t kMostStarts = 100'000;
constexpr std::size_t kMostBars = 1000;  // lengths of progress bars

std::map<std::int64_t, std::size_t> lines_by_number(const std::vector<std::int64_t>& numbers) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t number : numbers) {
    ++counts[number];
  }
  return counts;
}

// Whether the numbers are the same series over and over, as of epochs.
bool are_rounds(const std::vector<std::int64_t>& numbers, std::size_t period) {
  for (std::size_t i = period; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[i - period]) {
      return false;
    }
  }
  return period > 1;
}

void drop_reprints(NumberedValues& lines) {
  NumberedValues kept;
  for (std::size_t i = 0; i < lines.values.size(); ++i) {
    if (i == 0 || lines.numbers[i] != lines.numbers[i - 1] ||
        lines.values[i] != lines.values[i - 1]) {
      kept.values.push_back(lines.values[i]);
      kept.numbers.push_back(lines.numbers[i]);
    }
  }
  lines = std::move(kept);
}

void join_ranks(NumberedValues& lines) {
  NumberedValues steps;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < lines.values.size(); ++i) {
    const auto [place, is_new] = places.emplace(lines.numbers[i], steps.values.size());
    if (is_new) {
      steps.values.push_back(lines.values[i]);
      steps.numbers.push_back(lines.numbers[i]);
    } else {
      double& value = steps.values[place->second];
      value = longer(value, lines.values[i]);
    }
  }
  lines = std::move(steps);
}

// The steps from a line to the next: the middle of what there is, 1 without a second line.
std::int64_t line_interval(const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] > numbers[i - 1]) {
      gaps.push_back(numbers[i] - numbers[i - 1]);
    }
  }
  if (gaps.empty()) {
    return 1;
  }
  const auto middle = gaps.begin() + (std::ssize(gaps) - 1) / 2;
  std::ranges::nth_element(gaps, middle);
  return *middle;
}

struct VisibleStep {
  std::int64_t number = 0;
  std::size_t end = 0;  // in the line, behind the number
};

// The digits of "step N", "iter: N" and "iteration N/"; of lines without them, those of "[ N/".
// Empty if there is none, or a date: "[2022/08/16", "[01/05 16:34".
re2::StringPiece step_digits(const std::string& line) {
  static const re2::RE2 kNamed(
      "(?i)(per[ _/-]?|/|[a-z])?(?:step|iter|iteration)[^A-Za-z0-9_.]{1,12}(\\d{1,15})(\\.\\d)?");
  static const re2::RE2 kOfAll("\\[ *(\\d{1,15})/\\d+(/| \\d+:)?");
  re2::StringPiece before;
  re2::StringPiece digits;
  re2::StringPiece behind;
  if (re2::RE2::PartialMatch(line, kNamed, &before, &digits, &behind)) {
    return before.empty() && behind.empty() ? digits : re2::StringPiece();
  }
  return re2::RE2::PartialMatch(line, kOfAll, &digits, &behind) && behind.empty()
             ? digits
             : re2::StringPiece();
}

// Absent if there is none, or it is a value itself.
std::optional<VisibleStep> visible_step(const std::string& line,
                                        const std::vector<double>& values) {
  const re2::StringPiece digits = step_digits(line);
  if (digits.empty()) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (std::ranges::find(values, static_cast<double>(number)) != values.end()) {
    return std::nullopt;
  }
  return VisibleStep{.number = number,
                     .end = static_cast<std::size_t>(digits.data() - line.data()) + digits.size()};
}

}  // namespace

double longer(double one, double other) {
  return std::isnan(one) || std::isnan(other) ? std::numeric_limits<double>::quiet_NaN()
                                              : std::max(one, other);
}

std::string join_lines_of_steps(NumberedValues& lines, bool is_time) {
  const std::map<std::int64_t, std::size_t> counts = lines_by_number(lines.numbers);
  const std::size_t each = counts.begin()->second;
  const bool is_even =
      std::ranges::all_of(counts, [&](const auto& number) { return number.second == each; });
  if (each > 1 && is_even && is_time && !are_rounds(lines.numbers, counts.size())) {
    join_ranks(lines);
    return "";
  }
  drop_reprints(lines);
  std::size_t rounds = 1;
  for (std::size_t i = 1; i < lines.numbers.size(); ++i) {
    rounds += lines.numbers[i] <= lines.numbers[i - 1] ? 1 : 0;
  }
  if (rounds == 1 || lines.numbers.size() >= 2 * rounds) {
    return "";
  }
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& number) { return number.second; });
  const auto least =
      std::ranges::min_element(counts, {}, [](const auto& number) { return number.second; });
  return fmt::format(
      "step {} has {} and step {} has {}; if they are of several ranks, the regex "
      "needs a group for the rank: (?<rank>\\d+)",
      most->first,
      format_count(static_cast<std::int64_t>(most->second), "line"),
      least->first,
      format_count(static_cast<std::int64_t>(least->second), "line"));
}

MissingLines find_missing_lines(const std::vector<std::int64_t>& numbers) {
  MissingLines missing{.interval = line_interval(numbers), .places = {}};
  const auto is_long = [&](std::size_t i) {
    return i > 0 && i < numbers.size() && numbers[i] - numbers[i - 1] >= 2 * missing.interval;
  };
  std::int64_t distances = 0;
  std::int64_t usual = 0;
  bool has_single = false;  // Two in a row, the first or the last may be of another interval.
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const std::int64_t distance = numbers[i] - numbers[i - 1];
    distances += distance > 0 ? 1 : 0;
    usual += distance == missing.interval ? 1 : 0;
    if (is_long(i)) {
      has_single |= i > 1 && i + 1 < numbers.size() && !is_long(i - 1) && !is_long(i + 1);
      missing.count += distance / missing.interval - 1;
      if (missing.places.size() <= kShownGaps) {
        missing.places.push_back(missing.places.size() == kShownGaps
                                     ? "..."
                                     : fmt::format("{} and {}", numbers[i - 1], numbers[i]));
      }
    }
  }
  missing.count = has_single && 2 * usual >= distances ? missing.count : 0;
  return missing;
}

CountedSteps count_steps(const std::vector<std::int64_t>& numbers, int warmup, bool has_means) {
  CountedSteps counted;
  const std::int64_t interval = line_interval(numbers);
  std::int64_t start = 0;  // the first step since the program began, or began again
  std::optional<std::int64_t> before_measured;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    const bool is_first = i == 0 || number <= numbers[i - 1];
    if (is_first && i > 0 && ++counted.covered.resumptions <= kShownResumptions) {
      counted.resumptions.push_back(fmt::format("from {} to {}", numbers[i - 1], number));
    }
    if (is_first) {
      start = std::max(number - interval + 1, std::min<std::int64_t>(number, 1));
    }
    const std::int64_t from = is_first ? start : numbers[i - 1] + 1;  // what the line is about
    const std::int64_t steps_before = (has_means ? from : number) - start;
    const bool is_warmup = steps_before < warmup;
    if (is_warmup && !counted.resumptions.empty()) {
      continue;
    }
    counted.lines.push_back(i);
    counted.covered.steps += number - from + 1;
    counted.warmup += is_warmup ? 1 : 0;
    if (!is_warmup && !before_measured) {
      before_measured = steps_before;
    }
  }
  counted.covered.warmup = before_measured.value_or(counted.covered.steps);
  counted.covered.interval = interval;
  return counted;
}

void RepeatedLines::feed(const std::string& line,
                         std::optional<int> rank,
                         const std::vector<double>& values) {
  Lines& lines = by_rank_[rank];
  if (feed_bar(line, lines.bars)) {
    return;
  }
  if (const std::optional<VisibleStep> step = visible_step(line, values)) {
    const std::size_t start = std::hash<std::string>()(line.substr(0, step->end));
    const bool is_known = lines.starts.contains(start);
    if (lines.starts.size() < kMostStarts) {
      lines.starts.insert(start);
    }
    const bool goes_back = lines.first_step && step->number <= lines.last_step &&
                           (step->number == lines.last_step || step->number > lines.first_step);
    lines.steps_again += is_known || goes_back ? 1 : 0;
    lines.first_step = lines.first_step.value_or(step->number);
    lines.last_step = step->number;
    return;
  }
  if (lines.run > 0 && line == lines.last) {
    ++lines.run;
    ++lines.equal;
    return;
  }
  if (lines.run > 0) {
    lines.common = std::gcd(lines.common, lines.run);
    ++lines.runs;
  }
  lines.last = line;
  lines.run = 1;
}

bool RepeatedLines::feed_bar(const std::string& line, std::map<std::string, Bar>& bars) {
  // "7/100 [00:05<01:09" of tqdm, and "7it [00:05, " without a length.
  static const re2::RE2 kBar(R"((?:^|[^0-9./])(\d{1,15})(?:/(\d{1,15})|it) \[[0-9:]+[<,])");
  std::int64_t number = 0;
  std::string length;
  if (!re2::RE2::PartialMatch(line, kBar, &number, &length)) {
    return false;
  }
  if (bars.size() == kMostBars && !bars.contains(length)) {
    return true;
  }
  Bar& bar = bars[length];
  const bool is_end = std::to_string(number) == length;  // which a bar prints twice
  const bool is_twice = bar.lines > 0 && number == bar.last && !is_end;
  const bool goes_on = bar.last < bar.before && bar.before < number;
  bar.again += is_twice || goes_on ? 1 : 0;
  bar.before = std::exchange(bar.last, number);
  ++bar.lines;
  return true;
}

std::int64_t RepeatedLines::count() const {
  constexpr std::int64_t fewest_runs = 2;  // before the last: by chance three are not alike
  constexpr std::int64_t one_of = 5;       // lines of a bar; an epoch may begin with the same one
  std::int64_t count = 0;
  for (const auto& [rank, lines] : by_rank_) {
    const bool is_regular = lines.runs >= fewest_runs && std::gcd(lines.common, lines.run) > 1;
    count += lines.steps_again + (is_regular ? lines.equal : 0);
    for (const auto& [length, bar] : lines.bars) {
      count += one_of * bar.again >= bar.lines ? bar.again : 0;
    }
  }
  return count;
}

}  // namespace scalestudy
