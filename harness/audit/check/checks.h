// The checks: each looks at one figure, or one table, and adds what it finds.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/check/sql_tables.h"

namespace scalestudy::audit {

// How many figures of a column could follow from a comparison, and how many do.
struct ComparisonTally {
  std::size_t tried = 0;
  std::size_t met = 0;
};

struct CheckContext {
  const Dataset& dataset;
  const Ledger& ledger;
  SqlTables& sql;

  struct Placed {
    std::size_t entry = 0;  // index into the ledger; findings are reported in its order
    Finding finding;
  };
  std::vector<Placed> findings{};

  struct SqlProblem {
    FilePlace place;
    std::string message;
  };
  std::vector<SqlProblem> sql_problems{};  // declared SQL that cannot be used

  // Of the columns so far asked for: their comparisons of mixed runs, by comparison_of().
  std::map<const Declaration*, std::map<std::string, ComparisonTally>> mixed_comparisons{};

  const Entry& entry(std::size_t index) const { return ledger.entries()[index]; }
  void add(std::size_t index, Finding finding) { findings.push_back({index, std::move(finding)}); }
};

// Adds a finding with the verdict kImplausible.
void add_implausible(std::size_t index,
                     const std::string& formula,
                     const std::string& why,
                     std::vector<Base> bases,
                     CheckContext& context);

// Checks a figure by the relations between standard quantities. Adds nothing for a figure that is
// not derived by nature and has no relation whose bases are all printed.
void check_relations(std::size_t index, CheckContext& context);

// Checks a figure by the rule that its column or statement declares.
void check_rule(std::size_t index, CheckContext& context);

// Checks that a figure is at most the whole it is declared a part of.
void check_part_of(std::size_t index, CheckContext& context);

// Checks the sums of a table's total row.
void check_total_row(const Table& table, CheckContext& context);

// Adds a finding for each row that has the conditions of an earlier one of its table, the first of
// these, and another measured figure: kImplausible, since the column that tells their runs apart
// may be missing.
void check_rows(const Table& table, CheckContext& context);

// Checks that an earlier place which means the same figure prints the same; if there are several,
// that one of them does. Returns whether there is any.
bool check_twins(std::size_t index, CheckContext& context);

// Adds findings for what is implausible: values that the quantity cannot have without an
// explanation, parts above their wholes in the same row, values outside the interval printed beside
// them, comparisons in which more than one thing differs.
void check_plausible(std::size_t index, CheckContext& context);

// Checks what a statement declares: its optimum, break-even tables and comparison.
void check_statement(const Statement& statement, std::size_t index, CheckContext& context);

}  // namespace scalestudy::audit
