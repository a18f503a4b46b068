// Fitted scaling laws, and the line of latency and bandwidth.
#include <algorithm>
#include <map>

#include "harness/report/input/cell_names.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

std::string name_of(const std::string& parameter) {
  static const std::map<std::string, std::string> kNames = {
      {"t1_s", "step time of 1 device"},
      {"compute_s", "computation"},
      {"hop_latency_s", "latency of a hop"},
      {"transfer_s", "sending the gradients once"},
      {"alpha_s", "latency"},
      {"bandwidth_bytes_per_s", "bandwidth"},
      {"relative_residual_sd", "standard deviation from the line"},
      {"n_peak", "devices at the peak"},
      {"lack_of_fit_p", "p value of the lack of fit"}};
  const auto found = kNames.find(parameter);
  return found == kNames.end() ? in_words(parameter) : found->second;
}

// Shares are percentages, as in the sentences.
Scale scale_of(const LawRow& law) {
  const bool is_fraction =
      law.parameter == "serial_fraction" || law.parameter == "relative_residual_sd";
  return is_fraction ? Scale{"%", 100.0} : scale_for(law.unit, *law.value);
}

// A fraction that was cut at 0 or 1 is told by what is known: how far it may be from there.
std::string value_text(const LawRow& law) {
  const auto plain = [](double end) {
    return format_decimals(100.0 * end, decimals_of(100.0 * end, 2));
  };
  if (law.parameter == "serial_fraction" && *law.value <= 0.0) {
    return law.hi && *law.hi > 0.0 ? "≤ " + plain(*law.hi) : "none measurable";
  }
  if (law.parameter == "serial_fraction" && *law.value >= 1.0) {
    return law.lo && *law.lo < 1.0 ? "≥ " + plain(*law.lo) : "all";
  }
  return law.parameter == "lack_of_fit_p"
             ? format_p_value(law.value)
             : format_interval(measure_of(law), {.factor = scale_of(law).factor});
}

std::vector<Column<LawRow>> law_columns(const ReportInput& input) {
  using enum Align;
  using Row = LawRow;
  const bool is_of_messages = input.declared.workload == Workload::kCollective;
  return {
      {{"law", "Law", "Amdahl, USL, communication added ... or latency and bandwidth", kText},
       [](const Row& row) { return name_of_law(row.law); }},
      {{"group", "Among", "the other varied parameters", kText},
       [&input](const Row& row) {
         return row.group_label.empty() ? "all" : curve_label(input, row.group_label);
       }},
      {{"parameter", "Parameter", "parameter and unit", kText},
       [](const Row& row) {
         const std::string unit = scale_of(row).unit;
         return name_of(row.parameter) + (unit.empty() ? "" : " (" + unit + ")");
       }},
      {{"value", "Value", "value [interval]; ≤ or ≥ the end of one whose value lies on a bound"},
       value_text},
      {{"provenance",
        "Provenance",
        "that of the curve: measured, emulated or imported; projected of what lies beyond it",
        kText,
        is_of_messages ? Shown::kNever : Shown::kAlways},
       [](const Row& row) { return to_word(row.provenance); }},
      {{"levels",
        is_of_messages ? "Sizes" : "Device counts",
        "distinct numbers of devices, or sizes of messages"},
       [](const Row& row) { return std::to_string(row.levels); }},
      {{"n", "Trials", "trials, also where their means by session are fitted"},
       [](const Row& row) { return std::to_string(row.n); }},
  };
}

// Whether the interval of kappa allows for a curve without a peak.
bool may_lack_peak(const ReportInput& input, const LawRow& peak) {
  return std::ranges::any_of(input.results.laws, [&](const LawRow& law) {
    return law.parameter == "kappa" && law.law == peak.law && law.group_label == peak.group_label &&
           law.lo && *law.lo <= 0.0;
  });
}

// The parameters that have a value; why others have none is in the sentences.
std::vector<LawRow> rows_with_value(const ReportInput& input) {
  std::vector<LawRow> rows = input.results.laws;
  std::erase_if(rows, [&](const LawRow& law) {
    return !law.value || (law.parameter == "n_peak" && may_lack_peak(input, law));
  });
  return rows;
}

// Sentences that differ only in the curve they are about become one.
template <typename Row>
View::List findings_of(const ReportInput& input, const std::vector<Row>& all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> together;
  for (const Row& law : all) {
    if (law.finding.empty()) {
      continue;
    }
    auto found = std::find_if(together.begin(), together.end(), [&](const auto& entry) {
      return entry.first == law.finding;
    });
    if (found == together.end()) {
      found = together.insert(together.end(), {law.finding, {}});
    }
    if (!law.group_label.empty()) {
      found->second.push_back(curve_label(input, law.group_label));
    }
  }
  View::List rows;
  for (const auto& [said, groups] : together) {
    View row;
    const std::string about = groups.empty() ? "" : join(groups, "; ") + ": ";
    row.set_text("finding", begin_line(input, about + said));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Section laws_section() {
  const Tags findings = {
      {"law_findings", TagKind::kList, "what the laws say, or why they say nothing"},
      {"law_findings.finding", TagKind::kText, "a sentence"},
      {"law_choices", TagKind::kList, "which law is the best at counts left out, or that none is"},
      {"law_choices.finding", TagKind::kText, "a sentence"}};
  return {table_tags("laws",
                     "parameters of fitted scaling laws that have a value",
                     heads_of(law_columns(empty_input()))) +
              findings,
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("laws", one_table(law_columns(input), rows_with_value(input)));
            view.set_list("law_findings", findings_of(input, input.results.laws));
            view.set_list("law_choices", findings_of(input, input.results.law_choices));
          }};
}

}  // namespace scalestudy::report
