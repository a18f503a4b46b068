// Tries every formula on every row, and weighs the best against chance.
#include "harness/audit/draft/discover.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/draft/candidate.h"
#include "harness/audit/draft/fit.h"

namespace scalestudy::audit {
namespace {

// False alarms a column, expected by chance.
constexpr double kMostByChance = 0.01;
constexpr double kMostByChanceInCell = 0.2;
// The same among the formulas that the heading names.
constexpr double kMostByChanceIfNamed = 0.05;
// Rows of which such a formula, or one of amounts, may get one wrong.
constexpr std::size_t kFewestIfOneIsWrong = 4;
constexpr std::size_t kMostMeasured = 24;

bool has_scale(const std::vector<Guess>& guesses) {
  return std::any_of(guesses.begin(), guesses.end(), [](const Guess& guess) {
    return guess.quantity == "devices" || guess.quantity == "nodes";
  });
}

// Whether the audit knows a formula for the column and the table has figures for it.
bool has_own_relation(const Guess& guess, const std::vector<Guess>& guesses) {
  const auto has = [&](std::initializer_list<std::string_view> quantities) {
    return std::any_of(guesses.begin(), guesses.end(), [&](const Guess& other) {
      return std::find(quantities.begin(), quantities.end(), other.quantity) != quantities.end();
    });
  };
  const bool is_scaling = guess.quantity == "speedup" || guess.quantity == "efficiency";
  if (is_scaling) {
    return !guess.baseline.empty() &&
           (has({"throughput", "throughput_per_device", "step_time", "epoch_time", "total_time"}) ||
            (guess.quantity == "efficiency" && has({"speedup"})));
  }
  return (guess.quantity == "overhead" && has({"communication_time", "compute_time"})) ||
         (guess.quantity == "mfu" && has({"flop_rate", "flop_rate_per_device", "flop_per_step"})) ||
         (guess.quantity == "memory_share" && has({"memory"}));
}

// The number of devices that makes each efficiency a speedup of its row over it.
void discover_devices(std::size_t target,
                      const TableFigures& figures,
                      std::vector<Guess>& guesses,
                      double spread) {
  constexpr auto counts = std::to_array<int>({2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024});
  const auto speedup = std::find_if(
      guesses.begin(), guesses.end(), [](const Guess& g) { return g.quantity == "speedup"; });
  if (guesses[target].quantity != "efficiency" || speedup == guesses.end() || has_scale(guesses)) {
    return;
  }
  const Ranges& bases = figures.columns[static_cast<std::size_t>(speedup - guesses.begin())];
  Fit best;
  int devices = 0;
  for (const int count : counts) {
    const auto over_count = [&](std::size_t row) {
      return bases[row] && bases[row]->lo > 0.0
                 ? std::optional(Range{bases[row]->lo / count, bases[row]->hi / count})
                 : std::nullopt;
    };
    const Fit fit = fit_of(over_count, figures.columns[target], true, spread);
    if (is_better(fit, best)) {
      best = fit;
      devices = count;
    }
  }
  // A count is no formula of its own: that all rows have one is what is unlikely.
  if (best.rows > 1 && best.by_chance * counts.size() <= kMostByChance) {
    Guess& guess = guesses[target];
    guess.at += fmt::format("{}devices: {}", guess.at.empty() ? "" : ", ", devices);
    guess.baseline = "devices: 1";
    guess.reason += fmt::format(
        "; {} / {} gives {} of {} rows", speedup->name, devices, best.fitting, best.rows);
  }
}

// Whether the best formula gives all rows, or all but one of four or more.
bool is_given_often(const Choice& choice, double most_by_chance) {
  return choice.is_certain(most_by_chance) &&
         (choice.best->fitting == choice.best->rows || choice.best->rows >= kFewestIfOneIsWrong);
}

// Whether the best of the formulas that the heading names gives so many, and no other gives more.
bool is_meant_by_name(const Choice& named, const Choice& all, double most_by_chance) {
  return is_given_often(named, most_by_chance) && named.best->fitting >= all.best->fitting;
}

// Notes a formula that gives all rows but one, where that may be by chance or the row says why.
void note_near_rule(const Fit& near,
                    std::size_t target,
                    const std::string& name,
                    const TableFigures& figures,
                    std::vector<Guess>& guesses) {
  for (const std::size_t row : wrong_rows(near.candidate, target, figures)) {
    guesses[target].note = fmt::format(
        "{} is {} in {} of {} rows, and not in row {}; if that is its rule, declare it (`follows`)",
        guesses[target].name,
        rule_of(near.candidate, name, guesses, figures).second,
        near.fitting,
        near.rows,
        row + 1);
  }
}

// Whether a cell of the row, and none other of its column, ends in a footnote mark or a bracket:
// "6.41†", "8 (one restart)".
bool is_remarked(const DocumentTable& table, std::size_t row) {
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    std::vector<std::size_t> marked;
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      if (RE2::PartialMatch(table.rows[r][c], R"([)\]*†‡§¹²³]\s*$)")) {
        marked.push_back(r);
      }
    }
    if (marked == std::vector{row}) {
      return true;
    }
  }
  return false;
}

// Makes the formula the rule of the column `target`, or a note if a remark may say why a row does
// not follow.
void set_unremarked_rule(const Fit& fit,
                         std::size_t target,
                         const DocumentTable& table,
                         const std::string& name,
                         const TableFigures& figures,
                         std::vector<Guess>& guesses) {
  const auto wrong = wrong_rows(fit.candidate, target, figures);
  if (std::ranges::any_of(wrong, [&](std::size_t row) { return is_remarked(table, row); })) {
    note_near_rule(fit, target, name, figures, guesses);
  } else {
    set_rule(fit, target, name, figures, guesses);
  }
}

void discover_rule(std::size_t target,
                   const DocumentTable& table,
                   const std::string& name,
                   const TableFigures& figures,
                   std::vector<Guess>& guesses) {
  const Ranges& printed = figures.columns[target];
  const bool is_percent = figures.units[target] == "%";
  const double spread = spread_of(printed, is_percent);
  const double most_spread = is_percent ? kMostPercentSpread : kMostLogSpread;
  const auto beside = table.second_figures.find(target);
  Choice all;
  Choice in_cell;
  Choice named;
  for (const Candidate& candidate : candidates_for(target, is_percent, figures)) {
    const auto value = [&](std::size_t row) { return value_of(candidate, figures, row); };
    Fit fit = fit_of(value, printed, is_percent, spread);
    fit.candidate = candidate;
    if (fit.rows < 2) {
      continue;
    }
    const bool has_name = names_formula(table.head[target], candidate, figures);
    ++all.tried;
    named.tried += has_name ? 1U : 0U;
    const bool needs_clear = candidate.over == Candidate::Over::kOne;
    if (is_of_other_rows(candidate, target, figures, needs_clear)) {
      continue;
    }
    all.add(fit);
    if (has_name) {
      named.add(fit);
    }
    if (beside != table.second_figures.end() &&
        (candidate.column == beside->second || candidate.other == beside->second)) {
      ++in_cell.tried;
      fit.by_chance = fit_of(value, printed, is_percent, most_spread).by_chance;
      in_cell.add(fit);
    }
  }
  if (all.is_certain(kMostByChance) && all.best->candidate.over == Candidate::Over::kOne) {
    set_unremarked_rule(*all.best, target, table, name, figures, guesses);
  } else if (all.is_certain(kMostByChance)) {
    set_rule(*all.best, target, name, figures, guesses);
  } else if (in_cell.is_certain(kMostByChanceInCell)) {
    set_rule(*in_cell.best, target, name, figures, guesses);
  } else if (is_meant_by_name(named, all, kMostByChanceIfNamed)) {
    set_rule(*named.best, target, name, figures, guesses);
  } else {
    if (is_meant_by_name(named, all, kMostByChanceInCell)) {
      note_near_rule(*named.best, target, name, figures, guesses);
    }
    discover_devices(target, figures, guesses, spread);
  }
}

// A speedup beside devices that does not start at 1 is one column over another. Where just two
// columns hold the same quantity no other pair can be meant, so the chance of the fit does not
// count: all rows may be nearly equal. Without devices it may be over another row, so that three
// rows have to fit. Returns whether the two give it.
bool discover_pair(std::size_t target,
                   const std::string& name,
                   const TableFigures& figures,
                   std::vector<Guess>& guesses) {
  if (guesses[target].quantity != "speedup" || !guesses[target].baseline.empty()) {
    return false;
  }
  const std::size_t fewest = has_scale(guesses) ? 2 : 3;
  for (const char* quantity : {"throughput", "throughput_per_device", "step_time", "epoch_time"}) {
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < guesses.size(); ++c) {
      if (guesses[c].quantity == quantity) {
        columns.push_back(c);
      }
    }
    if (columns.size() != 2) {
      continue;
    }
    Candidate candidate;
    const bool is_time = figures.dimensions[columns.front()] == Dimension::kTime;
    candidate.column = is_time ? columns.front() : columns.back();
    candidate.other = is_time ? columns.back() : columns.front();
    const auto value = [&](std::size_t row) { return value_of(candidate, figures, row); };
    Fit fit = fit_of(value, figures.columns[target], false, kMostLogSpread);
    if (fit.fitting >= fewest && !is_of_other_rows(candidate, target, figures, false)) {
      fit.candidate = candidate;
      set_rule(fit, target, name, figures, guesses);
      return true;
    }
  }
  return false;
}

// Formulas expected by chance, a column.
constexpr double kMostAmountsByChance = 0.001;
// A value known less well than this says nothing of its row: 1 MB over 0.09 ms.
constexpr double kWidest = 1.25;

struct DimensionRule {
  Dimension target;
  Candidate::Form form;
  Dimension first;
  Dimension second;
};
constexpr auto kDimensionRules = std::to_array<DimensionRule>(
    {{Dimension::kBandwidth, Candidate::Form::kRatio, Dimension::kBytes, Dimension::kTime},
     {Dimension::kRate, Candidate::Form::kRatio, Dimension::kCount, Dimension::kTime},
     {Dimension::kTime, Candidate::Form::kProduct, Dimension::kCount, Dimension::kTime},
     {Dimension::kMoney, Candidate::Form::kProduct, Dimension::kPrice, Dimension::kTime},
     {Dimension::kMoney, Candidate::Form::kProduct, Dimension::kPrice, Dimension::kDeviceTime}});
constexpr auto kSummed = std::to_array<Dimension>(
    {Dimension::kTime, Dimension::kBytes, Dimension::kMoney, Dimension::kDeviceTime});

// Sums of the two, three ... nearest columns on one side that hold the same.
void add_sums(std::size_t target, const TableFigures& figures, std::vector<Candidate>& all) {
  const auto add = [&](std::vector<std::size_t>& parts, std::size_t column) {
    if (figures.is_alike(target, column)) {
      parts.push_back(column);
      std::sort(parts.begin(), parts.end());
      if (parts.size() > 1) {
        all.push_back({Candidate::Form::kTotal, Candidate::Over::kOne, false, 0, 0, 0, parts});
      }
    }
  };
  std::vector<std::size_t> before;
  for (std::size_t c = target; c > 0; --c) {
    add(before, c - 1);
  }
  std::vector<std::size_t> behind;
  for (std::size_t c = target + 1; c < figures.columns.size(); ++c) {
    add(behind, c);
  }
}

void add_pairs(std::size_t target, const TableFigures& figures, std::vector<Candidate>& all) {
  for (const DimensionRule& rule : kDimensionRules) {
    for (std::size_t a = 0; a < figures.columns.size(); ++a) {
      for (std::size_t b = 0; b < figures.columns.size(); ++b) {
        if (figures.dimensions[target] != rule.target || figures.dimensions[a] != rule.first ||
            figures.dimensions[b] != rule.second || a == target || b == target) {
          continue;
        }
        all.push_back({rule.form, Candidate::Over::kColumn, false, a, b, 0});
      }
    }
  }
}

// Whether the audit knows how such a figure follows from devices or batches and what is beside it.
bool is_known_relation(const Guess& guess, const std::vector<Guess>& guesses) {
  if (guess.quantity == "cost" || guess.quantity == "device_time") {
    return has_scale(guesses) ||
           std::any_of(guesses.begin(), guesses.end(), [](const Guess& other) {
             return other.quantity == "device_time";
           });
  }
  return guess.quantity.starts_with("throughput") || guess.quantity == "algbw" ||
         guess.quantity == "busbw";
}

// Sets the rule of a column that is a sum of columns beside it, or by its dimension a product or
// quotient of two.
void discover_amount(std::size_t target,
                     const DocumentTable& table,
                     const std::string& name,
                     const TableFigures& figures,
                     std::vector<Guess>& guesses) {
  if (is_known_relation(guesses[target], guesses)) {
    return;
  }
  std::vector<Candidate> candidates;
  if (std::find(kSummed.begin(), kSummed.end(), figures.dimensions[target]) != kSummed.end()) {
    add_sums(target, figures, candidates);
  }
  add_pairs(target, figures, candidates);
  const Ranges& printed = figures.columns[target];
  const double spread = spread_of(printed, false);
  Choice choice;
  choice.tried = candidates.size();
  for (const Candidate& candidate : candidates) {
    const auto value = [&](std::size_t row) {
      const std::optional<Range> given = value_of(candidate, figures, row);
      return given && given->hi <= kWidest * given->lo ? given : std::nullopt;
    };
    Fit fit = fit_of(value, printed, false, spread);
    fit.candidate = candidate;
    if (fit.fitting > 1 && !is_of_other_rows(candidate, target, figures, true)) {
      choice.add(fit);
    }
  }
  if (is_given_often(choice, kMostAmountsByChance)) {
    set_unremarked_rule(*choice.best, target, table, name, figures, guesses);
  }
}

}  // namespace

void discover_relations(const DocumentTable& table,
                        const std::string& name,
                        std::vector<Guess>& guesses) {
  const TableFigures figures(table, guesses);
  const auto measured = std::count_if(figures.dimensions.begin(),
                                      figures.dimensions.end(),
                                      [](Dimension d) { return d != Dimension::kLabel; });
  if (static_cast<std::size_t>(measured) > kMostMeasured) {
    return;
  }
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    if (!guesses[c].follows.empty()) {
      continue;
    }
    if (figures.dimensions[c] != Dimension::kRatio) {
      discover_amount(c, table, name, figures, guesses);
      continue;
    }
    if (has_own_relation(guesses[c], guesses)) {
      continue;
    }
    const bool is_paired = has_scale(guesses) && discover_pair(c, name, figures, guesses);
    if (!is_paired) {
      discover_rule(c, table, name, figures, guesses);
    }
    if (guesses[c].follows.empty()) {
      discover_pair(c, name, figures, guesses);
    }
  }
}

}  // namespace scalestudy::audit
