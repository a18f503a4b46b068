// `compare`: the same cells in two sets of sessions.
#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/studies/sides.h"
#include "harness/cli/gate_exit_code.h"
#include "harness/cli/results/side_argument.h"
#include "harness/cli/results/side_by_side.h"
#include "harness/cli/verb.h"
#include "harness/report/answer/pairs.h"
#include "harness/store/cell_name.h"
#include "harness/text/json.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  Format format = Format::kTable;
  bool gate = false;
};

// When the first and the last session of the side began, by times: a clock may have jumped back.
std::pair<std::string, std::string> span_of(const Side& side) {
  const auto [first, last] = std::ranges::minmax(side.sessions, {}, &SessionRow::started_at);
  return {first.started_at, last.started_at};
}

// "5 sessions of quickstart from 2026-11-20T21:00:00Z to 2026-11-24T21:00:00Z".
std::string describe_side(const Side& side) {
  const auto [first, last] = span_of(side);
  return fmt::format("{} of {}, {}{}",
                     format_count(static_cast<std::int64_t>(side.sessions.size()), "session"),
                     side.observation.study.name,
                     first,
                     last == first ? "" : " to " + last);
}

// Whether all sessions of one side began before the first of the other.
bool are_apart(const Side& a, const Side& b) {
  return span_of(a).second <= span_of(b).first || span_of(b).second <= span_of(a).first;
}

std::string verdict_of(const SideCell& cell) {
  return !cell.is_same_time ? "no claim: a step's time is not the same thing on both sides"
         : !is_claim(cell.verdict) || cell.is_attributable ? std::string(to_word(cell.verdict))
                                                           : "between sessions: not attributable";
}

// What tables of reports add to the verdict; "" where they add nothing.
std::string note_of(const SideCell& cell) {
  ComparisonRow row;
  row.lo = cell.lo;
  row.hi = cell.hi;
  row.verdict = cell.verdict;
  row.status = cell.status;
  return report::verdict_note(row);
}

Field count(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

// For programs: every number in full.
// - study: says how the cells are judged.
QueryResult exact_table(const SideComparison& comparison, const Study& study) {
  QueryResult table;
  table.columns = {"cell",
                   "label",
                   "is_same_cell",
                   "sessions_a",
                   "sessions_b",
                   "trials_a",
                   "trials_b",
                   "step_time_s_a",
                   "step_time_s_b",
                   "speedup",
                   "speedup_lo",
                   "speedup_hi",
                   "confidence",
                   "p_adjusted",
                   "margin",
                   "verdict",
                   "status"};
  for (const SideCell& cell : comparison.cells) {
    table.rows.push_back({cell.cell.hash,
                          cell.cell.label,
                          std::int64_t{cell.is_same ? 1 : 0},
                          count(cell.sessions_a),
                          count(cell.sessions_b),
                          count(cell.trials_a),
                          count(cell.trials_b),
                          number_field(cell.time_a_s),
                          number_field(cell.time_b_s),
                          number_field(cell.ratio),
                          number_field(cell.lo),
                          number_field(cell.hi),
                          study.analysis.confidence,
                          number_field(cell.p_adjusted),
                          study.analysis.margin,
                          verdict_of(cell),
                          to_word(cell.status)});
  }
  return table;
}

QueryResult readable_table(const SideComparison& comparison) {
  double largest_s = 0.0;
  for (const SideCell& cell : comparison.cells) {
    largest_s = std::max({largest_s, cell.time_a_s.value_or(0.0), cell.time_b_s.value_or(0.0)});
  }
  const Scale scale = scale_for("s", largest_s);
  const auto time = [&](const std::optional<double>& time_s) {
    return format_half_width({.value = time_s, .lo = {}, .hi = {}}, scale.factor);
  };
  QueryResult table;
  table.columns = {"cell",
                   fmt::format("a ({})", scale.unit),
                   fmt::format("b ({})", scale.unit),
                   "speedup of b",
                   "sessions",
                   "trials",
                   "b is"};
  for (const SideCell& cell : comparison.cells) {
    table.rows.push_back(
        {describe_cell(cell.cell) + (cell.is_same ? "" : " (differs, see above)"),
         time(cell.time_a_s),
         time(cell.time_b_s),
         format_interval({cell.ratio, cell.lo, cell.hi}, {.unit = "x", .levels = {1.0}}),
         fmt::format("{}, {}", cell.sessions_a, cell.sessions_b),
         fmt::format("{}, {}", cell.trials_a, cell.trials_b),
         verdict_of(cell) + note_of(cell)});
  }
  return table;
}

// The cells that the table lacks, a sentence for each reason.
std::vector<std::string> missing_lines(const SideComparison& comparison) {
  std::vector<std::string> lines;
  for (const auto& [line, cells] :
       {std::pair{"Only in a: {}.", &comparison.only_a},
        {"Only in b: {}.", &comparison.only_b},
        {"No trial that counts in b: {}. --gate takes that as undecided.", &comparison.lost}}) {
    std::vector<std::string> names;
    for (const CellRow& cell : *cells) {
      names.push_back(describe_cell(cell));
    }
    if (!names.empty()) {
      lines.push_back(fmt::format(fmt::runtime(line), list_some(names)));
    }
  }
  return lines;
}

// Why a speedup is not the ratio of the printed times; "" where it is.
std::string work_line(const SideComparison& comparison) {
  return std::ranges::any_of(comparison.cells,
                             [](const SideCell& cell) { return cell.work.value_or(1.0) != 1.0; })
             ? "The work of a step differs, so the speedup compares throughput, not step times."
             : "";
}

std::string values_text(const std::set<std::string>& values) {
  return values.empty() ? kAbsent : fmt::format("{}", fmt::join(values, ", "));
}

std::string as_json(const Side& a, const Side& b, const SideComparison& comparison) {
  const auto cell_list = [](const std::vector<CellRow>& cells) {
    JsonText list = JsonText::list();
    for (const CellRow& cell : cells) {
      list.push_back(JsonText::object({{"cell", cell.hash}, {"label", cell.label}}));
    }
    return list;
  };
  const auto side = [&](const Side& from, const std::vector<CellRow>& only) {
    JsonText json;
    json["study"] = from.observation.study.name;
    json["sessions"] = JsonText::list();
    for (const SessionRow& session : from.sessions) {
      json["sessions"].push_back(session.id);
    }
    json["not_matched"] = cell_list(only);
    return json;
  };
  JsonText json;
  json["a"] = side(a, comparison.only_a);
  json["b"] = side(b, comparison.only_b);
  json["lost"] = cell_list(comparison.lost);
  json["study_differences"] = JsonText::list_of(study_differences(a.study, b.study));
  json["differences"] = JsonText::list();
  for (const FactDifference& difference : fact_differences(a, b)) {
    json["differences"].push_back(JsonText::object({{"name", difference.name},
                                                    {"a", JsonText::list_of(difference.a)},
                                                    {"b", JsonText::list_of(difference.b)}}));
  }
  json["cells"] = json_rows(exact_table(comparison, b.study));
  return json.dump(2) + "\n";
}

std::string as_text(const Side& a, const Side& b, const SideComparison& comparison, Format format) {
  std::string text = fmt::format("a: {}\nb: {}\n", describe_side(a), describe_side(b));
  const std::vector<FactDifference> facts = fact_differences(a, b);
  text += facts.empty() ? "\nMachine and software are recorded as the same.\n"
                        : "\nMachine and software differ:\n\n";
  if (!facts.empty()) {
    QueryResult table{.columns = {"fact", "a", "b"}, .rows = {}};
    for (const FactDifference& difference : facts) {
      table.rows.push_back({difference.name, values_text(difference.a), values_text(difference.b)});
    }
    text += format_table(table, format, Terminal::columns());
  }
  const std::vector<std::string> lines = study_differences(a.study, b.study);
  text += lines.empty() ? "" : "\nThe study differs:\n\n";
  for (const std::string& line : lines) {
    text += "- " + format_text(line, format) + "\n";
  }
  const std::string work = work_line(comparison);
  text += work.empty() ? "" : "\n" + work + "\n";
  text += "\n" + format_table(readable_table(comparison), format, Terminal::columns()) + "\n";
  for (const std::string& line : missing_lines(comparison)) {
    text += format_text(line, format) + "\n";
  }
  text += comparison.cells.empty() ? "" : "Step times are means of the sessions' means.\n";
  if (std::ranges::any_of(comparison.cells, &SideCell::is_attributable)) {
    text += fmt::format(
        "Intervals ({}) and verdicts (margin {}, Holm over the cells) are over sessions.\n",
        format_percent(b.study.analysis.confidence),
        format_percent(b.study.analysis.margin));
    if (are_apart(a, b)) {
      text +=
          "One side ran before the other, so the ratio includes all other changes between them.\n";
    }
  }
  if (!std::ranges::all_of(comparison.cells, &SideCell::is_attributable)) {
    text += fmt::format(
        "Not attributable: machines change from session to session, and fewer than {} sessions a "
        "side do not say by how much.\n`run --against` runs both side by side in every block of "
        "one session; such differences are attributable.\n",
        kSessionsAsUnit);
  }
  return text;
}

// A cell that the side after was to run and has no trial of that counts is undecided.
ExitCode gate_cells(const SideComparison& comparison) {
  std::vector<Verdict> verdicts(comparison.lost.size(), Verdict::kNotEnoughData);
  for (const SideCell& cell : comparison.cells) {
    verdicts.push_back(cell.verdict);
  }
  return gate_verdicts(verdicts);
}

ExitCode compare(const CompareOptions& options, const std::string& results, Terminal& terminal) {
  if (options.b.empty()) {
    return compare_own_sides(options.a, results, {options.format, options.gate}, terminal);
  }
  SideArgument text_a = parse_side(options.a);
  SideArgument text_b = parse_side(options.b);
  if (text_b.study.empty()) {
    text_b.study = text_a.study;
    text_b.folder = text_b.folder.empty() ? text_a.folder : text_b.folder;
  }
  std::vector<std::string> names;
  for (SideArgument* side : {&text_a, &text_b}) {
    names.push_back((side->folder.empty() ? "" : side->folder + ":") + side->study);
    side->folder = side->folder.empty() ? results : side->folder;
  }
  const Side a = load_side(text_a, terminal);
  const Side b = load_side(text_b, terminal);
  if (const std::string warning = shared_sessions(a, b, names[0], names[1]); !warning.empty()) {
    if (options.gate) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--gate: {}. Give each side its own sessions: compare {}@1-5 @6-10",
                              warning,
                              text_a.study));
    }
    terminal.warn(warning);
  }
  const auto comparison = compare_sides(a, b, b.study.analysis.margin, b.study.analysis.confidence);
  const bool is_exact = options.format == Format::kJson || options.format == Format::kCsv;
  if (const std::string work = work_line(comparison); is_exact && !work.empty()) {
    terminal.note(work);
  }
  if (options.format == Format::kJson) {
    terminal.out(as_json(a, b, comparison));
  } else if (options.format == Format::kCsv) {
    terminal.out(format_table(exact_table(comparison, b.study), Format::kCsv));
    for (const std::string& line : missing_lines(comparison)) {
      terminal.note(line);
    }
  } else {
    terminal.out(as_text(a, b, comparison, options.format));
    if (options.gate) {
      terminal.out(gate_noise_text({&a.observation, &b.observation}, b.study, options.format));
    }
  }
  if (std::ranges::none_of(comparison.cells, &SideCell::is_attributable)) {
    return ExitCode::kInconclusive;
  }
  return options.gate ? gate_cells(comparison) : ExitCode::kDone;
}

}  // namespace

Verb compare_verb() {
  const auto options = std::make_shared<CompareOptions>();
  return {
      "compare",
      VerbGroup::kCompare,
      "Compare the same cells between sessions, studies or stores",
      {{"a", &options->a, "The earlier side: [FOLDER:]STUDY[@SESSIONS]", "", "STUDY"},
       {"[b]",
        &options->b,
        "The later side, written the same way; @SESSIONS alone means sessions of the same study. "
        "Without b, the sides of study a are compared, which ran in the same blocks",
        "",
        "STUDY"},
       format_option(options->format),
       {"--gate",
        &options->gate,
        "Exit 4 if a cell is slower in b, 5 if one is undecided or has no trial in b that counts",
        "GATE"}},
      "FOLDER is a results folder (default: --results). SESSIONS are ids (@3, @1-5, @2,4-6) or a\n"
      "recorded fact with its whole value (@host=..., @driver=..., @version.NAME=...).\n"
      "The session is the unit: step times (step_time_s_a in json) are means of the sessions'\n"
      "means. With fewer than " +
          std::to_string(kSessionsAsUnit) +
          " sessions on a side, no difference is attributable and the\nexit code is 5.\n"
          "Examples:\n  scalestudy compare nightly@1-5 @6-10\n"
          "  scalestudy compare nightly@driver=535.183.01 @driver=550.54.15 --gate\n"
          "  scalestudy compare old-machine/results:nightly nightly --format markdown\n"
          "  scalestudy compare nightly-against-4f2a91c0",
      with_options(options, compare)};
}

}  // namespace scalestudy
