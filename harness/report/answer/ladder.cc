#include "harness/report/answer/ladder.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/choices.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostRuns = 4;     // that are told one by one
constexpr std::size_t kMostRanges = 8;   // that are told by choice
constexpr std::size_t kMostChoices = 3;  // that are told of more

// Whether the parameter tells problems apart: a choice that no base has made differs within one.
bool is_of_problem(const Problem& problem, const CellRow::Parameter& parameter) {
  return problem.base != nullptr || std::ranges::all_of(problem.cells, [&](const CellRow* cell) {
           const CellRow::Parameter* theirs = find_varied(*cell, parameter.name);
           return theirs != nullptr && theirs->value == parameter.value;
         });
}

// Parameters by which the problems differ: a batch that follows from another does not count.
std::set<std::string> differing(const ReportInput& input,
                                const std::vector<const Problem*>& problems) {
  std::map<std::string, std::set<std::string>> values;
  for (const Problem* one : problems) {
    const Problem& problem = *one;
    const CellRow& first = *problem.cells.front();
    const std::optional<std::int64_t> batch = fixed_batch(input, first);
    for (const CellRow::Parameter& parameter : first.parameters) {
      if (parameter.varied && is_of_problem(problem, parameter)) {
        values[is_batch(parameter.name) ? "batch" : parameter.name].insert(parameter.value);
      }
    }
    if (problem.base != nullptr || std::ranges::all_of(problem.cells, [&](const CellRow* cell) {
          return fixed_batch(input, *cell) == batch;
        })) {
      values["batch"].insert(fmt::format("{}", batch.value_or(0)));
    }
  }
  std::erase_if(values, [](const auto& entry) { return entry.second.size() < 2; });
  std::set<std::string> names;
  for (const auto& [name, texts] : values) {
    names.insert(name);
  }
  return names;
}

std::optional<double> rung(const ReportInput& input,
                           const Problem& problem,
                           const std::string& axis) {
  if (axis == "batch") {
    const auto batch = fixed_batch(input, *problem.cells.front());
    return batch ? std::optional(static_cast<double>(*batch)) : std::nullopt;
  }
  const CellRow::Parameter* parameter = find_varied(*problem.cells.front(), axis);
  return parameter == nullptr ? std::nullopt : parameter->number();
}

// Which of the names is the axis: of the choices that are numbers the one with the most values,
// else such a condition; "" without any.
std::string axis_of(const ReportInput& input,
                    const std::vector<const Problem*>& problems,
                    const std::set<std::string>& names) {
  std::string axis;
  std::pair<bool, std::size_t> best;  // is it a choice, values
  int choices = 0;
  for (const std::string& name : names) {
    std::set<std::optional<double>> values;
    for (const Problem* problem : problems) {
      values.insert(rung(input, *problem, name));
    }
    const bool is_number = !values.contains(std::nullopt);
    const std::pair rank(is_choice(input.declared, name), values.size());
    if (is_number && rank >= best) {
      axis = name;
      best = rank;
    }
    choices += is_number && rank.first ? 1 : 0;
  }
  // A single problem needs no axis of several: its setting names all.
  return problems.size() == 1 && choices > 1 ? "" : axis;
}

// Puts the problem that is not told where it lies on the ladder.
void add_gap(const ReportInput& input, const Problem& gap, Ladder& ladder) {
  if (differing(input, {ladder.rungs.front(), &gap}) == std::set{ladder.axis}) {
    ladder.rungs.push_back(&gap);
  }
}

// At an end nothing is ranged over, but that all cells failed is said.
void drop_gaps_at_ends(std::vector<const Problem*>& rungs) {
  const auto is_said = [](const Problem* one) { return one->is_told() || one->loss.has_value(); };
  rungs.erase(std::find_if(rungs.rbegin(), rungs.rend(), is_said).base(), rungs.end());
  rungs.erase(rungs.begin(), std::ranges::find_if(rungs, is_said));
}

}  // namespace

std::string say_choice(const Choice& choice, std::size_t most) {
  const std::size_t least = choice.unnamed;
  const std::string range = least == 0 ? "up to " : fmt::format("{} to ", least);
  const std::string more = fmt::format("{}{} more not excluded after adjustment{}",
                                       least == most ? "" : range,
                                       most,
                                       choice.note.empty() ? "" : ", ");
  const std::string note = (most == 0 ? "" : more) + choice.note;
  return note.empty() ? choice.text
         : choice.cells.size() > 1
             ? choice.text.substr(0, choice.text.size() - 1) + ", " + note + ")"
             : choice.text + " (" + note + ")";
}

std::vector<Ladder> ladders_of(const ReportInput& input, const std::vector<Problem>& all) {
  std::vector<const Problem*> problems;
  std::vector<const Problem*> gaps;
  for (const Problem& problem : all) {
    (problem.is_told() ? problems : gaps).push_back(&problem);
  }
  // A single one is told by what sets it apart from the others.
  std::vector<const Problem*> told = problems;
  if (problems.size() == 1) {
    told.insert(told.end(), gaps.begin(), gaps.end());
  }
  std::set<std::string> words = differing(input, told);
  const std::string axis = axis_of(input, problems, words);
  words.erase(axis);
  std::vector<Ladder> ladders;
  for (const Problem* problem : problems) {
    const std::string setting = name_parameters(
        *problem->cells.front(),
        [&](const CellRow::Parameter& parameter) {
          return words.contains(is_batch(parameter.name) ? "batch" : parameter.name);
        },
        input.declared.labels);
    auto found = std::ranges::find(ladders, setting, &Ladder::setting);
    if (found == ladders.end()) {
      found = ladders.insert(ladders.end(), {axis, setting, {}});
    }
    found->rungs.push_back(problem);
  }
  for (Ladder& ladder : ladders) {
    for (const Problem* gap : gaps) {
      add_gap(input, *gap, ladder);
    }
    std::ranges::stable_sort(ladder.rungs, {}, [&](const Problem* problem) {
      return rung(input, *problem, axis).value_or(0.0);
    });
    drop_gaps_at_ends(ladder.rungs);
  }
  return ladders;
}

namespace {

// Neighbouring rungs with one choice.
struct Run {
  Choice choice;         // with the fewest that any rung does not name
  std::size_t most = 0;  // and the most
  std::string from;
  std::string to;
  std::size_t rungs = 0;

  bool is_made() const { return !choice.cells.empty(); }
  std::string text() const { return say_choice(choice, most); }
  bool says(const Choice& one) const { return choice.text == one.text && choice.note == one.note; }

  void count(const Run& other) {
    choice.unnamed = std::min(choice.unnamed, other.choice.unnamed);
    most = std::max(most, other.most);
    rungs += other.rungs;
  }
};

std::vector<Run> runs_of(const ReportInput& input,
                         const Ladder& ladder,
                         const std::function<Choice(const Problem&)>& choose) {
  std::vector<Run> runs;
  for (const Problem* problem : ladder.rungs) {
    const Choice choice = choose(*problem);
    const double value = rung(input, *problem, ladder.axis).value_or(0.0);
    const std::string text = name_value(ladder.axis, value);
    const Run run = {choice, choice.unnamed, text, text, 1};
    if (runs.empty() || !runs.back().says(choice) || runs.back().is_made() != run.is_made()) {
      runs.push_back(run);
    } else {
      runs.back().count(run);
      runs.back().to = text;
      if (runs.back().choice.open != choice.open) {
        runs.back().choice.open.clear();
      }
    }
  }
  return runs;
}

// "batch", or the study's label of the batch that the scaling holds fixed.
std::string batch_word(const ReportInput& input) {
  const bool is_weak = input.study.scaling == Scaling::kWeak;
  const std::string name = is_weak ? names::kBatchPerDevice : names::kBatchGlobal;
  const std::string label = label_of(input, name);
  return label == name ? "batch" : label;
}

// "64", "16 to 32".
std::string values_text(const std::string& from, const std::string& to) {
  return from + (from == to ? "" : " to " + to);
}

// "batch 64", "batch 16 to 32", "1 device", "2 to 4 nodes".
std::string range_text(const ReportInput& input, const Ladder& ladder, const std::string& values) {
  if (ladder.axis == names::kDevices ||
      (ladder.axis == names::kNodes && !input.declared.labels.contains(ladder.axis))) {
    return name_parameter({.name = ladder.axis, .value = values});
  }
  const std::string name = ladder.axis == names::kMessageBytes ? ""
                           : ladder.axis == "batch"
                               ? batch_word(input) + " "
                               : name_axis(ladder.axis, input.declared.labels) + " ";
  return name + values;
}

// Runs that say the same.
struct SameChoice {
  Run all;
  std::vector<std::string> ranges;
};

std::vector<SameChoice> by_choice(const std::vector<Run>& runs) {
  std::vector<SameChoice> told;
  for (const Run& run : runs) {
    const auto found = std::ranges::find_if(
        told, [&](const SameChoice& known) { return known.all.says(run.choice); });
    SameChoice& same = found == told.end() ? told.emplace_back(SameChoice{run, {}}) : *found;
    if (!same.ranges.empty()) {
      same.all.count(run);
    }
    same.ranges.push_back(values_text(run.from, run.to));
  }
  return told;
}

std::string range_of(const ReportInput& input, const Ladder& ladder, const std::vector<Run>& runs) {
  return range_text(input, ladder, values_text(runs.front().from, runs.back().to));
}

// "2 devices at batch 16 to 256 (at batch 32 and 128 not compared, as 1 device failed)" if what is
// chosen differs in that alone; else "".
std::string say_one_name(const ReportInput& input,
                         const Ladder& ladder,
                         const std::vector<Run>& runs) {
  std::vector<SameChoice> told = by_choice(runs);
  std::ranges::stable_sort(told, {}, [](const SameChoice& same) { return same.all.choice.note; });
  return told.size() == 2 && told[0].all.choice.note.empty() && told[0].all.most == 0 &&
                 told[1].all.most == 0 && told[0].all.choice.text == told[1].all.choice.text
             ? fmt::format("{} at {} (at {} {})",
                           told[0].all.text(),
                           range_of(input, ladder, runs),
                           range_text(input, ladder, join_words(told[1].ranges)),
                           told[1].all.choice.note)
             : "";
}

// "not one choice for batch 16 to 256: 2 devices at 48, 64, 128 to 256; 1 device at 16 to 32; at
// 96: no verdict"; of many ranges how many of the values have which. The most frequent first.
std::string say_often(const ReportInput& input,
                      const Ladder& ladder,
                      const std::vector<Run>& runs) {
  std::vector<SameChoice> choices = by_choice(runs);
  std::ranges::stable_sort(
      choices, std::ranges::greater(), [](const SameChoice& told) { return told.all.rungs; });
  const bool is_told = runs.size() <= kMostRanges;
  std::vector<std::string> texts;
  std::size_t others = ladder.rungs.size();
  for (std::size_t i = 0; i < choices.size() && (is_told || i < kMostChoices); ++i) {
    const auto& [all, ranges] = choices[i];
    const std::string at =
        "at " + (is_told ? join(ranges, ", ")
                         : fmt::format("{} of {} values", all.rungs, ladder.rungs.size()));
    texts.push_back(all.is_made() ? all.text() + " " + at : at + ": " + all.text());
    others -= all.rungs;
  }
  if (others > 0) {
    texts.push_back(fmt::format("others at {}", others));
  }
  return fmt::format("not one choice for {}: {}", range_of(input, ladder, runs), join(texts, "; "));
}

// "1 device at batch 16 to 32, 2 devices at batch 256; at batch 64 to 128: no significant
// difference"; "1 device or 2 devices (no significant difference)".
std::string say_ladder(const ReportInput& input,
                       const Ladder& ladder,
                       const std::function<Choice(const Problem&)>& choose) {
  std::vector<Run> runs = runs_of(input, ladder, choose);
  if (runs.size() == 1 && !runs[0].is_made()) {
    const Choice& none = runs[0].choice;
    const std::string note = none.note.empty() ? "" : ", " + none.note;
    return none.open.empty() ? runs[0].text()
                             : fmt::format("{} ({}{})", none.open, none.text, note);
  }
  if (ladder.axis.empty()) {
    return runs.size() == 1 ? runs[0].text() : "";
  }
  const auto at = [&](const std::string& values) {
    return "at " + range_text(input, ladder, values);
  };
  if (runs.size() == 1 && ladder.rungs.size() > 1 && runs[0].choice.note.empty()) {
    return fmt::format(
        "{} at every compared value ({})", runs[0].text(), range_of(input, ladder, runs));
  }
  const std::string of_one_name = say_one_name(input, ladder, runs);
  if (!of_one_name.empty() || runs.size() > kMostRuns) {
    return of_one_name.empty() ? say_often(input, ladder, runs) : of_one_name;
  }
  std::vector<std::string> made;
  for (const Run& run : runs) {
    if (run.is_made()) {
      made.push_back(run.text() + " " + at(values_text(run.from, run.to)));
    }
  }
  std::erase_if(runs, [](const Run& run) { return run.is_made(); });
  std::vector<std::string> texts;
  if (!made.empty()) {
    texts.push_back(join_clearly(made));
  }
  for (const auto& [all, ranges] : by_choice(runs)) {
    texts.push_back(at(join_words(ranges)) + ": " + all.text());
  }
  return join(texts, "; ");
}

// Ladders of which the same is said.
struct SameText {
  std::string text;
  std::string setting;  // of the first
  std::size_t ladders = 0;
};

// "in all 4 compared settings: 2 devices"; "in 3 of 4 compared settings: 2 devices; with model
// mlp-258k, strategy ddp: 1 device". The most frequent first.
std::string say_settings(std::vector<SameText> same, std::size_t ladders) {
  std::ranges::stable_sort(same, std::ranges::greater(), &SameText::ladders);
  std::vector<std::string> texts;
  std::size_t others = ladders;
  for (std::size_t i = 0; i < std::min(same.size(), kMostChoices); ++i) {
    const auto count = static_cast<std::int64_t>(same[i].ladders);
    const std::string where =
        same[i].ladders == ladders ? "in " + format_all(count, "compared setting")
        : count == 1               ? "with " + same[i].setting
                                   : fmt::format("in {} of {} compared settings", count, ladders);
    texts.push_back(where + ": " + same[i].text);
    others -= same[i].ladders;
  }
  if (others > 0) {
    texts.push_back(fmt::format("others in {}", others));
  }
  return join(texts, "; ");
}

}  // namespace

std::string say_ladders(const ReportInput& input,
                        const std::vector<Ladder>& ladders,
                        const std::function<Choice(const Problem&)>& choose,
                        std::size_t most) {
  std::vector<std::string> texts;
  std::vector<SameText> same;
  for (const Ladder& ladder : ladders) {
    const std::string text = say_ladder(input, ladder, choose);
    if (text.empty()) {
      continue;
    }
    texts.push_back((ladder.setting.empty() ? "" : "with " + ladder.setting + ": ") + text);
    auto found = std::ranges::find(same, text, &SameText::text);
    if (found == same.end()) {
      found = same.insert(same.end(), {text, ladder.setting, 0});
    }
    ++found->ladders;
  }
  return ladders.size() > most ? say_settings(std::move(same), ladders.size()) : join(texts, "; ");
}

}  // namespace scalestudy::report
