// The first screen: the answer, how far to trust it, the pairs it rests on side by side, what was
// expected, why, and what it does not say. Every word of judgement follows from a stored row.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "harness/base/measure.h"
#include "harness/base/number.h"
#include "harness/base/text.h"
#include "harness/report/answer.h"
#include "harness/report/sections.h"
#include "harness/study/quantity.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostLines = 4;  // of one kind; all stand further down

View::List lines(const char* name, const std::vector<std::string>& texts) {
  View::List rows;
  for (const std::string& text : texts) {
    rows.emplace_back();
    rows.back().set_text(name, text + (text.ends_with('.') ? "" : "."));
  }
  return rows;
}

// ---- the pairs side by side

Column<Pair> time_column(const ReportInput& input,
                         const Scale& time,
                         const ColumnHead& head,
                         const CellRow* Pair::*side) {
  return {head, [&input, time, side](const Pair& pair) {
            return format_half_width(measure_of(input.estimate((pair.*side)->id, "step_time_s")),
                                     time.factor);
          }};
}

Column<Pair> share_column(const ReportInput& input, const char* quantity, const ColumnHead& head) {
  return {head, [&input, quantity](const Pair& pair) {
            const ComparisonRow* row = input.comparison(pair.cell->id, quantity);
            return row == nullptr ? "" : format_share(measure_of(*row), "");
          }};
}

// The name that all pairs share on a side, else what the column says of each.
std::string shared_name(const std::vector<Pair>& pairs, std::string Pair::*name) {
  const bool is_shared =
      !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [&](const Pair& pair) {
        return pair.*name == pairs.front().*name;
      });
  return is_shared ? pairs.front().*name : "";
}

std::vector<Column<Pair>> pair_columns(const ReportInput& input,
                                       const std::vector<Pair>& pairs,
                                       const Scale& time) {
  using enum Align;
  const auto timed = [&](const std::string& name, const char* otherwise) {
    return fmt::format("{} ({})", name.empty() ? otherwise : name, time.unit);
  };
  return {
      {{"where", "Where", "what both sides have alike: batch 256", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.where; }},
      {{"base_name", "Base", "what sets the base apart: 1 device", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.base_name; }},
      time_column(input,
                  time,
                  {"base_time",
                   timed(shared_name(pairs, &Pair::base_name), "Base"),
                   "step time of the base ± half-width"},
                  &Pair::base),
      {{"name", "Against it", "what sets the cell apart: 2 devices", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.name; }},
      time_column(input,
                  time,
                  {"time",
                   timed(shared_name(pairs, &Pair::name), "Step time"),
                   "step time of the cell ± half-width"},
                  &Pair::cell),
      {{"speedup", "Speedup (ratio)", "throughput over the base's [interval]"},
       [](const Pair& pair) {
         return format_interval(measure_of(*pair.speedup), {.levels = {1.0}});
       }},
      share_column(input,
                   "efficiency",
                   {"efficiency",
                    "Efficiency (%)",
                    "speedup over the ratio of devices, % [interval]",
                    kNumber,
                    are_of_devices(pairs) ? Shown::kPresent : Shown::kNever}),
      share_column(input,
                   "communication_overhead",
                   {"communication",
                    "Communication (% of the step)",
                    "what disappears without communication, % [interval]",
                    kNumber,
                    Shown::kPresent}),
      {{"use", "Use", "what the verdict recommends", kText},
       [](const Pair& pair) { return recommendation(pair); }},
  };
}

View::List pair_table(const ReportInput& input, const std::vector<Pair>& pairs) {
  double largest = 0.0;
  for (const Pair& pair : pairs) {
    for (const CellRow* side : {pair.base, pair.cell}) {
      largest = std::max(largest,
                         measure_of(input.estimate(side->id, "step_time_s")).value.value_or(0.0));
    }
  }
  constexpr std::size_t most_rows = 12;
  return one_table(pair_columns(input, pairs, scale_for("s", largest)), pairs, most_rows);
}

// ---- how far to trust it

bool is_warning(const ThreatRow& threat) {
  return threat.severity == Severity::kWarning;
}

// Kinds that put all numbers in doubt, not only some rows.
bool is_grave(const ThreatRow& threat) {
  using enum ThreatKind;
  constexpr std::array kGrave = {kForeignLoad,
                                 kSteal,
                                 kThrottled,
                                 kControlFailed,
                                 kAcrossSessions,
                                 kChangedCores,
                                 kChangedStudy,
                                 kFailedTrials,
                                 kOversubscribed,
                                 kSequential};
  return is_warning(threat) && std::find(kGrave.begin(), kGrave.end(), threat.kind) != kGrave.end();
}

std::string grade(const ReportInput& input) {
  const auto& threats = input.results.threats;
  if (std::any_of(threats.begin(), threats.end(), is_grave)) {
    return "low";
  }
  return std::any_of(threats.begin(), threats.end(), is_warning) ? "medium" : "high";
}

std::string count_of(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "complete, 120 of 120 trials ok, 8 a cell, 1 machine, 1 session"
std::string basis(const ReportInput& input) {
  std::map<std::int64_t, std::size_t> ok;
  std::size_t planned = 0;
  std::size_t waiting = 0;
  std::size_t done = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    const bool is_ok = trial->state == TrialState::kOk;
    planned += trial->state == TrialState::kExcluded ? 0 : 1;
    waiting += trial->state == TrialState::kPlanned || trial->state == TrialState::kRunning ? 1 : 0;
    done += is_ok ? 1 : 0;
    ok[trial->cell_id] += is_ok ? 1 : 0;
  }
  std::set<std::size_t> counts;
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason) {
      counts.insert(ok[cell.id]);
    }
  }
  std::set<std::string> hosts;
  for (const SessionInput& session : input.sessions) {
    hosts.insert(session.row.host);
  }
  const std::string each =
      counts.empty()       ? ""
      : counts.size() == 1 ? fmt::format(", {} a cell", *counts.begin())
                           : fmt::format(", {} to {} a cell", *counts.begin(), *counts.rbegin());
  return fmt::format("{}, {} of {} ok{}, {}, {}",
                     waiting == 0 ? "complete" : "not complete",
                     done,
                     count_of(planned, "trial"),
                     each,
                     count_of(hosts.size(), "machine"),
                     count_of(input.sessions.size(), "session"));
}

// Of all numbers first.
std::vector<std::string> cautions(const ReportInput& input) {
  std::vector<ThreatRow> warnings = input.results.threats;
  std::erase_if(warnings, [](const ThreatRow& threat) { return !is_warning(threat); });
  std::stable_partition(warnings.begin(), warnings.end(), is_grave);
  std::vector<std::string> texts;
  for (const ThreatRow& threat : warnings) {
    texts.push_back(threat.finding);
  }
  return texts;
}

// Where most trials shared their machine: before any answer. "" where they did not.
std::string worthless(const ReportInput& input) {
  constexpr double share = 0.10;  // of the cores; 3 % of them is a remark further down
  std::optional<double> cores;
  for (const SessionInput& session : input.sessions) {
    for (const EnvironmentRow& fact : session.environment) {
      const auto value = fact.name == "cores" ? parse_number(fact.value) : std::nullopt;
      cores = value && *value > 0.0 ? std::min(cores.value_or(*value), *value) : cores;
    }
  }
  std::size_t trials = 0;
  std::size_t loaded = 0;
  double most = 0.0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (trial->state == TrialState::kOk) {
      const double load = trial->foreign_load.value_or(0.0);
      ++trials;
      loaded += load > share * cores.value_or(1.0) ? 1 : 0;
      most = std::max(most, load);
    }
  }
  return 2 * loaded <= trials
             ? ""
             : fmt::format(
                   "{} of {} ran while other processes took more than {} of {}, up to {} "
                   "cores' worth. On an idle machine they would be others.",
                   loaded,
                   count_of(trials, "trial"),
                   format_percent(share),
                   cores ? "the " + count_of(static_cast<std::size_t>(*cores), "core") : "a core",
                   format_plain(most));
}

// ---- what was expected

const char* mark_of(TargetVerdict verdict) {
  return verdict == TargetVerdict::kMet ? "✅" : verdict == TargetVerdict::kMissed ? "❌" : "❔";
}

View::List expectations(const ReportInput& input) {
  View::List rows;
  for (const TargetResultRow& target : input.results.targets) {
    if (target.cell_id && target_cells(input, target.name) > 1) {
      continue;  // the target itself is said; its cells stand in the table
    }
    View row;
    row.set_text("mark", mark_of(target.verdict));
    row.set_text(
        "finding",
        target.finding.empty() ? target.name + ": " + to_word(target.verdict) : target.finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

void fill(View& view, const ReportInput& input, const FigurePaths& figures) {
  const std::vector<Pair> pairs = pairs_of(input);
  View::List answer;
  for (const Answer& one : answers(input, pairs)) {
    answer.emplace_back();
    answer.back().set_text("about", one.about);
    answer.back().set_text("sentence", one.sentence + (one.sentence.ends_with('.') ? "" : "."));
  }
  view.set_list("answer", std::move(answer));
  view.set_text("worthless", worthless(input));
  view.set_text("trust", grade(input));
  view.set_text("basis", basis(input));
  std::vector<std::string> warnings = cautions(input);
  const std::size_t more = warnings.size() - std::min(warnings.size(), kMostLines);
  warnings.resize(warnings.size() - more);
  view.set_list("cautions", lines("caution", warnings));
  view.set_text("cautions_more", more == 0 ? "" : std::to_string(more));
  view.set_list("pairs", pair_table(input, pairs));
  view.set_list("expectations", expectations(input));
  view.set_list("reasons", lines("reason", reasons(input, pairs)));
  view.set_list("limits", lines("limit", limits(input, pairs)));
  View::List first_figure;
  for (const char* kind : {"speedup", "message", "throughput"}) {
    const auto found = figures.find({kind, 0});
    if (first_figure.empty() && found != figures.end() && !found->second.empty()) {
      first_figure.emplace_back();
      first_figure.back().set_text("path", found->second.front());
    }
  }
  view.set_list("first_figure", std::move(first_figure));
}

}  // namespace

Section answer_section() {
  using enum TagKind;
  const Tags tags = {
      {"answer", kList, "what the comparisons say, and where the break-even lies"},
      {"answer.about", kText, "2 devices against 1 device, Break-even or Bandwidth"},
      {"answer.sentence", kText, "what was found, with its numbers"},
      {"worthless", kText, "why the numbers are not worth much: most trials ran on a busy machine"},
      {"trust", kText, "high: no warning; medium: of some rows; low: of all numbers"},
      {"basis", kText, "complete, 120 of 120 trials ok, 8 a cell, 1 machine, 1 session"},
      {"cautions", kList, "warnings, those of all numbers first"},
      {"cautions.caution", kText, "a sentence"},
      {"cautions_more", kText, "warnings beyond the first four"},
      {"expectations", kList, "declared targets"},
      {"expectations.mark", kText, "✅, ❌ or ❔"},
      {"expectations.finding", kText, "a sentence"},
      {"reasons", kList, "what of a step is communication"},
      {"reasons.reason", kText, "a sentence"},
      {"limits", kList, "what the study does not say"},
      {"limits.limit", kText, "a sentence"},
      {"first_figure", kList, "the figure of the answer, if there is one"},
      {"first_figure.path", kText, "path"},
  };
  return {tags + table_tags("pairs",
                            "cells beside their base",
                            heads_of(pair_columns(empty_input(), {}, {"ms", 1e3}))),
          fill};
}

}  // namespace scalestudy::report
