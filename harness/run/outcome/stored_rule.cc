#include "harness/run/outcome/stored_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kValues = 20'000'000;  // as protocol::ReadLimits

// The amount of a step as a number. Throws BadPattern where the cell does not have it.
double step_amount(const ExtractRule& rule, const Parameters& parameters) {
  const StepAmount declared = parse_step_amount(rule.per_step.empty() ? "1" : rule.per_step);
  return value_of(declared, [&](const std::string& name) {
    const auto found = parameters.find(name);
    const auto* whole =
        found == parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    const auto* real = found == parameters.end() ? nullptr : std::get_if<double>(&found->second);
    if (whole == nullptr && real == nullptr) {
      throw BadPattern("per_step: the cell has no number {" + name + "}");
    }
    return whole != nullptr ? static_cast<double>(*whole) : *real;
  });
}

}  // namespace

StoredRule::StoredRule(const ExtractRule& rule, const Parameters& parameters)
    : extractor_(make_line_extractor(rule)),
      unit_(stored_unit(rule)),
      amount_(step_amount(rule, parameters)) {}

std::vector<FoundNumbers> StoredRule::feed(const std::string& line, RankValues& values) {
  std::vector<FoundNumbers> all = extractor_->find(line);
  for (const FoundNumbers& found : all) {
    for (const double printed : found.numbers) {
      if (!rule().is_difference) {
        add(printed, found, values);
        continue;
      }
      const Reading now{printed, found.numbers.size() == 1 ? found.step : std::nullopt};
      const std::optional<Reading> before = std::exchange(previous_[found.rank], now);
      if (const auto passed = before ? difference(*before, now) : std::nullopt) {
        add(*passed, found, values);
      }
    }
    values.commas += found.may_be_decimal_comma ? 1 : 0;
  }
  return all;
}

// What passed from one reading to the next; of times for each of the steps between them, unless the
// rule's unit says what a line is about. Absent where the number of the step goes back: the program
// began again, and what passed before that is no step.
std::optional<double> StoredRule::difference(const Reading& before, const Reading& now) const {
  const double passed = now.printed - before.printed;
  if (!before.step || !now.step || !protocol::is_time_metric(rule().metric)) {
    return passed;
  }
  if (*now.step < *before.step) {
    return std::nullopt;
  }
  const bool is_of_line = rule().unit.find('/') != std::string::npos;
  const std::int64_t steps = std::max<std::int64_t>(*now.step - *before.step, 1);
  return is_of_line ? passed : passed / static_cast<double>(steps);
}

// Why the value cannot be counted with; "" if it can. A step takes a time above 0.
std::string StoredRule::find_fault(double printed, double stored, const FoundNumbers& found) const {
  if (!std::isfinite(printed)) {
    return found.not_finite.empty() ? "the value before it is not finite" : found.not_finite;
  }
  const bool is_no_time = stored <= 0.0 && rule().metric == names::kStepTime;
  if (unit_.is_rate && (is_no_time || !std::isfinite(stored))) {
    return fmt::format("no time has a rate of {:g}", printed);
  }
  if (!std::isfinite(stored) || (is_no_time && stored == 0.0 && printed != 0.0)) {
    return fmt::format("{:g} is too {} for its unit", printed, is_no_time ? "small" : "large");
  }
  return is_no_time ? fmt::format("a step cannot take {:g} s", stored) : "";
}

void StoredRule::add(double printed, const FoundNumbers& found, RankValues& values) const {
  if (values.count >= kValues) {
    throw BadValue(fmt::format("more than {} values", kValues));
  }
  const double stored =
      unit_.is_rate ? unit_.factor * amount_ / printed : printed * unit_.factor * amount_;
  NumberedValues& of_rank = values.by_rank[found.rank];
  std::string fault = find_fault(printed, stored, found);
  of_rank.values.push_back(fault.empty() ? stored : std::numeric_limits<double>::quiet_NaN());
  if (found.step && found.numbers.size() == 1) {
    of_rank.numbers.push_back(*found.step);
  }
  ++values.count;
  if (!fault.empty()) {
    values.missing.push_back({of_rank.values.size() - 1, std::move(fault)});
  }
}

std::string Source::name() const {
  return !file.empty() ? file : is_log ? "log" : to_word(stream);
}

std::string Source::noun() const {
  return file.empty() && is_log ? "the log" : name();
}

bool looks_at(const ExtractRule& rule, const Source& source) {
  return rule.file == source.file && (!source.file.empty() || rule.from == source.stream ||
                                      rule.from == ExtractSource::kOutput);
}

bool looks_at(const std::vector<StoredRule>& rules, const Source& source) {
  return std::ranges::any_of(rules,
                             [&](const StoredRule& rule) { return looks_at(rule.rule(), source); });
}

std::string places(const std::vector<StoredRule>& rules, bool is_log) {
  std::vector<std::string> names;
  const auto add = [&](const Source& source) {
    if (looks_at(rules, source) && std::ranges::find(names, source.noun()) == names.end()) {
      names.push_back(source.noun());
    }
  };
  add({.stream = ExtractSource::kStdout, .is_log = is_log});
  add({.stream = ExtractSource::kStderr, .is_log = is_log});
  for (const StoredRule& rule : rules) {
    if (!rule.rule().file.empty()) {
      add({.file = rule.rule().file});
    }
  }
  return join(names, " or ");
}

}  // namespace scalestudy
