// Coordinate ascent over printed figures.
#include "harness/audit/check/sql_tables.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace scalestudy::audit {
namespace {

constexpr int kMostSweeps = 4;
constexpr double kNoChange = 1e-12;  // relative

bool differ(double a, double b) {
  return !(std::abs(a - b) <= kNoChange * std::max(std::abs(a), std::abs(b)));
}

}  // namespace

SqlTables::SqlTables(const Dataset& dataset, const Ledger& ledger)
    : ledger_(ledger), session_(dataset) {}

// The value with one figure moved; nothing when the statement then gives no number.
std::optional<double> SqlTables::run_at(const Entry& entry, double at) {
  session_.set(entry, at);
  std::string ignored;
  return session_.run(ignored);
}

// Figures that move the value, each by itself; a problem when one cannot be followed. Bounds and
// exact figures are nudged only to see whether they matter.
void SqlTables::find_bases(double start, SqlResult& result) {
  for (std::size_t i = 0; i < ledger_.entries().size(); ++i) {
    const Entry& entry = ledger_.entries()[i];
    if (!session_.is_read(entry) || session_.is_exhausted()) {
      continue;
    }
    const Figure& figure = entry.figure.figure;
    const double middle = stand_in(figure);
    const bool is_bound = !figure.range->is_bounded();
    const bool is_exact = figure.form == FigureForm::kExact;
    const double nudge = std::max(std::abs(middle), 1.0) * (is_bound ? 0.25 : 0.01);
    const Range range = is_bound || is_exact ? Range{middle - nudge, middle + nudge}
                                             : physical_range(entry.figure.quantity, figure);
    const double at_lo = run_at(entry, range.lo).value_or(start);
    const double at_hi = run_at(entry, range.hi).value_or(start);
    session_.set(entry, middle);
    if (!differ(at_lo, start) && !differ(at_hi, start)) {
      continue;
    }
    result.bases.push_back(i);
    if (is_bound) {
      result.problem = fmt::format("{} is only a bound", name_of(entry));
    } else if (!is_exact && (differ(at_lo, start) && differ(at_hi, start)) &&
               (at_lo < start) == (at_hi < start)) {
      result.problem = fmt::format("its value is not monotone in {}", name_of(entry));
    }
  }
}

void SqlTables::put(const std::vector<Moving>& figures) {
  for (const Moving& figure : figures) {
    session_.set(*figure.entry, figure.at);
  }
}

// Sets `group`, some of `state`, to its lower or upper ends; keeps that and the new value if it
// is further in the direction asked for.
bool SqlTables::try_move(std::vector<Moving>& state,
                         const std::vector<std::size_t>& group,
                         Direction direction,
                         EndsOf ends_of,
                         double& best) {
  for (const bool at_high : {false, true}) {
    std::vector<Moving> moved;
    bool is_change = false;
    for (const std::size_t i : group) {
      const PrintedFigure& figure = state[i].entry->figure;
      const Range range = ends_of(figure.quantity, figure.figure);
      moved.push_back({state[i].entry, at_high ? range.hi : range.lo});
      is_change = is_change || moved.back().at != state[i].at;
    }
    if (!is_change) {
      continue;  // exact figures, or an end that was kept before
    }
    put(moved);
    std::string ignored;
    const std::optional<double> value = session_.run(ignored);
    if (value && differ(*value, best) && (*value > best) == (direction == Direction::kUp)) {
      best = *value;
      for (std::size_t k = 0; k < group.size(); ++k) {
        state[group[k]].at = moved[k].at;
      }
      return true;
    }
    for (const std::size_t i : group) {
      session_.set(*state[i].entry, state[i].at);
    }
  }
  return false;
}

// The furthest value in one direction: coordinate ascent over the ends of all figures read, each
// alone and each column as a whole (of two equal maxima, lowering one alone changes nothing).
double SqlTables::extreme(double start, Direction direction, EndsOf ends_of) {
  std::vector<Moving> state;
  std::map<std::string, std::vector<std::size_t>> columns;
  std::vector<std::vector<std::size_t>> groups;
  for (const Entry& entry : ledger_.entries()) {
    const Figure& figure = entry.figure.figure;
    if (session_.is_read(entry) && figure.range->is_bounded()) {
      columns[entry.figure.table + "." + (entry.table == nullptr ? "" : entry.figure.column)]
          .push_back(state.size());
      groups.push_back({state.size()});
      state.push_back({&entry, stand_in(figure)});
    }
  }
  for (const auto& [name, members] : columns) {
    groups.push_back(members);
  }
  const std::vector<Moving> as_printed = state;
  double best = start;
  bool moved = true;
  for (int sweep = 0; moved && sweep < kMostSweeps; ++sweep) {
    moved = false;
    for (const std::vector<std::size_t>& group : groups) {
      moved =
          (!session_.is_exhausted() && try_move(state, group, direction, ends_of, best)) || moved;
    }
  }
  put(as_printed);
  return best;
}

SqlResult SqlTables::evaluate(const std::string& sql, int row) {
  SqlResult result;
  result.error = session_.compile(sql, row);
  if (!result.error.empty()) {
    return result;
  }
  const std::optional<double> start = session_.run(result.error);
  if (!start) {
    result.problem = "its SQL gives NULL: a base is not printed";
    return result;
  }
  find_bases(*start, result);
  if (result.problem.empty()) {
    result.value = *start;
    result.range = Range{extreme(*start, Direction::kDown, physical_range),
                         extreme(*start, Direction::kUp, physical_range)};
  }
  if (session_.is_exhausted()) {
    result.error = "it runs too long";
  }
  return result;
}

std::optional<Range> SqlTables::if_cut_off(const SqlResult& last) {
  const Range range{extreme(last.value, Direction::kDown, physical_cut_off_range),
                    extreme(last.value, Direction::kUp, physical_cut_off_range)};
  return session_.is_exhausted() ? std::nullopt : std::optional(range);
}

}  // namespace scalestudy::audit
