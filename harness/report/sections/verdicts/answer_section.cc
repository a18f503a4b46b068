// The first screen: the answer, how far to trust it, the pairs it rests on side by side, what was
// expected, why, and what it does not say. Every word of judgement follows from a stored row.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/cost_answers.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/answer/projection_answer.h"
#include "harness/report/answer/search_answer.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/phases.h"
#include "harness/report/rules/advice.h"
#include "harness/report/rules/trust.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/markdown.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// All before the first table: what a reader takes in at a glance.
constexpr std::size_t kFirstScreen = 1000;  // characters
constexpr std::size_t kLeastRoom = 300;     // below a title that is longer than a sentence

// As they stand in the report.
std::size_t length(const std::string& text) {
  const std::string escaped = escape_markdown(text);
  return static_cast<std::size_t>(std::ranges::count_if(
      escaped, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Those of `lines`, in their order, that fit into `room`, which they take.
template <typename Line, typename Length>
std::vector<Line> fitting(const std::vector<Line>& lines, std::size_t& room, const Length& of) {
  std::vector<Line> shown;
  for (const Line& line : lines) {
    if (of(line) <= room) {
      room -= of(line);
      shown.push_back(line);
    }
  }
  return shown;
}

// The warnings that fit, likewise, but none that is less grave than one that does not.
template <typename Length>
std::vector<ThreatRow> fitting_warnings(const std::vector<ThreatRow>& warnings,
                                        std::size_t& room,
                                        const Length& of) {
  std::vector<ThreatRow> shown;
  for (auto begin = warnings.begin(); begin != warnings.end();) {
    const auto end = std::find_if(begin, warnings.end(), [&](const ThreatRow& threat) {
      return gravity_rank(threat) != gravity_rank(*begin);
    });
    const std::vector<ThreatRow> alike(begin, end);
    const std::vector<ThreatRow> some = fitting(alike, room, of);
    shown.insert(shown.end(), some.begin(), some.end());
    begin = some.size() < alike.size() ? warnings.end() : end;
  }
  return shown;
}

std::string with_full_stop(const std::string& text) {
  return text + (text.ends_with('.') ? "" : ".");
}

View::List lines(const char* name, const std::vector<std::string>& texts) {
  View::List rows;
  for (const std::string& text : texts) {
    rows.emplace_back();
    rows.back().set_text(name, with_full_stop(text));
  }
  return rows;
}

// ---- the pairs side by side

Column<Pair> time_column(const ReportInput& input,
                         const Scale& time,
                         const ColumnHead& head,
                         const CellRow* Pair::*side) {
  return {head, [&input, time, side](const Pair& pair) {
            return format_half_width(measure_of(input.estimate((pair.*side)->id, names::kStepTime)),
                                     time.factor);
          }};
}

Column<Pair> share_column(const ReportInput& input, const char* quantity, const ColumnHead& head) {
  return {head, [&input, quantity](const Pair& pair) {
            return compared_share_text(input, *pair.cell, quantity);
          }};
}

// The name that all pairs share on a side, else what the column says of each.
std::string shared_name(const std::vector<Pair>& pairs, std::string Pair::*name) {
  const bool differs = std::ranges::any_of(
      pairs, [&](const Pair& pair) { return pair.*name != pairs.front().*name; });
  return pairs.empty() || differs ? "" : pairs.front().*name;
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
      {{"speedup", "Speedup (ratio)", "throughput divided by the base's [interval]"},
       [](const Pair& pair) {
         return format_interval(measure_of(*pair.speedup), {.levels = {1.0}});
       }},
      share_column(input,
                   names::kEfficiency,
                   {"efficiency",
                    "Efficiency (%)",
                    "speedup divided by the ratio of devices, % [interval]",
                    kNumber,
                    are_of_devices(pairs) ? Shown::kPresent : Shown::kNever}),
      share_column(input,
                   names::kOverhead,
                   {"communication",
                    "Communication (% of the step)",
                    "share of the step time that communication takes, % [interval]",
                    kNumber,
                    Shown::kPresent}),
      {{"use", "Use", "the fastest of all that share the base", kText, Shown::kPresent},
       [texts = uses(input, pairs)](const Pair& pair) { return texts.at(pair.cell->id); }},
  };
}

View::List pair_table(const ReportInput& input, const std::vector<Pair>& pairs) {
  constexpr std::size_t most_rows = 12;
  return one_table(
      pair_columns(input, pairs, time_scale(input, sides_of(pairs))), pairs, most_rows);
}

// ---- what was expected

const char* mark_of(TargetVerdict verdict) {
  return verdict == TargetVerdict::kMet ? "✅" : verdict == TargetVerdict::kMissed ? "❌" : "❔";
}

View::List expectations(const ReportInput& input) {
  View::List rows;
  for (const TargetResultRow* target : distinct_targets(input)) {
    View row;
    row.set_text("mark", mark_of(target->verdict));
    row.set_text(
        "finding",
        target->finding.empty() ? target->name + ": " + to_word(target->verdict) : target->finding);
    rows.push_back(std::move(row));
  }
  return rows;
}

// ---- what stands before the first table

// What fits and what to use first; then the questions in the order of the study.
std::vector<Answer> measured_answers(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::vector<Answer> all = largest_fits(input);
  std::ranges::move(input.declared.search ? search_answer(input) : choices(input, pairs),
                    std::back_inserter(all));
  if (const std::string text = left_out(input); !text.empty()) {
    all.push_back({AnswerKind::kLeftOut, "Left out", text});
  }
  const std::vector<Answer> found = answers(input, pairs);
  if (all.empty() && found.empty()) {
    return plain_answers(input);
  }
  const std::vector<Answer> costs = cost_answers(input);
  const bool is_asked = input.declared.cost && input.declared.cost->train;
  for (const std::vector<Answer>& more :
       is_asked ? std::array{costs, found} : std::array{found, costs}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  if (const std::string targets = target_summary(input); !targets.empty()) {
    all.push_back({AnswerKind::kTarget, "Targets", targets});
  }
  return all;
}

std::vector<Answer> all_answers(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::vector<Answer> all = measured_answers(input, pairs);
  if (const std::string text = projection_text(input); !text.empty()) {
    all.push_back({AnswerKind::kProjected, kProjectedLine, text});
  }
  return all;
}

// What would settle comparisons that are open; "" where none is, and on a busy machine, where more
// of the same is no advice.
std::string next_step(const ReportInput& input) {
  if (!shared_machine_warning(input).empty()) {
    return "";
  }
  const auto found =
      std::ranges::find(input.results.threats, ThreatKind::kUndecided, &ThreatRow::kind);
  return found == input.results.threats.end() ? "" : found->finding;
}

void set_more(View& view, const char* name, std::size_t more) {
  view.set_text(name, more == 0 ? "" : std::to_string(more));
}

// "changed machine (2), warm up": each once, with its number.
std::string kinds_of(const std::vector<ThreatRow>& threats) {
  std::vector<std::string> kinds;
  for (const ThreatRow& threat : threats) {
    const auto count = std::ranges::count(threats, threat.kind, &ThreatRow::kind);
    const std::string kind =
        in_words(to_word(threat.kind)) + (count > 1 ? fmt::format(" ({})", count) : std::string());
    if (std::ranges::find(kinds, kind) == kinds.end()) {
      kinds.push_back(kind);
    }
  }
  return join(kinds, ", ");
}

View::List caution_list(const std::vector<ThreatRow>& threats) {
  View::List list;
  for (const ThreatRow& threat : threats) {
    View& row = list.emplace_back();
    row.set_text("caution", with_full_stop(threat.finding));
    row.set_text("anchor", anchor_of(threat));
  }
  return list;
}

View::List answer_list(const ReportInput& input, const std::vector<Answer>& answers) {
  View::List list;
  for (const Answer& one : answers) {
    list.emplace_back();
    list.back().set_text("about", begin_line(input, one.about));
    list.back().set_text("sentence", with_full_stop(one.sentence));
  }
  return list;
}

// Answers and cautions as far as they fit; the rest is counted, and stands further down, all but
// the first, what to use, which is always shown.
void fill_first_lines(View& view, const ReportInput& input, const std::vector<Pair>& pairs) {
  constexpr std::size_t markup = 10;        // "- **", ":** " and the end of a line
  constexpr std::size_t fixed_lines = 185;  // what is always printed, and the lines of the rest
  const std::string state = state_text(input);
  const std::string said_next = next_step(input);
  const std::string said_basis = trust_basis(input);
  const std::string said_worthless = why_worthless(input);
  const std::string title = input.study.title.empty() ? input.study.name : input.study.title;
  const std::vector<ThreatRow> warnings = reported_warnings(input);
  const std::size_t taken = length(title) + length(state) + length(said_basis) + length(said_next) +
                            length(said_worthless) + fixed_lines +
                            (said_worthless.empty() ? 0 : 50) + (said_next.empty() ? 0 : markup) +
                            length(kinds_of(warnings));
  std::size_t room = std::max(kFirstScreen - std::min(kFirstScreen, taken), kLeastRoom);
  const auto caution_length = [&](const ThreatRow& threat) {
    return length(threat.finding) + std::string_view(" What to do.").size() + markup;
  };
  // The first of the gravest that leaves most of the room to the answers.
  const auto first = std::ranges::find_if(warnings, [&](const ThreatRow& threat) {
    return caution_length(threat) <= 2 * room / 5 &&
           gravity_rank(threat) == gravity_rank(warnings.front());
  });
  const auto answer_length = [&](const Answer& one) {
    return length(one.about) + length(one.sentence) + markup;
  };
  std::vector<Answer> all = all_answers(input, pairs);
  const std::size_t longest = all.empty() ? 0 : answer_length(all.front());
  const std::size_t reserved = first == warnings.end() ? 0 : caution_length(*first);
  std::size_t answer_room = std::max(room - reserved, longest);
  const std::size_t given = answer_room;
  const std::vector<Answer> shown = fitting(all, answer_room, answer_length);
  room -= std::min(room, given - answer_room);
  const std::vector<ThreatRow> shown_warnings = fitting_warnings(warnings, room, caution_length);
  std::vector<Answer> further = all;
  std::erase_if(further,
                [&](const Answer& one) { return std::ranges::find(shown, one) != shown.end(); });
  view.set_list("answer", answer_list(input, shown));
  view.set_list("further_answers", answer_list(input, further));
  set_more(view, "answers_more", all.size() - shown.size());
  view.set_text("no_answer", why_no_answer(input));
  view.set_text("next_step", said_next);
  view.set_text("state", state);
  view.set_text("worthless", said_worthless);
  view.set_text("trust", trust_grade(input));
  view.set_text("basis", said_basis);
  std::vector<ThreatRow> others = warnings;
  for (const ThreatRow& threat : shown_warnings) {
    std::erase_if(others, [&](const ThreatRow& other) {
      return other.kind == threat.kind && other.finding == threat.finding;
    });
  }
  view.set_list("cautions", caution_list(shown_warnings));
  set_more(view, "cautions_more", warnings.size() - shown_warnings.size());
  view.set_text("cautions_kinds", kinds_of(others));
  view.set_list("further_cautions", caution_list(others));
}

void fill_answer(View& view, const ReportInput& input, const Figures& figures) {
  const std::vector<Pair> pairs = pairs_of(input);
  fill_first_lines(view, input, pairs);
  view.set_list("pairs", pair_table(input, pairs));
  view.set_list("expectations", expectations(input));
  std::vector<std::string> why = communication_reasons(input, pairs);
  if (std::string wait = input_wait(input); !wait.empty()) {
    why.push_back(std::move(wait));
  }
  view.set_list("reasons", lines("reason", why));
  view.set_list("limits", lines("limit", answer_limits(input, pairs)));
  view.set_list("first_figure", first_figure_list(figures));
}

}  // namespace

Section answer_section() {
  using enum TagKind;
  const Tags tags = {
      {"state", kText, "interim or mixed, and why; nothing of a complete study of one piece"},
      {"answer", kList, "what to use, and a line for each question, as far as 1,000 characters go"},
      {"answer.about",
       kText,
       "Use, 2 devices against 1 device, Break-even, Switch point, Bandwidth or Targets"},
      {"answer.sentence", kText, "what was found, with its numbers"},
      {"answers_more", kText, "answers that did not fit"},
      {"no_answer", kText, "why there may be no answer so far, and how to continue"},
      {"next_step",
       kText,
       "how many more blocks would settle what is open; nothing if all is settled"},
      {"further_answers", kList, "those"},
      {"further_answers.about", kText, "what the question is about"},
      {"further_answers.sentence", kText, "what was found, with its numbers"},
      {"worthless",
       kText,
       "why the numbers are not worth much: impossible times, or most trials on a busy machine"},
      {"trust",
       kText,
       "high: no warning; medium: of some rows; low: of all numbers; not at all: no trial ended "
       "ok"},
      {"basis", kText, "complete, 120 of 120 trials ok, 8 per cell, 1 machine, 1 session"},
      {"cautions", kList, "warnings, those of all numbers first"},
      {"cautions.caution", kText, "a sentence"},
      {"cautions.anchor", kText, "where threat_kinds says what to do: warning-foreign-load"},
      {"cautions_more", kText, "warnings that did not fit"},
      {"cautions_kinds", kText, "of what kinds those are: changed machine (2), warm up"},
      {"further_cautions", kList, "those"},
      {"further_cautions.caution", kText, "a sentence"},
      {"further_cautions.anchor", kText, "as of cautions"},
      {"expectations", kList, "declared targets"},
      {"expectations.mark", kText, "✅, ❌ or ❔"},
      {"expectations.finding", kText, "a sentence"},
      {"reasons", kList, "what of a step is communication, and what waiting for samples"},
      {"reasons.reason", kText, "a sentence"},
      {"limits", kList, "what the study does not say"},
      {"limits.limit", kText, "a sentence"},
      {"first_figure", kList, "the figure of the answer, if there is one"},
      {"first_figure.path", kText, "path"},
      {"first_figure.alt", kText, "what it shows, in words"},
      {"first_figure.count", kText, "how many figures it is the first of; absent if it is alone"},
      {"first_figure.section", kText, "the heading that has the others"},
      {"first_figure.anchor", kText, "its link"},
  };
  return {tags + table_tags("pairs",
                            "cells beside their base",
                            heads_of(pair_columns(empty_input(), {}, {"ms", 1e3}))),
          fill_answer};
}

}  // namespace scalestudy::report
