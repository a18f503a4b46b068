// Sends every figure to the checks that concern it.
#include "harness/audit/audit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/audit/check/checks.h"
#include "harness/audit/check/remarks.h"
#include "harness/audit/figure/quantity.h"
#include "harness/base/error.h"
#include "harness/base/read_file.h"
#include "harness/text/text.h"
#include "harness/yaml/problem.h"

namespace scalestudy::audit {
namespace {

const Statement* statement_of(const Dataset& dataset, const Entry& entry) {
  if (entry.table != nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(dataset.statements.begin(),
                                  dataset.statements.end(),
                                  [&](const Statement& s) { return s.id == entry.figure.column; });
  return &*found;
}

// Whether the figure is one that should follow from something.
bool needs_origin(const Entry& entry) {
  return find_quantity(entry.figure.quantity)->is_derived;
}

void check_figure(std::size_t index, CheckContext& context) {
  const Entry& entry = context.entry(index);
  const Declaration& declared = *entry.declared;
  const Statement* statement = statement_of(context.dataset, entry);
  check_plausible(index, context);
  if (!declared.part_of_column.empty() || declared.part_of_sql) {
    check_part_of(index, context);
  }
  if (statement != nullptr) {
    check_statement(*statement, index, context);
  }
  if (declared.follows) {
    check_rule(index, context);
    return;
  }
  const bool has_twin = check_twins(index, context);
  const auto is_told = [&](const CheckContext::Placed& placed) { return placed.entry == index; };
  const bool is_settled =
      statement != nullptr &&
      (has_twin || std::any_of(context.findings.begin(), context.findings.end(), is_told));
  if (is_settled) {
    return;
  }
  if (declared.own_method.empty()) {
    check_relations(index, context);
  } else if (needs_origin(entry)) {
    Finding finding = start_finding(context.dataset.name, entry);
    leave_unchecked(finding,
                    "it has a method of its own: " + declared.own_method,
                    "print the figures that its method starts from");
    context.add(index, std::move(finding));
  }
}

[[noreturn]] void refuse(const std::vector<CheckContext::SqlProblem>& sql_problems) {
  std::map<std::string, std::vector<Problem>> by_file;
  for (const CheckContext::SqlProblem& problem : sql_problems) {
    std::vector<Problem>& problems = by_file[problem.place.file];
    const bool is_known = std::any_of(problems.begin(), problems.end(), [&](const Problem& known) {
      return known.line == problem.place.line && known.column == problem.place.column;
    });
    if (!is_known) {
      problems.push_back({problem.place.line, problem.place.column, "sql: " + problem.message});
    }
  }
  std::vector<std::string> blocks;
  for (const auto& [file, problems] : by_file) {
    blocks.push_back(format_problems(problems, read_file(file).value_or(""), file));
  }
  throw Error(ErrorKind::kUsage, join(blocks, "\n"));
}

std::vector<Finding> find_all(const Dataset& dataset) {
  const Ledger ledger(dataset);
  SqlTables sql(dataset, ledger);
  CheckContext context{dataset, ledger, sql};
  for (std::size_t i = 0; i < ledger.entries().size(); ++i) {
    check_figure(i, context);
  }
  for (const Table& table : dataset.tables) {
    check_rows(table, context);
    if (!table.total_row.empty()) {
      check_total_row(table, context);
    }
  }
  if (!context.sql_problems.empty()) {
    refuse(context.sql_problems);
  }
  std::stable_sort(context.findings.begin(),
                   context.findings.end(),
                   [](const auto& a, const auto& b) { return a.entry < b.entry; });
  std::vector<Finding> findings;
  for (CheckContext::Placed& placed : context.findings) {
    findings.push_back(std::move(placed.finding));
  }
  return findings;
}

}  // namespace

std::vector<Finding> audit_dataset(const Dataset& dataset) {
  std::vector<Finding> findings = find_all(dataset);
  add_remarks(dataset, findings, find_all);
  return findings;
}

void add_unreached(const Dataset& dataset, std::vector<Finding>& findings) {
  using Key = std::tuple<std::string, int, int>;
  const auto key_of = [](const FilePlace& place) {
    return Key(place.file, place.line, place.column);
  };
  std::set<Key> reached;
  std::map<Key, std::string> differing;  // why a formula that uses the figure says nothing of it
  for (const Finding& finding : findings) {
    reached.insert(key_of(finding.place));
    for (const Base& base : finding.bases) {
      reached.insert(key_of(base.place));
    }
    for (const OtherUse& use : finding.other_uses) {
      if (use.gives) {
        reached.insert(key_of(use.place));
      } else {
        differing.emplace(key_of(use.place),
                          fmt::format("{} uses it and does not give {} ({}), which follows by {}",
                                      use.formula,
                                      finding.figure,
                                      finding.printed,
                                      finding.formula));
      }
    }
  }
  const Ledger ledger(dataset);
  for (const Entry& entry : ledger.entries()) {
    const FilePlace& place = entry.figure.place;
    if (!find_quantity(entry.figure.quantity)->is_condition && !reached.contains(key_of(place))) {
      Finding finding = start_finding(dataset.name, entry);
      const auto difference = differing.find(key_of(place));
      if (difference == differing.end()) {
        leave_unchecked(finding,
                        "no formula uses it or gives it",
                        "if it follows from others, say from which (`follows`)");
      } else {
        leave_unchecked(finding, difference->second, "check both figures, or say what it is of");
      }
      findings.push_back(std::move(finding));
    }
  }
}

}  // namespace scalestudy::audit
