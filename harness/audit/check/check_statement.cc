// Claims about a whole table: an optimum, a break-even, a comparison.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "harness/audit/check/checks.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

const Entry* cell_of(const Ledger& ledger, const Table& table, int row, const std::string& column) {
  const auto& entries = ledger.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.table == &table && entry.figure.row == row && entry.figure.column == column;
  });
  return found == entries.end() ? nullptr : &*found;
}

// Whether `other` is better beyond the rounding of both.
bool is_beaten_by(const Entry& chosen, const Entry& other, bool is_highest) {
  const Range& mine = *chosen.figure.figure.range;
  const Range& theirs = *other.figure.figure.range;
  return !meet(mine, theirs) && (is_highest ? theirs.lo > mine.hi : theirs.hi < mine.lo);
}

// The rows that the optimum names, and the others, by the figures they are judged by.
struct Contest {
  std::vector<const Entry*> chosen;
  std::vector<const Entry*> others;
};

Contest gather(const Statement& statement, const Table& table, const Ledger& ledger) {
  Contest contest;
  const auto named =
      std::find_if(table.columns.begin(), table.columns.end(), [&](const Column& column) {
        return column.declared.quantity == statement.declared.quantity;
      });
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const int row = static_cast<int>(r) + 1;
    const Entry* judged = cell_of(ledger, table, row, statement.optimum->column);
    const Entry* value = cell_of(ledger, table, row, named->name);
    if (judged == nullptr || value == nullptr ||
        (!table.total_row.empty() && agree(row_conditions(table, r), table.total_row))) {
      continue;
    }
    const bool is_chosen = meet(*value->figure.figure.range, *statement.figure.range);
    (is_chosen ? contest.chosen : contest.others).push_back(judged);
  }
  return contest;
}

void check_optimum(const Statement& statement, std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Optimum& optimum = *statement.optimum;
  const auto table = std::find_if(
      context.dataset.tables.begin(), context.dataset.tables.end(), [&](const Table& candidate) {
        return candidate.name == optimum.table;
      });
  Finding finding = start_finding(context.dataset.name, target);
  finding.formula = fmt::format(
      "{} {} of table {}", optimum.is_highest ? "highest" : "lowest", optimum.column, table->name);
  const Contest contest = gather(statement, *table, context.ledger);
  if (contest.chosen.empty()) {
    leave_unchecked(finding,
                    fmt::format("table {} has no row for it", table->name),
                    fmt::format("print its row in table {}", table->name));
  } else {
    finding.verdict = Verdict::kDoesNotFollow;
    for (const Entry* chosen : contest.chosen) {
      const auto better =
          std::find_if(contest.others.begin(), contest.others.end(), [&](const Entry* other) {
            return is_beaten_by(*chosen, *other, optimum.is_highest);
          });
      finding.bases = {base_of(*chosen, target)};
      if (better == contest.others.end()) {
        finding.verdict = Verdict::kFollows;
        finding.why.clear();
        break;
      }
      finding.bases.push_back(base_of(**better, target));
      finding.why = fmt::format("{} is {} than {}",
                                (*better)->figure.figure.printed,
                                optimum.is_highest ? "higher" : "lower",
                                chosen->figure.figure.printed);
    }
  }
  context.add(index, std::move(finding));
}

void check_break_even(const Statement& statement, std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const std::string& quantity = statement.declared.quantity;
  Finding finding = start_finding(context.dataset.name, target);
  finding.formula = fmt::format("inside the measured {}", quantity);
  Range measured{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto take = [&](const Figure& figure, const Base& base) {
    measured.lo = std::min(measured.lo, figure.range->lo);
    measured.hi = std::max(measured.hi, figure.range->hi);
    finding.bases.push_back(base);
  };
  for (const Table& table : context.dataset.tables) {
    const auto& names = statement.break_even_tables;
    if (std::find(names.begin(), names.end(), table.name) == names.end()) {
      continue;
    }
    if (const auto fixed = table.fixed.figures.find(quantity); fixed != table.fixed.figures.end()) {
      take(fixed->second, {quantity, fixed->second.printed, table.where, {}});
    }
    for (const Entry& entry : context.ledger.entries()) {
      if (entry.table == &table && entry.figure.quantity == quantity) {
        take(entry.figure.figure, base_of(entry, target));
      }
    }
  }
  if (finding.bases.empty()) {
    leave_unchecked(finding,
                    fmt::format("no {} is printed in the tables it names", quantity),
                    fmt::format("print the {} of what was measured", quantity));
  } else {
    finding.recomputed = measured;
    finding.recomputed_text = range_text(target.figure.figure, measured);
    const bool is_inside = meet(*target.figure.figure.range, measured);
    finding.verdict = is_inside ? Verdict::kFollows : Verdict::kImplausible;
    finding.why = is_inside ? "" : "outside what was measured: an extrapolation";
  }
  context.add(index, std::move(finding));
}

void check_comparison(const Comparison& comparison, std::size_t index, CheckContext& context) {
  Finding finding = start_finding(context.dataset.name, context.entry(index));
  finding.formula = fmt::format("the two differ in {} only",
                                comparison.vary.empty() ? "nothing" : join(comparison.vary, ", "));
  std::vector<std::string> differing;
  for (const auto& [name, value] : comparison.left) {
    const auto other = comparison.right.find(name);
    const bool is_varied =
        std::find(comparison.vary.begin(), comparison.vary.end(), name) != comparison.vary.end();
    if (other != comparison.right.end() && other->second != value && !is_varied) {
      differing.push_back(fmt::format("{} ({} against {})", name, value, other->second));
    }
  }
  finding.verdict = differing.empty() ? Verdict::kFollows : Verdict::kImplausible;
  if (!differing.empty()) {
    finding.why = "a comparison across " + join(differing, ", ");
  }
  context.add(index, std::move(finding));
}

}  // namespace

void check_statement(const Statement& statement, std::size_t index, CheckContext& context) {
  if (statement.optimum) {
    check_optimum(statement, index, context);
  }
  if (!statement.break_even_tables.empty()) {
    check_break_even(statement, index, context);
  }
  if (statement.comparison) {
    check_comparison(*statement.comparison, index, context);
  }
}

}  // namespace scalestudy::audit
