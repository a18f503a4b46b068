#include "harness/analysis/targets.h"

#include <algorithm>
#include <string>

#include "harness/analysis/findings.h"
#include "harness/analysis/groups.h"
#include "harness/analysis/wording.h"

namespace scalestudy {
namespace {

bool is_comparison(const std::string& metric) {
  return metric == "speedup" || metric == "efficiency" || metric == "communication_overhead";
}

bool is_percentage(const std::string& metric) {
  return metric == "efficiency" || metric == "communication_overhead";
}

// A single device neither communicates nor differs from its own baseline, so a target on such a
// quantity does not mean that cell.
bool has_quantity(const CellRow& cell, const std::string& metric) {
  if (metric == "communication_overhead") {
    return cell.devices > 1;
  }
  return !is_comparison(metric) || cell.baseline != cell.hash;
}

bool matches(const CellRow& cell, const Target& target) {
  return cell.role == "measured" && has_quantity(cell, target.metric) &&
         std::ranges::all_of(target.where, [&](const auto& wanted) {
           return parameter_text(cell, wanted.first) == format_value(wanted.second);
         });
}

std::string format_where(const Parameters& where) {
  std::string text;
  for (const auto& [name, value] : where) {
    text += (text.empty() ? "" : " ") + name + "=" + format_value(value);
  }
  return text.empty() ? "any cell" : text;
}

// Copies the measured interval into `row`; says what is missing otherwise.
std::string fill_value(const CellRow& cell, const Results& results, TargetResultRow& row) {
  if (is_comparison(row.metric)) {
    const auto found = std::ranges::find_if(results.comparisons, [&](const ComparisonRow& other) {
      return other.cell_id == cell.id && other.quantity == row.metric;
    });
    if (found == results.comparisons.end()) {
      return cell.baseline_problem.value_or("there is nothing to compare it with");
    }
    row.value = found->value;
    row.lo = found->lo;
    row.hi = found->hi;
    return row.lo && row.hi ? "" : "not enough data";
  }
  const auto found = std::ranges::find_if(results.estimates, [&](const EstimateRow& other) {
    return other.cell_id == cell.id && other.metric == row.metric && other.statistic == "mean" &&
           other.variant == "all";
  });
  if (found == results.estimates.end()) {
    return "no trial measured it";
  }
  row.value = found->value;
  row.lo = found->lo;
  row.hi = found->hi;
  return row.lo && row.hi ? "" : "not enough data";
}

std::string decide(const TargetResultRow& row) {
  if (!row.lo || !row.hi) {
    return "undecided";
  }
  const bool wants_more = row.bound == "at_least";
  if (wants_more ? *row.lo >= row.level : *row.hi <= row.level) {
    return "met";
  }
  return (wants_more ? *row.hi < row.level : *row.lo > row.level) ? "missed" : "undecided";
}

std::string unit_of(const std::string& metric) {
  if (metric == "speedup") {
    return "x";
  }
  return metric == "throughput" ? " samples/s" : " s";
}

std::string format_measured(const TargetResultRow& row) {
  if (!row.value) {
    return "";
  }
  return is_percentage(row.metric)
             ? format_percent_with_interval(*row.value, row.lo, row.hi)
             : format_with_interval(*row.value, row.lo, row.hi, unit_of(row.metric));
}

std::string describe_wish(const TargetResultRow& row) {
  const std::string bound = row.bound == "at_least" ? "at least " : "at most ";
  return bound + (is_percentage(row.metric) ? format_percent(row.level)
                                            : format_number(row.level) + unit_of(row.metric));
}

TargetResultRow judge_cell(const TargetResultRow& declared,
                           const CellObservation& observed,
                           const Results& results) {
  const CellRow& cell = observed.row;
  TargetResultRow row = declared;
  row.cell_id = cell.id;
  std::string missing = fill_value(cell, results, row);
  row.verdict = decide(row);
  if (cell.oversubscribed) {
    row.verdict = "undecided";
    missing = "no performance claim: oversubscribed";
  }
  const std::string measured = format_measured(row);
  row.finding = row.name + ": " + row.verdict + " for " + describe_cell(cell) + ": " + row.metric +
                " " + (measured.empty() ? "not measured" : measured) + ", wanted " +
                describe_wish(row);
  if (!missing.empty()) {
    row.finding += " (" + missing + ")";
  } else if (row.verdict == "undecided") {
    row.finding += " (the interval contains the level)";
  }
  row.finding += survivors_note(observed);
  return row;
}

}  // namespace

std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results) {
  std::vector<TargetResultRow> rows;
  for (const Target& target : study.analysis.targets) {
    TargetResultRow declared;
    declared.name = target.name;
    declared.metric = target.metric;
    declared.bound = target.at_least ? "at_least" : "at_most";
    declared.level = target.at_least.value_or(target.at_most.value_or(0.0));
    const std::size_t before = rows.size();
    for (const CellObservation& cell : observation.cells) {
      if (matches(cell.row, target)) {
        rows.push_back(judge_cell(declared, cell, results));
      }
    }
    if (rows.size() == before) {
      declared.verdict = "undecided";
      declared.finding = declared.name + ": undecided: no measured cell with a " + declared.metric +
                         " matches " + format_where(target.where) + ", wanted " +
                         describe_wish(declared);
      rows.push_back(declared);
    }
  }
  return rows;
}

}  // namespace scalestudy
