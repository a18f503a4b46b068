// Tries every formula on every row, and weighs the best against chance.
#include "harness/audit/draft/discover.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "harness/audit/draft/candidate.h"

namespace scalestudy::audit {
namespace {

// False alarms a column, expected by chance.
constexpr double kMostByChance = 0.01;
constexpr double kMostByChanceInCell = 0.2;
// The same among the formulas that the heading names, and in how many rows one of them may be
// wrong.
constexpr double kMostByChanceIfNamed = 0.05;
constexpr std::size_t kFewestNamed = 4;
// What unrelated figures vary over at least and at most: logarithms of ratios, percentages as they
// are. A column's own figures say which, within these.
constexpr double kLeastSpread = 0.2;
constexpr double kMostLogSpread = 2.3;
constexpr double kMostPercentSpread = 1.0;
constexpr std::size_t kMostMeasured = 24;
// Rows that a rule may not give: an error or two are likely, a rule that is not meant more so.
constexpr std::size_t kMostWrong = 1;

// How often the formula gives what is printed, and how often one would by chance.
struct Fit {
  Candidate candidate;
  std::size_t fitting = 0;  // 0 also if fewer than half of the rows fit
  std::size_t rows = 0;     // that can fit or not: 1.00x in the first row says nothing
  double by_chance = 1.0;
};

// P(Binomial(n, p) >= m).
double tail(std::size_t n, std::size_t m, double p) {
  double below = 0.0;
  double choose = 1.0;
  for (std::size_t k = 0; k < m; ++k) {
    below += choose * std::pow(p, static_cast<double>(k)) *
             std::pow(1.0 - p, static_cast<double>(n - k));
    choose *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return std::clamp(1.0 - below, 0.0, 1.0);
}

double middle(const Range& range) {
  return (range.lo + range.hi) / 2.0;
}

// How wide a range is where unrelated figures lie evenly: in logarithms for `x`.
double width(const Range& range, bool is_percent) {
  return is_percent       ? range.hi - range.lo
         : range.lo > 0.0 ? std::log(range.hi / range.lo)
                          : kMostLogSpread;
}

double spread_of(const Ranges& printed, bool is_percent) {
  std::optional<Range> all;
  for (const std::optional<Range>& range : printed) {
    if (range && (is_percent || range->lo > 0.0)) {
      const double at = is_percent ? middle(*range) : std::log(middle(*range));
      all = all ? Range{std::min(all->lo, at), std::max(all->hi, at)} : Range{at, at};
    }
  }
  return std::clamp(all ? 2.0 * (all->hi - all->lo) : 0.0,
                    kLeastSpread,
                    is_percent ? kMostPercentSpread : kMostLogSpread);
}

using Value = std::function<std::optional<Range>(std::size_t row)>;

// How well `value` gives the target's figures. The chance of one row is what the roundings cover of
// the spread, and at least how often the formula's value for one row meets what another prints:
// where all figures are nearly equal, that they agree says nothing.
Fit fit_of(const Value& value, const Ranges& printed, bool is_percent, double spread) {
  Fit fit;
  std::vector<std::pair<Range, Range>> pairs;  // printed, recomputed
  double width_sum = 0.0;
  for (std::size_t r = 0; r < printed.size(); ++r) {
    const std::optional<Range> recomputed = printed[r] ? value(r) : std::nullopt;
    if (recomputed && recomputed->is_bounded()) {
      pairs.emplace_back(*printed[r], *recomputed);
      fit.fitting += meet(*printed[r], *recomputed) ? 1U : 0U;
      width_sum += width(*printed[r], is_percent) + width(*recomputed, is_percent);
    }
  }
  fit.rows = pairs.size();
  if (fit.fitting == 0 || 2 * fit.fitting < fit.rows) {
    fit.fitting = 0;
    return fit;
  }
  std::size_t crossing = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (std::size_t j = 0; j < pairs.size(); ++j) {
      crossing += i != j && meet(pairs[i].first, pairs[j].second) ? 1U : 0U;
    }
  }
  const auto n = static_cast<double>(fit.rows);
  const double p = std::max(width_sum / n / spread,
                            fit.rows < 2 ? 1.0 : static_cast<double>(crossing) / (n * (n - 1.0)));
  fit.by_chance = tail(fit.rows, fit.fitting, std::min(p, 1.0));
  return fit;
}

bool is_better(const Fit& a, const Fit& b) {
  return a.by_chance != b.by_chance ? a.by_chance < b.by_chance : a.fitting > b.fitting;
}

// The best of the formulas tried.
struct Choice {
  std::optional<Fit> best;
  std::size_t tried = 0;

  void add(const Fit& fit) {
    if (!best || is_better(fit, *best)) {
      best = fit;
    }
  }
  bool is_certain(double most_by_chance) const {
    return best && best->by_chance * static_cast<double>(tried) <= most_by_chance;
  }
};

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

// Whether the formula accuses too many rows to be meant: several, or of those over another row one
// that prints 1 (or a change of 0), where another group of rows starts.
bool is_of_other_rows(const Fit& fit, const TableFigures& figures, const Ranges& printed) {
  constexpr double slack = 1e-9;
  if (fit.rows - fit.fitting > kMostWrong) {
    return true;
  }
  const Candidate& candidate = fit.candidate;
  if (candidate.over != Candidate::Over::kFirstRow &&
      candidate.over != Candidate::Over::kRowAbove) {
    return false;
  }
  const double own = candidate.form == Candidate::Form::kRatio ? 1.0 : 0.0;
  for (std::size_t r = 0; r < printed.size(); ++r) {
    const std::optional<Range> given = printed[r] ? value_of(candidate, figures, r) : std::nullopt;
    if (given && std::abs(middle(*printed[r]) - own) < slack && !meet(*printed[r], *given)) {
      return true;
    }
  }
  return false;
}

void set_rule(const Fit& fit,
              std::size_t target,
              const std::string& name,
              const TableFigures& figures,
              std::vector<Guess>& guesses) {
  Guess& guess = guesses[target];
  const auto [rule, words] = rule_of(fit.candidate, name, guesses, figures);
  guess.follows = rule;
  guess.baseline.clear();
  guess.note.clear();
  guess.reason += fmt::format("; {} gives {} of {} rows", words, fit.fitting, fit.rows);
}

// Whether a formula that the heading names gives all rows, or all but one of four or more, and no
// other gives more.
bool is_meant_by_name(const Choice& named, const Choice& all, double most_by_chance) {
  return named.is_certain(most_by_chance) &&
         (named.best->fitting == named.best->rows || named.best->rows >= kFewestNamed) &&
         named.best->fitting >= all.best->fitting;
}

// Notes a formula that gives all rows but one, where it may do so by chance.
void note_near_rule(const Fit& near,
                    std::size_t target,
                    const std::string& name,
                    const TableFigures& figures,
                    std::vector<Guess>& guesses) {
  const Ranges& printed = figures.columns[target];
  for (std::size_t r = 0; r < printed.size(); ++r) {
    const auto given = printed[r] ? value_of(near.candidate, figures, r) : std::nullopt;
    if (given && !meet(*printed[r], *given)) {
      guesses[target].note = fmt::format(
          "{} is {} in {} of {} rows, and not in row {}; if that is its rule, declare "
          "it (`follows`)",
          guesses[target].name,
          rule_of(near.candidate, name, guesses, figures).second,
          near.fitting,
          near.rows,
          r + 1);
    }
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
    if (is_of_other_rows(fit, figures, printed)) {
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
  if (all.is_certain(kMostByChance)) {
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
    if (fit.fitting >= fewest && fit.rows - fit.fitting <= kMostWrong) {
      fit.candidate = candidate;
      set_rule(fit, target, name, figures, guesses);
      return true;
    }
  }
  return false;
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
    if (figures.dimensions[c] != Dimension::kRatio || !guesses[c].follows.empty() ||
        has_own_relation(guesses[c], guesses)) {
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
