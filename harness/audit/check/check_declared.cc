// Rules that columns and statements declare, and total rows.
#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/check/checks.h"
#include "harness/audit/figure/formula.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

std::string formula_text(const Rule& rule) {
  const std::vector<std::string>& columns = rule.columns;
  switch (rule.kind) {
    case Rule::Kind::kSum:
      return join(columns, " + ");
    case Rule::Kind::kDifference:
      return join(columns, " - ");
    case Rule::Kind::kProduct:
      return join(columns, " * ");
    case Rule::Kind::kRatio:
      return join(columns, " / ");
    case Rule::Kind::kSaving:
      return "1 - " + join(columns, " / ");
    case Rule::Kind::kChange:
      return join(columns, " / ") + " - 1";
    case Rule::Kind::kSql:
      return rule.sql.formula;
  }
  return {};
}

// The figure of a column in the entry's row, nullptr when it is not printed.
const Entry* in_row(const Entry& entry, const std::string& column, const Ledger& ledger) {
  const auto& entries = ledger.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& other) {
    return other.figure.column == column && other.is_same_group(entry);
  });
  return found == entries.end() ? nullptr : &*found;
}

// Sets the verdict by a formula over entries.
void compare_with(Finding& finding,
                  const Entry& target,
                  const Formula& formula,
                  const std::vector<const Entry*>& bases) {
  std::vector<Range> ranges;
  std::vector<Range> cut_off;
  std::vector<std::size_t> same_as;
  for (const Entry* base : bases) {
    finding.bases.push_back(base_of(*base, target));
  }
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const PrintedFigure& base = bases[i]->figure;
    if (!base.figure.range->is_bounded()) {
      leave_unchecked(
          finding,
          fmt::format("{} ({}) is only a bound", name_of(*bases[i]), base.figure.printed),
          fmt::format("print {} itself", name_of(*bases[i])));
      return;
    }
    same_as.push_back(i);
    ranges.push_back(physical_range(base.quantity, base.figure));
    cut_off.push_back(physical_cut_off_range(base.quantity, base.figure));
  }
  const Range range = formula.range(ranges, same_as);
  if (!range.is_bounded()) {
    leave_unchecked(
        finding, "a divisor may be zero within its rounding", "print the divisor with more digits");
    return;
  }
  const Range from_cut_off = formula.range(cut_off, same_as);
  compare(finding,
          target.figure.figure,
          range,
          from_cut_off.is_bounded() ? std::optional(from_cut_off) : std::nullopt);
}

void check_columns(Finding& finding, const Entry& target, const Ledger& ledger) {
  const Formula formula(finding.formula);
  std::vector<const Entry*> bases;
  for (const std::string& name : formula.names()) {
    const Entry* base = in_row(target, name, ledger);
    if (base == nullptr) {
      leave_unchecked(finding,
                      fmt::format("{} is not printed in its row", name),
                      fmt::format("print {} in its row", name));
      return;
    }
    bases.push_back(base);
  }
  compare_with(finding, target, formula, bases);
}

// The statement's value over its bases' intervals; without a range when it decides nothing.
SqlResult evaluate_sql(Finding& finding,
                       const Entry& target,
                       const Sql& sql,
                       CheckContext& context) {
  finding.formula = sql.formula;
  SqlResult result = context.sql.evaluate(sql.text, target.figure.row);
  for (const std::size_t base : result.bases) {
    finding.bases.push_back(base_of(context.entry(base), target));
  }
  if (!result.error.empty()) {
    context.sql_problems.push_back({sql.place, result.error});
  }
  if (!result.range) {
    leave_unchecked(finding,
                    result.error.empty() ? result.problem : result.error,
                    "print every figure that its SQL reads, each with its digits");
  }
  return result;
}

bool is_sum_column(const Column& column) {
  const QuantityInfo& info = *find_quantity(column.declared.quantity);
  return info.dimension != Dimension::kLabel && column.declared.is_summed.value_or(adds_up(info));
}

}  // namespace

void check_rule(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Rule& rule = *target.declared->follows;
  Finding finding = start_finding(context.dataset.name, target);
  if (rule.kind == Rule::Kind::kSql) {
    const SqlResult result = evaluate_sql(finding, target, rule.sql, context);
    if (result.range) {
      const bool is_met = meet(*target.figure.figure.range, *result.range);
      compare(finding,
              target.figure.figure,
              *result.range,
              is_met ? std::nullopt : context.sql.if_cut_off(result));
    }
  } else {
    finding.formula = formula_text(rule);
    check_columns(finding, target, context.ledger);
  }
  context.add(index, std::move(finding));
}

void check_part_of(std::size_t index, CheckContext& context) {
  const Entry& target = context.entry(index);
  const Figure& printed = target.figure.figure;
  Finding finding = start_finding(context.dataset.name, target);
  std::optional<Range> whole;
  if (target.declared->part_of_sql) {
    whole = evaluate_sql(finding, target, *target.declared->part_of_sql, context).range;
  } else {
    const Entry* entry = in_row(target, target.declared->part_of_column, context.ledger);
    finding.formula = target.declared->part_of_column;
    if (entry == nullptr) {
      leave_unchecked(finding,
                      fmt::format("{} is not printed in its row", finding.formula),
                      fmt::format("print {} in its row", finding.formula));
    } else {
      finding.bases.push_back(base_of(*entry, target));
      whole = entry->figure.figure.range;
    }
  }
  finding.formula = "at most " + finding.formula;
  if (whole) {
    const Range allowed{std::min(printed.range->lo, whole->lo), whole->hi};
    compare(finding, printed, allowed);
    finding.recomputed = whole;
    finding.recomputed_text = range_text(printed, *whole);
    if (finding.verdict == Verdict::kDoesNotFollow) {
      finding.why = "a part larger than its whole";
    }
  }
  context.add(index, std::move(finding));
}

void check_total_row(const Table& table, CheckContext& context) {
  const std::vector<Entry>& entries = context.ledger.entries();
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    std::vector<const Entry*> parts;
    std::size_t total = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].table != &table || entries[i].figure.column != column.name) {
        continue;
      }
      const auto row = static_cast<std::size_t>(entries[i].figure.row) - 1;
      if (agree(row_conditions(table, row), table.total_row)) {
        total = i;
      } else {
        parts.push_back(&entries[i]);
      }
    }
    if (total == entries.size() || !is_sum_column(column)) {
      continue;
    }
    Finding finding = start_finding(context.dataset.name, entries[total]);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      names.push_back(fmt::format("r{}", i + 1));
    }
    finding.formula = fmt::format("sum of {} over the other rows", column.name);
    if (parts.size() + 1 != table.rows.size()) {
      leave_unchecked(
          finding, "not every part of the sum is printed", "print every part of the sum");
    } else {
      compare_with(finding, entries[total], Formula(join(names, " + ")), parts);
    }
    context.add(total, std::move(finding));
  }
}

}  // namespace scalestudy::audit
