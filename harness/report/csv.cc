// Rows of results and trials as CSV.
#include "harness/report/csv.h"

#include <cstdint>
#include <set>

#include "harness/base/number.h"

namespace scalestudy::report {
namespace {

using Row = std::vector<std::string>;

// A text table under construction; `trials` columns hold ids separated by spaces.
class Table {
 public:
  explicit Table(const Row& head) : text_(csv_line(head)) {}

  void add(const Row& row) { text_ += csv_line(row); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string text(std::int64_t value) {
  return std::to_string(value);
}

template <typename T>
std::string text(const std::optional<T>& value) {
  return value ? std::to_string(*value) : std::string();
}

std::string text(const std::optional<std::string>& value) {
  return value.value_or("");
}

std::string text(bool value) {
  return value ? "true" : "false";
}

std::string join_ids(const TrialIds& ids) {
  std::string joined;
  for (const std::int64_t id : ids) {
    joined += (joined.empty() ? "" : " ") + std::to_string(id);
  }
  return joined;
}

// Head and fields that say which cell a row is about.
const Row kCellHead = {
    "cell", "label", "role", "devices", "nodes", "batch_global", "batch_per_device"};

Row cell_fields(const CellRow& cell) {
  return {cell.hash,
          cell.label,
          cell.role,
          text(cell.devices),
          text(cell.nodes),
          text(cell.batch_global),
          text(cell.batch_per_device)};
}

Row operator+(Row left, const Row& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

Row interval(const std::optional<double>& value,
             const std::optional<double>& lo,
             const std::optional<double>& hi) {
  return {format_exact(value), format_exact(lo), format_exact(hi)};
}

bool is_phase(const EstimateRow& row) {
  return row.metric.ends_with("_time_s") && row.metric != "step_time_s";
}

std::string estimates(const ReportInput& input, bool phases) {
  Table table(kCellHead + Row{"metric",
                              "statistic",
                              "variant",
                              "unit",
                              "value",
                              "lo",
                              "hi",
                              "sd_between_trials",
                              "confidence",
                              "method",
                              "n",
                              "n_excluded",
                              "n_planned",
                              "status",
                              "provenance",
                              "definition",
                              "trials"});
  for (const EstimateRow& row : input.results.estimates) {
    if (is_phase(row) != phases) {
      continue;
    }
    const bool screened = row.variant == "screened";
    table.add(cell_fields(input.cell(row.cell_id)) +
              Row{row.metric, row.statistic, row.variant, row.unit} +
              interval(row.value, row.lo, row.hi) +
              Row{format_exact(row.sd),
                  format_exact(row.confidence),
                  row.method,
                  text(row.n),
                  text(row.n_excluded),
                  text(row.n_planned),
                  row.status,
                  row.provenance,
                  text(row.definition),
                  join_ids(input.used_trials(row.cell_id, screened))});
  }
  return table.text();
}

std::string comparisons(const ReportInput& input, const std::set<std::string>& quantities) {
  Table table(kCellHead + Row{"baseline_cell",
                              "baseline_label",
                              "quantity",
                              "scaling",
                              "value",
                              "lo",
                              "hi",
                              "confidence",
                              "p",
                              "p_adjusted",
                              "equivalence_p",
                              "equivalence_p_adjusted",
                              "margin",
                              "method",
                              "n",
                              "n_baseline",
                              "verdict",
                              "status",
                              "provenance",
                              "trials",
                              "baseline_trials"});
  for (const ComparisonRow& row : input.results.comparisons) {
    if (!quantities.contains(row.quantity)) {
      continue;
    }
    const CellRow& baseline = input.cell(row.baseline_cell_id);
    table.add(cell_fields(input.cell(row.cell_id)) +
              Row{baseline.hash, baseline.label, row.quantity, row.scaling} +
              interval(row.value, row.lo, row.hi) +
              Row{format_exact(row.confidence),
                  format_exact(row.p_value),
                  format_exact(row.p_adjusted),
                  format_exact(row.equivalence_p),
                  format_exact(row.equivalence_p_adjusted),
                  format_exact(row.margin),
                  row.method,
                  text(row.n),
                  text(row.n_baseline),
                  row.verdict,
                  row.status,
                  row.provenance,
                  join_ids(row.trials),
                  join_ids(row.baseline_trials)});
  }
  return table.text();
}

std::string thresholds(const ReportInput& input) {
  Table table({"metric",
               "level",
               "along",
               "group",
               "status",
               "bracket_lo",
               "bracket_hi",
               "estimate",
               "lo",
               "hi",
               "censored_lo",
               "censored_hi",
               "confidence",
               "method",
               "rungs",
               "finding",
               "provenance",
               "trials"});
  for (const ThresholdRow& row : input.results.thresholds) {
    table.add(Row{row.metric,
                  format_exact(row.level),
                  row.along,
                  row.group_label,
                  row.status,
                  format_exact(row.bracket_lo),
                  format_exact(row.bracket_hi)} +
              interval(row.estimate, row.lo, row.hi) +
              Row{text(row.censored_lo),
                  text(row.censored_hi),
                  format_exact(row.confidence),
                  row.method,
                  text(row.rungs),
                  row.finding,
                  row.provenance,
                  join_ids(row.trials)});
  }
  return table.text();
}

std::string laws(const ReportInput& input) {
  Table table({"law",
               "group",
               "parameter",
               "value",
               "lo",
               "hi",
               "confidence",
               "method",
               "n",
               "levels",
               "status",
               "finding",
               "provenance",
               "trials"});
  for (const LawRow& row : input.results.laws) {
    table.add(Row{row.law, row.group_label, row.parameter} + interval(row.value, row.lo, row.hi) +
              Row{format_exact(row.confidence),
                  row.method,
                  text(row.n),
                  text(row.levels),
                  row.status,
                  row.finding,
                  row.provenance,
                  join_ids(row.trials)});
  }
  return table.text();
}

std::string targets(const ReportInput& input) {
  Table table({"name",
               "metric",
               "cell",
               "label",
               "bound",
               "level",
               "value",
               "lo",
               "hi",
               "verdict",
               "finding",
               "provenance",
               "trials",
               "baseline_trials"});
  for (const TargetResultRow& row : input.results.targets) {
    const CellRow* cell = row.cell_id ? &input.cell(*row.cell_id) : nullptr;
    const ComparisonRow* comparison =
        cell != nullptr ? input.comparison(cell->id, row.metric) : nullptr;
    const TrialIds trials = comparison != nullptr ? comparison->trials
                            : cell != nullptr     ? input.used_trials(cell->id, false)
                                                  : TrialIds();
    table.add(Row{row.name,
                  row.metric,
                  cell != nullptr ? cell->hash : "",
                  cell != nullptr ? cell->label : "",
                  row.bound,
                  format_exact(row.level)} +
              interval(row.value, row.lo, row.hi) +
              Row{row.verdict,
                  row.finding,
                  row.provenance,
                  join_ids(trials),
                  comparison != nullptr ? join_ids(comparison->baseline_trials) : ""});
  }
  return table.text();
}

std::string trials(const ReportInput& input) {
  Table table({"trial",
               "cell",
               "label",
               "role",
               "block",
               "position",
               "attempt",
               "counts",
               "state",
               "reason",
               "session",
               "started_at",
               "wall_s",
               "exit_code",
               "signal",
               "foreign_load_cores",
               "oversubscribed",
               "measured_steps",
               "step_time_s_mean",
               "flagged_trial",
               "flagged_steps"});
  std::set<std::int64_t> last;
  for (const TrialRow* trial : input.last_attempts()) {
    last.insert(trial->id);
  }
  std::set<std::int64_t> flagged_trials;
  std::map<std::int64_t, std::int64_t> flagged_steps;
  for (const FlagRow& flag : input.results.flags) {
    if (flag.level == "trial") {
      flagged_trials.insert(flag.trial_id);
    } else {
      flagged_steps[flag.trial_id] += flag.count;
    }
  }
  for (const TrialRow& row : input.trials) {
    const CellRow& cell = input.cell(row.cell_id);
    const auto time = input.step_times.find(row.id);
    const bool has_time = time != input.step_times.end();
    const bool counts = row.state == TrialState::kOk && last.contains(row.id);
    table.add({text(row.id),
               cell.hash,
               cell.label,
               cell.role,
               text(row.block),
               text(row.position),
               text(row.attempt),
               text(counts),
               format_trial_state(row.state),
               row.reason,
               text(row.session_id),
               text(row.started_at),
               format_exact(row.wall_s),
               text(row.exit_code),
               text(row.signal),
               format_exact(row.foreign_load),
               text(row.oversubscribed),
               has_time ? text(time->second.steps) : "",
               has_time ? format_exact(time->second.mean_s) : "",
               text(flagged_trials.contains(row.id)),
               text(flagged_steps[row.id])});
  }
  return table.text();
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    line += i == 0 ? "" : ",";
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      line += fields[i];
      continue;
    }
    line += '"';
    for (const char c : fields[i]) {
      line += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    line += '"';
  }
  return line + "\n";
}

std::map<std::string, std::string> make_csv_files(const ReportInput& input) {
  std::map<std::string, std::string> files{
      {"results.csv", estimates(input, false)},
      {"phases.csv", estimates(input, true)},
      {"speedups.csv", comparisons(input, {"speedup", "efficiency"})},
      {"overhead.csv",
       comparisons(input,
                   {"communication_overhead", "synchronization_overhead", "transfer_overhead"})},
      {"controls.csv", comparisons(input, {"aa", "overlap_gain"})},
      {"thresholds.csv", thresholds(input)},
      {"laws.csv", laws(input)},
      {"targets.csv", targets(input)},
      {"trials.csv", trials(input)}};
  if (!input.publications.empty()) {
    files["published.csv"] = published_csv(input);
  }
  return files;
}

}  // namespace scalestudy::report
