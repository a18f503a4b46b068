#include "harness/run/outcome/settled_values.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

void keep_lines(std::vector<double>& values, const std::vector<std::size_t>& lines) {
  std::vector<double> kept;
  kept.reserve(lines.size());
  for (const std::size_t line : lines) {
    kept.push_back(values[line]);
  }
  values = std::move(kept);
}

void tell_missing(const std::vector<std::int64_t>& numbers, protocol::Record& record) {
  const MissingLines missing = find_missing_lines(numbers);
  if (missing.count > 0) {
    record.notes.push_back(fmt::format(
        "extract: {} {} missing, because no line of {} was read between steps {}, although most "
        "are {} apart; if the program prints them in another form, add a rule for it",
        format_count(missing.count, "step time"),
        missing.count == 1 ? "is" : "are",
        names::kStepTime,
        join(missing.places, ", "),
        format_count(missing.interval, "step")));
  }
}

// What the ranks' series do not have in common; "" if they go together.
std::string find_difference(const std::map<std::optional<int>, NumberedValues>& by_rank) {
  const auto& [first_rank, first] = *by_rank.begin();
  for (const auto& [rank, of_rank] : by_rank) {
    if (of_rank.values.size() != first.values.size()) {
      return fmt::format("rank {} has {}, rank {} has {}",
                         *first_rank,
                         first.values.size(),
                         *rank,
                         of_rank.values.size());
    }
    if (of_rank.numbers != first.numbers) {
      return fmt::format("ranks {} and {} print different steps", *first_rank, *rank);
    }
  }
  return "";
}

}  // namespace

NumberedValues settle_ranks(const std::string& metric,
                            RankValues& found,
                            protocol::Record& record) {
  std::map<std::optional<int>, NumberedValues>& by_rank = found.by_rank;
  if (by_rank.empty()) {
    return {};
  }
  if (const auto all = by_rank.find(std::nullopt); all != by_rank.end()) {
    NumberedValues values = std::move(all->second);
    if (by_rank.size() > 1) {
      record.problems.push_back(
          fmt::format("extract: {}: some lines say whose it is, and some do not", metric));
    }
    by_rank.clear();
    return values;
  }
  if (const std::string difference = find_difference(by_rank); !difference.empty()) {
    record.problems.push_back(fmt::format("extract: {}: {}", metric, difference));
    by_rank.clear();
    return {};
  }
  NumberedValues longest = by_rank.begin()->second;
  for (const auto& [rank, of_rank] : by_rank) {
    std::ranges::transform(of_rank.values, longest.values, longest.values.begin(), longer);
  }
  return longest;
}

std::optional<int> settle_steps(const std::string& metric,
                                bool has_means,
                                int warmup,
                                NumberedValues& all,
                                RankValues& found,
                                protocol::Record& record) {
  if (all.values.empty()) {
    return std::nullopt;
  }
  if (!all.has_numbers()) {
    record.notes.push_back(fmt::format(
        "extract: {}: some lines have no number of a step, so no number is used", metric));
    return std::nullopt;
  }
  if (found.by_rank.empty()) {
    const bool is_time = protocol::is_time_metric(metric);
    const std::size_t lines = all.values.size();
    const std::string problem = join_lines_of_steps(all, is_time);
    if (problem.empty() && all.values.size() < lines) {
      record.notes.push_back(
          fmt::format("extract: {}: {} lines show {}: those of several ranks, of which the longest "
                      "time counts, or lines that were printed twice",
                      metric,
                      lines,
                      format_count(std::ssize(all.values), "step")));
    }
    if (!problem.empty()) {
      (is_time ? record.problems : record.notes)
          .push_back(fmt::format("extract: {}: {}", metric, problem));
      return std::nullopt;
    }
  }
  const CountedSteps counted = count_steps(all.numbers, warmup, has_means);
  keep_lines(all.values, counted.lines);
  for (auto& [rank, of_rank] : found.by_rank) {
    keep_lines(of_rank.values, counted.lines);
  }
  if (metric == names::kStepTime) {
    if (!has_means) {  // a mean stands for the steps without a line
      tell_missing(all.numbers, record);
    }
    record.covered = counted.covered;
    if (!counted.resumptions.empty()) {
      record.notes.push_back(fmt::format(
          "extract: the number of the step goes back ({}{}): steps that ran twice count "
          "twice, and the warm-up ({}) after it is left out",
          join(counted.resumptions, ", "),
          counted.covered.resumptions > std::ssize(counted.resumptions) ? " ..." : "",
          format_count(warmup, "step")));
    }
  }
  return static_cast<int>(counted.warmup);
}

bool tell_fewer_values(const std::string& metric,
                       const std::vector<std::int64_t>& numbers,
                       const std::vector<std::int64_t>& of_times,
                       protocol::Record& record) {
  constexpr std::size_t fewest = 3;  // of fewer, the distance says nothing
  const std::set<std::int64_t> own(numbers.begin(), numbers.end());
  std::set<std::int64_t> steps(of_times.begin(), of_times.end());
  const std::size_t times = steps.size();
  if (!own.empty()) {
    steps.erase(steps.begin(), steps.lower_bound(*own.begin()));
  }
  if (own.size() < fewest || own.size() >= steps.size() || !std::ranges::includes(steps, own) ||
      find_missing_lines(numbers).interval != find_missing_lines(of_times).interval) {
    return false;
  }
  const auto without =
      std::ranges::find_if(steps, [&](std::int64_t number) { return !own.contains(number); });
  record.notes.push_back(fmt::format(
      "extract: {}: values of {} steps and times of {}, although its lines are as far apart: step "
      "{} has none; its rule may not match all that the program prints, such as nan",
      metric,
      own.size(),
      times,
      *without));
  return true;
}

bool tell_untimed(const std::string& metric,
                  const std::vector<std::int64_t>& numbers,
                  int warmup,
                  const std::vector<std::int64_t>& of_times,
                  protocol::Record& record) {
  // A program may print one line without a time by design: the loss before the training starts, or
  // after it. Metrics of other steps, such as those of evaluation, have another distance, or lack
  // some of the steps that have a time.
  constexpr std::ptrdiff_t fewest = 2;
  const std::set<std::int64_t> own(numbers.begin(), numbers.end());
  const std::set<std::int64_t> times(of_times.begin(), of_times.end());
  if (times.size() < 2 || !std::ranges::includes(own, times) ||
      find_missing_lines(numbers).interval != find_missing_lines(of_times).interval) {
    return false;
  }
  const auto before = std::distance(own.begin(), own.find(*times.begin()));
  const auto after = std::distance(own.find(*times.rbegin()), own.end()) - 1;
  std::ptrdiff_t count = 0;
  std::vector<std::string> places;
  if (before - warmup >= fewest) {  // programs often print no times of their own warm-up
    count += before;
    places.push_back(fmt::format("before step {}", *times.begin()));
  }
  if (after >= fewest) {
    count += after;
    places.push_back(fmt::format("after step {}", *times.rbegin()));
  }
  if (count == 0) {
    return false;
  }
  record.notes.push_back(
      fmt::format("extract: {} {} have {} but no {}; if the program prints these times in another "
                  "form, add a rule for it",
                  format_count(count, "step"),
                  join(places, " or "),
                  metric,
                  names::kStepTime));
  return true;
}

void tell_kept_warmup(const std::string& metric,
                      std::size_t values,
                      std::size_t steps,
                      int warmup,
                      protocol::Record& record) {
  constexpr std::size_t fewest = 8;  // of fewer, about as many values need not be of steps
  const std::size_t apart = std::max(values, steps) - std::min(values, steps);
  if (warmup > 0 && metric != names::kStepTime && steps >= fewest && apart > 0 &&
      apart <= steps / 4) {
    record.notes.push_back(fmt::format(
        "extract: {}: {} values and {} step times, so its warm-up is not left out; if its lines "
        "have the number of the step, read it in the rules of both: (?<step>\\d+) or step_path",
        metric,
        values,
        steps));
  }
}

}  // namespace scalestudy
