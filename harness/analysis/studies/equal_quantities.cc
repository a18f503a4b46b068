#include "harness/analysis/studies/equal_quantities.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/figure/quantity.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSuffixes{
    {{"s", "_s"}, {"B", "_bytes"}, {"B/s", "_bytes_per_s"}, {"FLOP", "_flop"}, {"W", "_w"}}};

bool counts_tokens(const PublishedFigureRow& figure) {
  return figure.printed_unit.find("tok") != std::string::npos;
}

// The name of the condition whose value is one of `parts`; absent if none is.
std::optional<std::string> condition_of(const MeasuredStudy& measured,
                                        std::string_view parts,
                                        const FigureConditions& conditions) {
  for (const std::string& part : split(parts, "|")) {
    for (const auto& [name, value] : conditions) {
      if (is_called(measured, part, value)) {
        return name;
      }
    }
  }
  return std::nullopt;
}

// The suffix of metrics at the price that a condition names, which is taken from `conditions`.
std::string price_suffix(const MeasuredStudy& measured, FigureConditions& conditions) {
  if (!measured.study->cost) {
    return "";
  }
  const Cost& cost = *measured.study->cost;
  std::vector<std::pair<std::string, std::string>> prices = {{cost.price.name, ""}};
  for (const Price& price : cost.others) {
    prices.emplace_back(price.name, ":" + price.name);
  }
  for (const auto& [price, suffix] : prices) {
    if (const auto name = condition_of(measured, price, conditions)) {
      conditions.erase(*name);
      return suffix;
    }
  }
  return "";
}

// The number that the condition states; absent without it.
std::optional<double> stated(const FigureConditions& conditions, const std::string& name) {
  const auto found = conditions.find(name);
  return found == conditions.end() ? std::nullopt : parse_number(found->second);
}

// The figure's amount over that of the declared training, of tokens or samples; 1 if it states
// none, absent if the training is of the other.
std::optional<double> share_of_training(const Training& train, FigureConditions& conditions) {
  for (const auto& [name, all] :
       {std::pair("tokens", train.tokens), std::pair("samples", train.samples)}) {
    if (const std::optional<double> amount = stated(conditions, name)) {
      conditions.erase(name);
      return all > 0.0 ? std::optional(*amount / all) : std::nullopt;
    }
  }
  return 1.0;
}

std::optional<double> amount_of(const char* name, FigureConditions& conditions) {
  const std::optional<double> amount = stated(conditions, name);
  conditions.erase(name);
  return amount;
}

// The factor beyond units that `scale` says; absent where the study does not declare what it takes,
// or the figure is about another training. Takes the condition that it depends on.
std::optional<double> scale_of(const MeasuredStudy& measured,
                               EqualBy scale,
                               FigureConditions& conditions) {
  const std::optional<Cost>& cost = measured.study->cost;
  const Training train = cost && cost->train ? *cost->train : Training();
  switch (scale) {
    case EqualBy::kNone:
      return 1.0;
    case EqualBy::kTraining:
      return share_of_training(train, conditions);
    case EqualBy::kSameTraining: {
      const std::optional<double> share = share_of_training(train, conditions);
      return share == 1.0 ? share : std::nullopt;
    }
    case EqualBy::kTokens:
      return amount_of("tokens", conditions);
    case EqualBy::kSamples:
      return amount_of("samples", conditions);
  }
  return std::nullopt;
}

// Steps of an epoch of the cell, of a figure that is printed for an epoch ("40s/epoch"); else 1.
std::function<std::optional<double>(const CellRow&)> steps_printed_for(
    const MeasuredStudy& measured, const PublishedFigureRow& figure) {
  if (!figure.printed_unit.ends_with("/epoch") || figure.quantity == "epoch_time") {
    return [](const CellRow& /*cell*/) { return std::optional(1.0); };
  }
  const std::optional<Cost>& cost = measured.study->cost;
  const double samples = cost && cost->train ? cost->train->samples_per_epoch : 0.0;
  return [samples](const CellRow& cell) {
    return samples > 0.0 && cell.batch_global
               ? std::optional(samples / static_cast<double>(*cell.batch_global))
               : std::nullopt;
  };
}

std::optional<EqualResult> from_row(const MeasuredStudy& measured,
                                    const EqualQuantity& row,
                                    const PublishedFigureRow& figure,
                                    FigureConditions conditions) {
  if (row.count != RateOf::kAny && counts_tokens(figure) != (row.count == RateOf::kTokens)) {
    return std::nullopt;
  }
  if (!row.parts.empty()) {
    const std::optional<std::string> part = condition_of(measured, row.parts, conditions);
    if (!part) {
      return std::nullopt;
    }
    conditions.erase(*part);
  }
  EqualResult result;
  result.name = std::string(row.result) +
                (row.has_price ? price_suffix(measured, conditions) : std::string());
  const std::optional<double> scale = scale_of(measured, row.scale, conditions);
  if (!scale) {
    return std::nullopt;
  }
  const auto steps = steps_printed_for(measured, figure);
  result.factor = [=, factor = row.factor * *scale](const CellRow& cell) {
    const std::optional<double> count = steps(cell);
    return count ? std::optional(factor * *count) : std::nullopt;
  };
  result.is_comparison = row.is_comparison;
  result.conversion = row.conversion;
  result.is_as_stored = row.factor == 1.0 && row.scale == EqualBy::kNone &&
                        row.conversion == Conversion::kFactor &&
                        !figure.printed_unit.ends_with("/epoch");
  result.note = row.note;
  result.conditions = std::move(conditions);
  return result;
}

EqualResult plain(std::string name, FigureConditions conditions) {
  EqualResult result;
  result.name = std::move(name);
  result.factor = [](const CellRow& /*cell*/) { return std::optional(1.0); };
  result.conditions = std::move(conditions);
  return result;
}

// A line of the declared cost that a condition names.
std::optional<EqualResult> cost_line(const MeasuredStudy& measured, FigureConditions conditions) {
  if (!measured.study->cost) {
    return std::nullopt;
  }
  for (const CostLine& line : measured.study->cost->lines) {
    if (const auto name = condition_of(measured, line.name, conditions)) {
      conditions.erase(*name);
      price_suffix(measured, conditions);  // a line costs the same whatever the machines cost
      return scale_of(measured, EqualBy::kSameTraining, conditions)
                 ? std::optional(plain("training_line_cost:" + line.name, conditions))
                 : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<EqualResult> equal_results(const MeasuredStudy& measured,
                                       const PublishedFigureRow& figure,
                                       const FigureConditions& conditions) {
  std::vector<EqualResult> results;
  bool has_row = false;
  for (const EqualQuantity& row : equal_quantities()) {
    if (row.quantity == figure.quantity) {
      has_row = true;
      if (std::optional<EqualResult> result = from_row(measured, row, figure, conditions)) {
        results.push_back(std::move(*result));
      }
    }
  }
  if (figure.quantity == "money") {
    if (std::optional<EqualResult> line = cost_line(measured, conditions)) {
      results.push_back(std::move(*line));
    }
  }
  if (!has_row) {
    std::string name = figure.quantity;
    for (const auto& [unit, suffix] : kSuffixes) {
      if (unit == figure.unit) {
        name += suffix;
      }
    }
    results.push_back(plain(std::move(name), conditions));
  }
  return results;
}

std::string never_compared(const PublishedFigureRow& figure) {
  const audit::QuantityInfo* info = audit::find_quantity(figure.quantity);
  if (info == nullptr) {
    return "";
  }
  if (info->is_condition || info->is_exact) {
    return "a setting, a price or a property of the hardware is not a result";
  }
  if (figure.quantity == "amdahl_speedup" || figure.quantity == "parallel_fraction") {
    return "it belongs to a fitted law; this study's own laws are under Scaling laws";
  }
  const bool has_row = std::ranges::any_of(equal_quantities(), [&](const EqualQuantity& row) {
    return row.quantity == figure.quantity;
  });
  return info->is_free && !has_row ? "no result of scalestudy is this quantity" : "";
}

}  // namespace scalestudy
