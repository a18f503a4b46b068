#include "harness/cli/results/side_by_side.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/compare/findings.h"
#include "harness/analysis/observe/observe.h"
#include "harness/analysis/studies/gate_noise.h"
#include "harness/cli/find_study.h"
#include "harness/cli/gate_exit_code.h"
#include "harness/cli/stored_secrets.h"
#include "harness/report/answer/pairs.h"
#include "harness/store/cell_name.h"
#include "harness/study/parse.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

std::string side_of(const CellRow& cell) {
  const CellRow::Parameter* side = find_varied(cell, kSideParameter);
  return side == nullptr ? "" : side->value;
}

std::string name_without_side(const CellRow& cell) {
  const std::string name = name_parameters(
      cell, [](const CellRow::Parameter& parameter) { return parameter.name != kSideParameter; });
  return name.empty() ? "the only cell" : name;
}

QueryResult exact_table(const std::vector<SidePair>& pairs) {
  QueryResult table;
  table.columns = {"cell",
                   "label",
                   "side",
                   "against",
                   "step_time_s",
                   "step_time_s_against",
                   "speedup",
                   "speedup_lo",
                   "speedup_hi",
                   "confidence",
                   "p_adjusted",
                   "margin",
                   "n",
                   "method",
                   "verdict",
                   "status"};
  for (const SidePair& pair : pairs) {
    const ComparisonRow& speedup = pair.speedup;
    table.rows.push_back({pair.hash,
                          pair.label,
                          pair.side,
                          pair.against,
                          number_field(pair.step_time_s),
                          number_field(pair.step_time_s_against),
                          number_field(speedup.value),
                          number_field(speedup.lo),
                          number_field(speedup.hi),
                          speedup.confidence,
                          number_field(speedup.p_adjusted),
                          speedup.margin,
                          speedup.n,
                          std::string(to_word(speedup.method)),
                          std::string(to_word(speedup.verdict)),
                          to_word(speedup.status)});
  }
  return table;
}

std::string readable_text(const std::vector<SidePair>& pairs, Format format) {
  double largest_s = 0.0;
  std::set<std::string> against;
  std::set<std::string> units;  // of the intervals
  for (const SidePair& pair : pairs) {
    units.insert(pair.speedup.method == RatioMethod::kSessions ? "sessions" : "trials");
    largest_s = std::max(
        {largest_s, pair.step_time_s.value_or(0.0), pair.step_time_s_against.value_or(0.0)});
    against.insert(pair.against);
  }
  const Scale scale = scale_for("s", largest_s);
  const auto time = [&](const std::optional<double>& time_s) {
    return format_half_width({.value = time_s, .lo = {}, .hi = {}}, scale.factor);
  };
  QueryResult table;
  table.columns = {
      "cell",
      "side",
      fmt::format("step time ({})", scale.unit),
      fmt::format("{} ({})", against.size() == 1 ? *against.begin() : "against", scale.unit),
      "speedup",
      fmt::format("{} each", fmt::join(units, " or ")),
      "the side is"};
  for (const SidePair& pair : pairs) {
    table.rows.push_back({pair.cell,
                          pair.side,
                          time(pair.step_time_s),
                          time(pair.step_time_s_against),
                          format_interval(measure_of(pair.speedup), {.unit = "x", .levels = {1.0}}),
                          pair.speedup.n,
                          report::noted_verdict(pair.speedup)});
  }
  std::vector<double> confidences;
  for (const SidePair& pair : pairs) {
    confidences.push_back(pair.speedup.confidence);
  }
  return format_table(table, format, Terminal::columns()) +
         fmt::format(
             "\nThe sides took turns in each block. Intervals ({}) and verdicts (margin {}, "
             "adjusted for their number) are over {}.\n",
             format_levels(confidences),
             format_percent(pairs.front().speedup.margin),
             fmt::join(units, " or "));
}

}  // namespace

std::vector<SidePair> side_pairs(const Store& store,
                                 std::int64_t study_id,
                                 const Results& results) {
  std::map<std::int64_t, CellRow> cells;
  for (CellRow& row : store.cells(study_id)) {
    cells.emplace(row.id, std::move(row));
  }
  std::map<std::int64_t, std::optional<double>> times_s;
  for (const EstimateRow& row : results.estimates) {
    if (row.metric == names::kStepTime && row.statistic == Statistic::kMean &&
        row.variant == Variant::kAll) {
      times_s[row.cell_id] = row.value;
    }
  }
  std::vector<SidePair> pairs;
  for (const ComparisonRow& row : results.comparisons) {
    const CellRow& cell = cells.at(row.cell_id);
    const std::string side = side_of(cell);
    const std::string against = side_of(cells.at(row.baseline_cell_id));
    if (row.quantity == kSpeedup && side != against) {
      pairs.push_back({.cell = name_without_side(cell),
                       .hash = cell.hash,
                       .label = cell.label,
                       .side = side,
                       .against = against,
                       .step_time_s = times_s[row.cell_id],
                       .step_time_s_against = times_s[row.baseline_cell_id],
                       .speedup = row});
    }
  }
  return pairs;
}

std::string format_pairs(const std::vector<SidePair>& pairs, Format format) {
  return format == Format::kJson || format == Format::kCsv
             ? format_table(exact_table(pairs), format)
             : readable_text(pairs, format);
}

ExitCode gate_pairs(const std::vector<SidePair>& pairs) {
  std::vector<Verdict> verdicts;
  for (const SidePair& pair : pairs) {
    verdicts.push_back(pair.speedup.verdict);
  }
  return gate_verdicts(verdicts);
}

ExitCode gate_study(const Study& study,
                    const Store& store,
                    std::int64_t study_id,
                    const Results& results,
                    Terminal& terminal) {
  if (study.sides.empty() || !study.analysis.targets.empty()) {
    return gate(results.targets, terminal);
  }
  const std::vector<SidePair> pairs = side_pairs(store, study_id, results);
  const ExitCode code = gate_pairs(pairs);
  for (const SidePair& pair : pairs) {
    if (code != ExitCode::kDone && gate_pairs({pair}) == code) {
      terminal.error("--gate: " + pair.speedup.finding);
    }
  }
  return code;
}

std::string gate_noise_text(const std::vector<const StudyObservation*>& sides,
                            const Study& study,
                            Format format) {
  const std::string sentence = gate_sentence(gate_report(sides, study));
  return sentence.empty()
             ? ""
             : "\n" + format_text(sentence, format) +
                   "\nThat is a limit on the step time of one cell; --gate goes by the "
                   "verdicts above.\n";
}

ExitCode compare_own_sides(const std::string& study,
                           const std::string& results,
                           const PairsOptions& options,
                           Terminal& terminal) {
  const Store store = Store::open_read_only(results);
  terminal.hide(stored_secrets(store));
  const StudyRow row = stored_study(store, study, results);
  const Study declared = parse_stored_study(row.source_text, row.source_path);
  const std::vector<SidePair> pairs = side_pairs(store, row.id, analyse(store, row.id, declared));
  if (pairs.empty()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{} has no sides that ran side by side (run --against makes a study "
                            "with such); name what to compare it with",
                            row.name));
  }
  terminal.out(format_pairs(pairs, options.format));
  const bool is_read = options.format == Format::kTable || options.format == Format::kMarkdown;
  if (options.gate && is_read) {
    const StudyObservation observation = observe(store, row.id, declared);
    terminal.out(gate_noise_text({&observation}, declared, options.format));
  }
  return options.gate ? gate_pairs(pairs) : ExitCode::kDone;
}

}  // namespace scalestudy
