// Targets, thresholds, laws, controls and threats as rows.
#include <algorithm>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/report/build_view.h"
#include "harness/study/parameter_rules.h"

namespace scalestudy::report {
namespace {

// Efficiency and overhead are shares, printed in percent as everywhere in the report.
bool is_share(const std::string& metric) {
  return metric == "efficiency" || metric == "communication_overhead";
}

// With its unit where that is no percentage of the requirement's.
std::string target_value(const TargetResultRow& target) {
  if (!is_share(target.metric)) {
    return format_interval(measure_of(target), 1.0, target.level);
  }
  const std::string text = format_percent_interval(measure_of(target), target.level);
  const bool is_percent = target.value && !are_factors(*target.value, target.lo, target.hi);
  return text + (is_percent ? " %" : "");
}

// The cell of a target's row, or how many the row is about.
std::string target_cell(const ReportInput& input, const TargetResultRow& target) {
  if (target.cell_id) {
    return input.cell(*target.cell_id).label;
  }
  const std::size_t cells = target_cells(input, target.name);
  return cells == 0 ? "no cell matches" : fmt::format("all {} cells", cells);
}

View::List targets(const ReportInput& input) {
  View::List rows;
  for (const TargetResultRow& target : input.results.targets) {
    View row;
    const double factor = is_share(target.metric) ? 100.0 : 1.0;
    const std::string unit = is_share(target.metric) ? " %" : "";
    row.set_text("name", target.name);
    row.set_text("requirement",
                 fmt::format("{} {} {}{}",
                             target.metric,
                             target.bound == "at_most" ? "≤" : "≥",
                             format_number(target.level * factor),
                             unit));
    row.set_text("cell", target_cell(input, target));
    row.set_text("value", target_value(target));
    row.set_text("verdict", target.verdict);
    row.set_text("finding", target.finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

// "batch_global (samples)"
std::string axis_text(const ReportInput& input, const std::string& along) {
  const std::string unit = parameter_unit(input.declared.workload, along);
  return unit.empty() || along == kParameterCount ? along : along + " (" + unit + ")";
}

// A tested value of an axis; sizes stay exact.
std::string rung_text(const ThresholdRow& row, double value) {
  return row.along == "message_bytes" ? format_bytes(static_cast<std::int64_t>(value))
                                      : format_number(value);
}

std::string bracket_text(const ThresholdRow& row) {
  if (row.bracket_lo && row.bracket_hi) {
    return rung_text(row, *row.bracket_lo) + " to " + rung_text(row, *row.bracket_hi);
  }
  if (row.bracket_hi) {
    return "at or below " + rung_text(row, *row.bracket_hi);
  }
  return row.bracket_lo ? "above " + rung_text(row, *row.bracket_lo) : "–";
}

// An end of the interval that lies at the end of the tested range is that value, marked as open.
std::string estimate_text(const ThresholdRow& row) {
  if (!row.lo || !row.hi) {
    return row.estimate ? format_number(*row.estimate) : "–";
  }
  const Measure measure = {row.estimate, row.lo, row.hi};
  const std::string bounds = format_bounds(measure, 1.0);
  const std::size_t comma = bounds.find(", ");
  std::string lo = bounds.substr(1, comma - 1);
  std::string hi = bounds.substr(comma + 2, bounds.size() - comma - 3);
  lo = row.censored_lo ? "≤ " + rung_text(row, *row.lo) : lo;
  hi = row.censored_hi ? "≥ " + rung_text(row, *row.hi) : hi;
  const std::string value = format_interval(measure, 1.0);
  const std::string head = row.estimate ? value.substr(0, value.find(" [")) + " " : "";
  return head + "[" + lo + ", " + hi + "]";
}

// "not_reached" -> "not reached".
std::string in_words(std::string status) {
  std::replace(status.begin(), status.end(), '_', ' ');
  return status;
}

View::List thresholds(const ReportInput& input) {
  View::List rows;
  for (const ThresholdRow& threshold : input.results.thresholds) {
    View row;
    row.set_text("metric", threshold.metric);
    row.set_text("level", format_number(threshold.level));
    row.set_text("along", axis_text(input, threshold.along));
    row.set_text("group", threshold.group_label.empty() ? "all" : threshold.group_label);
    row.set_text("status", in_words(threshold.status));
    row.set_text("bracket", bracket_text(threshold));
    row.set_text("estimate", estimate_text(threshold));
    row.set_text("rungs", std::to_string(threshold.rungs));
    row.set_text("finding", threshold.finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The parameters that have a value; why others have none is in the sentences.
View::List laws(const ReportInput& input) {
  View::List rows;
  for (const LawRow& law : input.results.laws) {
    if (!law.value) {
      continue;
    }
    const bool is_rate = law.parameter.ends_with("_bytes_per_s");
    const bool is_time = law.parameter.ends_with("_s") && !is_rate;
    const Scale scale = scale_for(is_rate ? "bytes/s" : is_time ? "s" : "", *law.value);
    View row;
    row.set_text("law", law.law);
    row.set_text("group", law.group_label.empty() ? "all" : law.group_label);
    row.set_text("parameter", law.parameter + (scale.unit.empty() ? "" : " (" + scale.unit + ")"));
    row.set_text("value", format_interval(measure_of(law), scale.factor));
    row.set_text("provenance", law.provenance);
    row.set_text("levels", std::to_string(law.levels));
    row.set_text("n", std::to_string(law.n));
    rows.push_back(std::move(row));
  }
  return rows;
}

// Sentences that differ only in the curve they are about become one.
View::List law_findings(const ReportInput& input) {
  std::vector<std::pair<std::string, std::vector<std::string>>> together;
  for (const LawRow& law : input.results.laws) {
    if (law.finding.empty()) {
      continue;
    }
    const std::string head = law.group_label + ": ";
    const bool has_head = !law.group_label.empty() && law.finding.starts_with(head);
    const std::string said = has_head ? law.finding.substr(head.size()) : law.finding;
    auto found = std::find_if(
        together.begin(), together.end(), [&](const auto& entry) { return entry.first == said; });
    if (found == together.end()) {
      found = together.insert(together.end(), {said, {}});
    }
    if (has_head) {
      found->second.push_back(law.group_label);
    }
  }
  View::List rows;
  for (const auto& [said, groups] : together) {
    View row;
    row.set_text("finding", (groups.empty() ? "" : join(groups, ", ") + ": ") + said);
    rows.push_back(std::move(row));
  }
  return rows;
}

View::List aa_controls(const ReportInput& input) {
  View::List rows;
  for (const ComparisonRow& control : input.results.comparisons) {
    if (control.quantity != "aa") {
      continue;
    }
    View row;
    row.set_text("cell", input.cell(control.baseline_cell_id).label);
    row.set_text("ratio", format_interval(measure_of(control), 1.0, 1.0));
    row.set_text("n", std::to_string(control.n));
    row.set_text("p_adjusted", format_p(control.p_adjusted));
    row.set_text("verdict", control.verdict);
    row.set_text("finding", control.finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

View::List threats(const ReportInput& input) {
  std::vector<const ThreatRow*> ordered;
  for (const ThreatRow& threat : input.results.threats) {
    ordered.push_back(&threat);
  }
  std::stable_partition(ordered.begin(), ordered.end(), [](const ThreatRow* threat) {
    return threat->severity == "warning";
  });
  View::List rows;
  for (const ThreatRow* threat : ordered) {
    View row;
    row.set_text("severity", threat->severity);
    row.set_text("kind", threat->kind);
    row.set_text("finding", threat->finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::size_t target_cells(const ReportInput& input, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      input.results.targets.begin(), input.results.targets.end(), [&](const TargetResultRow& row) {
        return row.name == name && row.cell_id.has_value();
      }));
}

std::string status_meaning(const std::string& status) {
  if (status == "insufficient_data") {
    return "too few trials";
  }
  if (status == "screened") {
    return "flagged trials are left out, which no interval allows for";
  }
  if (status == "unattainable") {
    return "too few steps beyond the quantile";
  }
  if (status == "zero_variance") {
    return "all values are equal";
  }
  if (status == "invalid_input") {
    return "a value is not a positive number";
  }
  return status.empty() ? "no reason stored" : status;
}

View judgements_view(const ReportInput& input) {
  View view;
  view.set_list("targets", targets(input));
  view.set_list("thresholds", thresholds(input));
  view.set_list("laws", laws(input));
  view.set_list("law_findings", law_findings(input));
  view.set_list("aa_controls", aa_controls(input));
  view.set_list("threats", threats(input));
  return view;
}

}  // namespace scalestudy::report
