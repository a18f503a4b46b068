// Rows of one table that are about one run, as far as is declared, and print different figures.
#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "harness/audit/check/checks.h"
#include "harness/audit/figure/quantity.h"

namespace scalestudy::audit {
namespace {

// Quantities that are no conditions, and by which tables tell runs apart all the same. So are exact
// and free ones: epochs, a learning rate.
constexpr auto kVaried = std::to_array<std::string_view>({"parameters",
                                                          "samples_per_epoch",
                                                          "gradient_bytes",
                                                          "traffic_bytes",
                                                          "flop_per_step",
                                                          "parallel_fraction",
                                                          "accuracy",
                                                          "share"});

bool is_measured(const Column& column) {
  const QuantityInfo& info = *find_quantity(column.declared.quantity);
  return !info.is_condition && !info.is_exact && !info.is_free && !column.declared.is_exact &&
         std::find(kVaried.begin(), kVaried.end(), info.name) == kVaried.end();
}

// What may tell the row's run apart, by column. Absent if no column is a condition, or if the cell
// of one is blank, as below a cell that is meant for several rows.
std::optional<std::vector<std::string>> run_of(const Table& table, std::size_t row) {
  std::vector<std::string> run;
  bool has_condition = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const QuantityInfo& info = *find_quantity(table.columns[c].declared.quantity);
    const Cell& cell = table.rows[row][c];
    const bool is_label = info.dimension == Dimension::kLabel;
    if (info.is_condition &&
        (is_label ? cell.label.empty() : cell.figure.form == FigureForm::kAbsent)) {
      return std::nullopt;
    }
    if (!is_measured(table.columns[c])) {
      run.push_back(is_label ? cell.label : condition_text(cell.figure));
    }
    has_condition = has_condition || info.is_condition;
  }
  return has_condition ? std::optional(std::move(run)) : std::nullopt;
}

// The first column in which the two differ by more than rounding.
const Column* differing_column(const Table& table, std::size_t a, std::size_t b) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Figure& left = table.rows[a][c].figure;
    const Figure& right = table.rows[b][c].figure;
    if (is_measured(table.columns[c]) && left.range && right.range &&
        !meet(*left.range, *right.range)) {
      return &table.columns[c];
    }
  }
  return nullptr;
}

std::size_t entry_of(const Table& table,
                     std::size_t row,
                     const Column& column,
                     const Ledger& ledger) {
  const auto& entries = ledger.entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.table == &table && entry.figure.row == static_cast<int>(row) + 1 &&
           entry.figure.column == column.name;
  });
  return static_cast<std::size_t>(found - entries.begin());
}

void check_pair(const Table& table, std::size_t earlier, std::size_t later, CheckContext& context) {
  const Column* column = differing_column(table, earlier, later);
  if (column == nullptr) {
    return;
  }
  const std::size_t index = entry_of(table, later, *column, context.ledger);
  const Entry& target = context.entry(index);
  const Entry& other = context.entry(entry_of(table, earlier, *column, context.ledger));
  add_implausible(index,
                  "one figure for the same conditions",
                  fmt::format("rows {} and {} have the same conditions and different {} ({} and "
                              "{}): the document has to say what differs",
                              earlier + 1,
                              later + 1,
                              column->name,
                              other.figure.figure.printed,
                              target.figure.figure.printed),
                  {base_of(other, target)},
                  context);
}

}  // namespace

void check_rows(const Table& table, CheckContext& context) {
  std::map<std::vector<std::string>, std::size_t> first_of;  // row by run
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (const auto run = run_of(table, row)) {
      const std::size_t first = first_of.try_emplace(*run, row).first->second;
      check_pair(table, first, row, context);
    }
  }
}

}  // namespace scalestudy::audit
