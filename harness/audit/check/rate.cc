// A table of one row in memory, to which the relations are applied.
#include "harness/audit/check/rate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/check/attempt.h"
#include "harness/audit/dataset/dataset.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::audit {
namespace {

Figure exactly(const Range& range, const std::string& unit) {
  Figure figure;
  figure.form = range.lo == range.hi ? FigureForm::kExact : FigureForm::kSpan;
  figure.range = range;
  figure.value = (range.lo + range.hi) / 2.0;
  figure.unit = unit;
  return figure;
}

// "tflops" as "TFLOPS", which units of figures are written as.
std::string flop_unit(std::string unit) {
  static const RE2 kOneDevice(R"((?i)\s*(/|per)\s*(gpu|device|rank|chip)$)");
  static const RE2 kFlop(R"((?i)([kmgtpe]?)flops?(?:/s(?:ec)?)?)");
  std::string letters;
  RE2::Replace(&unit, kOneDevice, "");
  if (RE2::FullMatch(unit, kFlop, &letters)) {
    std::ranges::transform(letters, letters.begin(), [](char c) {
      return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    });
    return letters + "FLOPS";
  }
  return unit;
}

// The rate in a table of one row.
Dataset dataset_of(const PrintedRate& rate) {
  Dataset dataset;
  Table& table = dataset.tables.emplace_back();
  table.name = "run";
  table.experiment = "run";
  for (const auto& [quantity, range] : rate.facts) {
    table.fixed.figures[quantity] = exactly(range, "");
  }
  const auto add = [&](const char* name, const std::string& quantity, Figure figure) {
    Column& column = table.columns.emplace_back();
    column.name = name;
    column.declared.quantity = quantity;
    table.rows.front().push_back({"", std::move(figure), {}});
  };
  table.rows.emplace_back();
  add("printed", rate.quantity, exactly(rate.value, rate.unit));
  if (rate.quantity != "step_time") {
    add("measured", "step_time", exactly(rate.step_time, "s"));
  }
  return dataset;
}

std::string other_quantity(const std::string& quantity) {
  constexpr std::string_view ending = "_per_device";
  if (quantity.ends_with(ending)) {
    return quantity.substr(0, quantity.size() - ending.size());
  }
  return quantity == names::kThroughput || quantity == "flop_rate" ? quantity + std::string(ending)
                                                                   : "";
}

double relative_width(const Range& range) {
  return (range.hi - range.lo) / (range.hi + range.lo) * 2.0;
}

Range scaled(const Range& range, double factor) {
  return {range.lo * factor, range.hi * factor};
}

// Whether the two are a power of 1.024 apart, and narrow enough for that to say something.
bool are_powers_of_1024(const Range& printed, const Range& recomputed) {
  constexpr double most_width = 0.01;
  constexpr int most_power = 4;  // T
  if (relative_width(printed) + relative_width(recomputed) > most_width) {
    return false;
  }
  for (int power = 1; power <= most_power; ++power) {
    const double factor = std::pow(1.024, power);
    if (meet(scaled(printed, factor), recomputed) || meet(printed, scaled(recomputed, factor))) {
      return true;
    }
  }
  return false;
}

// What would have to be declared for the attempt's formula; empty if that is another rate, which
// nobody declares.
std::vector<std::string> to_declare(const Attempt& attempt) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < attempt.bases.size(); ++i) {
    const std::string& name = attempt.relation->formula.names()[i];
    if (!attempt.bases[i].id.empty()) {
      continue;
    }
    if (name == "flop_per_step") {
      names.insert(names.end(), {"parameters", "sequence_length"});
    } else if (name.starts_with(names::kThroughput) || name.starts_with("flop_rate")) {
      return {};
    } else {
      names.push_back(name == "peak_flop_rate" ? "device_peak_flops" : name);
    }
  }
  return names;
}

RateVerdict mistake_in(const PrintedRate& rate,
                       const Range& recomputed,
                       const Entry& printed,
                       const Ledger& ledger) {
  const std::string other = other_quantity(rate.quantity);
  for (const Attempt& attempt :
       other.empty() ? std::vector<Attempt>() : attempts_for(other, printed, ledger)) {
    if (is_met_by(attempt, rate.value)) {
      return rate.quantity.size() < other.size() ? RateVerdict::kPerDeviceNotTotal
                                                 : RateVerdict::kTotalNotPerDevice;
    }
  }
  if (rate.quantity == "mfu") {
    // Sparse peaks are sold as twice the dense ones.
    return meet(scaled(rate.value, 2.0), recomputed)   ? RateVerdict::kSparsePeak
           : meet(scaled(rate.value, 0.5), recomputed) ? RateVerdict::kDensePeak
                                                       : RateVerdict::kDoesNotFollow;
  }
  return are_powers_of_1024(rate.value, recomputed) ? RateVerdict::kCountsX1024
                                                    : RateVerdict::kDoesNotFollow;
}

}  // namespace

std::optional<RateKind> rate_kind(const std::string& metric, const std::string& unit) {
  static const RE2 kOneDevice(
      R"((?i)(per[_ ]?|/ ?)(gpu|device|rank|chip|accelerator|worker)s?(_|\b|$))");
  static const RE2 kCounted(R"((?i)(tok|sample|im(g|age)|seq|example|sentence)\w*\s*/)");
  static const RE2 kShareOfPeak(R"((?i)(^|_)(mfu|hfu|model_flops?_utili[sz]ation)(_|$))");
  static const RE2 kTimeOfStep(
      R"((?i)(^|_)((step|iter|iteration)_?time|time_per_(step|iter|iteration))(_|$))");
  // Another statistic than the mean, or a part of the step or of the run: nothing here gives it.
  static const RE2 kNotOfMeanStep(
      R"((?i)(^min|time_min|(^|_)(p\d+|max|peak|best|worst|fastest|slowest|std|stddev|stdev|sd|var|)"
      R"(variance|forward|fwd|backward|bwd|optimizer|eval|evaluation|val|validation|test|inference)))"
      R"((_|$))");
  if (RE2::PartialMatch(metric, kNotOfMeanStep)) {
    return std::nullopt;
  }
  const bool is_of_one =
      RE2::PartialMatch(metric, kOneDevice) || RE2::PartialMatch(unit, kOneDevice);
  const std::string ending = is_of_one ? "_per_device" : "";
  if (const auto flop = unit_scale(flop_unit(unit), Dimension::kFlopRate)) {
    return RateKind{"flop_rate" + ending, *flop};
  }
  if (RE2::PartialMatch(unit, kCounted)) {
    const auto size = unit_scale(unit, Dimension::kRate);
    return size ? std::optional(RateKind{names::kThroughput + ending, *size}) : std::nullopt;
  }
  if (RE2::PartialMatch(metric, kShareOfPeak)) {
    const auto size = unit_scale(unit == "1" ? "" : unit, Dimension::kRatio);
    return size ? std::optional(RateKind{"mfu", *size}) : std::nullopt;
  }
  if (metric != names::kStepTime && RE2::PartialMatch(metric, kTimeOfStep)) {
    const auto size = unit_scale(unit, Dimension::kTime);
    return size ? std::optional(RateKind{"step_time", *size}) : std::nullopt;
  }
  return std::nullopt;
}

RateCheck check_rate(const PrintedRate& rate) {
  if (rate.quantity == "step_time") {
    return {meet(rate.value, rate.step_time) ? RateVerdict::kFollows : RateVerdict::kDoesNotFollow,
            rate.step_time,
            "step_time"};
  }
  const Dataset dataset = dataset_of(rate);
  const Ledger ledger(dataset);
  const auto printed = std::ranges::find_if(
      ledger.entries(), [](const Entry& entry) { return entry.figure.column == "printed"; });
  RateCheck check;
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t fewest_missing = std::numeric_limits<std::size_t>::max();
  for (const Attempt& attempt : attempts_for(rate.quantity, *printed, ledger)) {
    if (!attempt.recomputed) {
      const std::vector<std::string> missing = to_declare(attempt);
      if (!missing.empty() && missing.size() < fewest_missing) {
        fewest_missing = missing.size();
        check.from =
            fmt::format("{}: declare {}", attempt.relation->formula.text(), join(missing, ", "));
      }
      continue;
    }
    const double gap = std::abs(relative_gap(rate.value, *attempt.recomputed).value_or(nearest));
    if (!check.recomputed || gap < nearest) {
      nearest = gap;
      check.recomputed = attempt.recomputed;
      check.from = attempt.relation->formula.text();
      fewest_missing = 0;
    }
  }
  if (!check.recomputed) {
    return check;
  }
  check.verdict = meet(rate.value, *check.recomputed)
                      ? RateVerdict::kFollows
                      : mistake_in(rate, *check.recomputed, *printed, ledger);
  return check;
}

}  // namespace scalestudy::audit
