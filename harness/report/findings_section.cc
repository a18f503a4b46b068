// The first screen: what the verdicts say, and one table of all speedups.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/report/sections.h"

namespace scalestudy::report {
namespace {

// More sentences than this of one kind are replaced by counts and extremes; all stand in the
// tables.
constexpr std::size_t kMostSentences = 4;

View finding(const std::string& kind, const std::string& text) {
  View row;
  row.set_text("kind", kind);
  row.set_text("finding", text);
  return row;
}

void add_targets(View::List& findings, const ReportInput& input) {
  for (const TargetResultRow& target : input.results.targets) {
    if (target.cell_id && target_cells(input, target.name) > 1) {
      continue;  // the target itself is said; its cells stand in the table
    }
    findings.push_back(finding(
        "Target", target.finding.empty() ? target.name + ": " + target.verdict : target.finding));
  }
}

std::vector<const ComparisonRow*> comparisons_of(const ReportInput& input,
                                                 const std::string& quantity) {
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == quantity) {
      rows.push_back(&row);
    }
  }
  return rows;
}

// "3 faster, 5 slower": in order of first appearance.
std::string count_verdicts(const std::vector<const ComparisonRow*>& rows) {
  std::vector<std::pair<std::string, int>> counts;
  for (const ComparisonRow* row : rows) {
    auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& entry) {
      return entry.first == row->verdict;
    });
    if (found == counts.end()) {
      found = counts.insert(counts.end(), {row->verdict, 0});
    }
    ++found->second;
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [verdict, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, verdict));
  }
  return join(parts, ", ");
}

bool less_by_value(const ComparisonRow* a, const ComparisonRow* b) {
  return *a->value < *b->value;
}

void add_comparisons(View::List& findings,
                     const ReportInput& input,
                     const std::string& quantity,
                     const std::string& kind,
                     bool counts_verdicts) {
  std::vector<const ComparisonRow*> rows = comparisons_of(input, quantity);
  if (rows.size() <= kMostSentences) {
    for (const ComparisonRow* row : rows) {
      findings.push_back(finding(kind, row->finding));
    }
    return;
  }
  if (counts_verdicts) {
    findings.push_back(
        finding(kind, fmt::format("{} comparisons: {}.", rows.size(), count_verdicts(rows))));
  }
  std::erase_if(rows, [&](const ComparisonRow* row) {
    return !row->value || input.cell(row->cell_id).oversubscribed ||
           input.cell(row->baseline_cell_id).oversubscribed;
  });
  if (!rows.empty()) {
    std::string lower_kind = kind;
    lower_kind[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(kind[0])));
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), less_by_value);
    findings.push_back(finding("Highest " + lower_kind, (*most)->finding));
    findings.push_back(finding("Lowest " + lower_kind, (*least)->finding));
  }
}

void add_thresholds(View::List& findings, const ReportInput& input) {
  for (const ThresholdRow& row : input.results.thresholds) {
    if (!row.finding.empty()) {
      findings.push_back(finding("Threshold", row.finding));
    }
  }
}

void add_threats(View::List& findings, const ReportInput& input) {
  for (const ThreatRow& row : input.results.threats) {
    if (row.severity == "warning") {
      findings.push_back(finding("Caution", row.finding));
    }
  }
}

// One row of the headline table: cells that differ in their devices only.
std::string headline_name(const ReportInput& input, const Group& group, const CellRow& cell) {
  std::vector<std::string> parts;
  if (!group.label.empty()) {
    parts.push_back(group.label);
  }
  if (const std::string batch = batch_name(input, cell); !batch.empty()) {
    parts.push_back(batch);
  }
  if (const std::optional<std::int64_t> bytes = message_bytes(cell)) {
    parts.push_back(format_bytes(*bytes));
  }
  if (const std::string rest = configuration(input, cell); !rest.empty()) {
    parts.push_back(rest);
  }
  return parts.empty() ? "all" : join(parts, ", ");
}

std::string headline_cell(const ComparisonRow& row) {
  if (!row.value) {
    return row.verdict;
  }
  return format_interval(measure_of(row), 1.0, 1.0) + " " + row.verdict;
}

// Rows in order of cells; row name -> devices -> text.
void add_headline(View& view, const ReportInput& input) {
  std::set<std::int64_t> devices;
  std::vector<std::pair<std::string, std::map<std::int64_t, std::string>>> table;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const ComparisonRow* row = input.comparison(cell->id, "speedup");
      if (row == nullptr) {
        continue;
      }
      devices.insert(cell->devices);
      const std::string name = headline_name(input, group, *cell);
      if (table.empty() || table.back().first != name) {
        table.emplace_back(name, std::map<std::int64_t, std::string>());
      }
      table.back().second[cell->devices] = headline_cell(*row);
    }
  }
  View::List head;
  for (const std::int64_t count : devices) {
    View column;
    column.set_text("devices", fmt::format("{} device{}", count, count == 1 ? "" : "s"));
    head.push_back(std::move(column));
  }
  View::List rows;
  for (const auto& [name, cells] : table) {
    View row;
    row.set_text("name", name);
    View::List values;
    for (const std::int64_t count : devices) {
      View value;
      const auto found = cells.find(count);
      value.set_text("speedup", found == cells.end() ? "–" : found->second);
      values.push_back(std::move(value));
    }
    row.set_list("values", std::move(values));
    rows.push_back(std::move(row));
  }
  view.set_list("headline_devices", std::move(head));
  view.set_list("headline_rows", std::move(rows));
}

// Finding sentences end with a full stop, whoever wrote them.
void end_sentences(View::List& findings) {
  for (View& row : findings) {
    std::string text = std::get<std::string>(row.values().at("finding"));
    if (!text.ends_with('.')) {
      row.set_text("finding", text + ".");
    }
  }
}

void fill(View& view, const ReportInput& input, const FigurePaths& /*figures*/) {
  View::List findings;
  add_targets(findings, input);
  for (const std::string& text : message_findings(input)) {
    findings.push_back(finding("Bandwidth", text));
  }
  add_comparisons(findings, input, "speedup", "Speedup", true);
  add_comparisons(findings, input, "communication_overhead", "Communication", false);
  add_comparisons(findings, input, "synchronization_overhead", "Synchronization", false);
  add_comparisons(findings, input, "transfer_overhead", "Transfer", false);
  add_comparisons(findings, input, "overlap_gain", "Overlap", false);
  add_thresholds(findings, input);
  add_threats(findings, input);
  std::erase_if(findings, [](const View& row) {
    return !std::holds_alternative<std::string>(row.values().at("finding"));
  });
  end_sentences(findings);
  view.set_list("findings", std::move(findings));
  add_headline(view, input);
}

}  // namespace

Section findings_section() {
  using enum TagKind;
  return {{{"findings",
            kList,
            "targets, speedups, communication, thresholds and cautions, in this order"},
           {"findings.kind", kText, "Target, Speedup, Caution ..."},
           {"findings.finding", kText, "a sentence with its numbers"},
           {"headline_devices", kList, "columns of the table of all speedups"},
           {"headline_devices.devices", kText, "number of devices"},
           {"headline_rows", kList, "rows of that table"},
           {"headline_rows.name", kText, "model, batch and configuration"},
           {"headline_rows.values", kList, "one for each of headline_devices"},
           {"headline_rows.values.speedup", kText, "speedup, interval and verdict"}},
          fill};
}

}  // namespace scalestudy::report
