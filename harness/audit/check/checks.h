// The checks: each looks at one figure, or one table, and adds what it finds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/check/sql_tables.h"

namespace scalestudy::audit {

struct CheckContext {
  const Dataset& dataset;
  const Ledger& ledger;
  SqlTables& sql;

  struct Placed {
    std::size_t entry = 0;  // findings are told in the order of the dataset
    Finding finding;
  };
  std::vector<Placed> findings{};

  struct SqlProblem {
    FilePlace place;
    std::string message;
  };
  std::vector<SqlProblem> sql_problems{};  // declared SQL that cannot be used

  const Entry& entry(std::size_t index) const { return ledger.entries()[index]; }
  void add(std::size_t index, Finding finding) { findings.push_back({index, std::move(finding)}); }
};

// Adds a finding of kImplausible.
void add_implausible(std::size_t index,
                     const std::string& formula,
                     const std::string& why,
                     std::vector<Base> bases,
                     CheckContext& context);

// By the relations between standard quantities. Adds nothing for a figure that is not derived by
// nature and has no relation whose bases are all printed.
void check_relations(std::size_t index, CheckContext& context);

// By the rule its column or statement declares.
void check_rule(std::size_t index, CheckContext& context);

// That it is at most what it is declared a part of.
void check_part_of(std::size_t index, CheckContext& context);

// The sums of a table's total row.
void check_total_row(const Table& table, CheckContext& context);

// That an earlier place which means the same figure prints the same; where there are several, that
// one of them does. Returns whether there is any.
bool check_twins(std::size_t index, CheckContext& context);

// Values no such quantity can have without an explanation, parts above their wholes in the same
// row, values outside the interval printed beside them, comparisons in which more than one thing
// differs. Adds only what is implausible.
void check_plausible(std::size_t index, CheckContext& context);

// What a statement declares: optimum, break-even, comparison.
void check_statement(const Statement& statement, std::size_t index, CheckContext& context);

}  // namespace scalestudy::audit
