#include "harness/run/outcome/guess_rules.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/guess_notes.h"
#include "harness/run/outcome/line_kinds.h"
#include "harness/run/outcome/step_columns.h"
#include "harness/run/output/terminal_text.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parse.h"
#include "harness/study/sections/extract_presets.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostLines = 5000;  // that are looked at
constexpr std::size_t kMostBytes = 2000;  // of such a line; longer ones are passed over

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; lines.size() < kMostLines && std::getline(stream, line);) {
    for (std::size_t at = 0; at <= line.size();) {  // a carriage return ends a line too
      const std::size_t end = std::min(line.find('\r', at), line.size());
      if (end - at <= kMostBytes) {
        remove_escapes(lines.emplace_back(line.substr(at, end - at)));
      }
      at = end + 1;
    }
  }
  return lines;
}

struct FoundSteps {
  std::vector<double> times;
  protocol::CoveredSteps covered;  // what the lines stand for
  std::string problem;             // the first that the rules have with the output
  std::vector<std::string> notes;  // what the rules take for granted
};

FoundSteps find_steps(const ProgramOutput& output, const std::vector<ExtractRule>& rules) {
  std::istringstream out(output.out);
  std::istringstream err(output.err);
  const Steps steps{.warmup = 0, .measured = 1, .is_open = true};
  const protocol::Record record =
      extract_samples({.out = out, .err = err, .wall_s = 1.0}, rules, steps, {});
  FoundSteps found{.times = {},
                   .covered = {},
                   .problem = record.problems.empty() ? "" : record.problems.front(),
                   .notes = record.notes};
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == names::kStepTime && !samples->rank) {
      found.times = samples->values;
      found.covered =
          record.covered.value_or(protocol::CoveredSteps{.steps = std::ssize(found.times)});
    }
    const auto* end = std::get_if<protocol::End>(&event);
    if (end != nullptr && end->facts.contains("repeated_lines")) {
      found.notes.push_back(
          fmt::format("check the lines: {} show a step again. If several ranks print it, let one "
                      "rank print, or put (?<rank>\\d+) into the rule where the line has the rank",
                      end->facts.at("repeated_lines")));
    }
  }
  return found;
}

bool needs_amount(const std::vector<ExtractRule>& rules) {
  return std::ranges::any_of(rules, [](const ExtractRule& rule) {
    return rule.metric == names::kStepTime && stored_unit(rule).needs_amount;
  });
}

// The rules of a preset as a study has them.
std::vector<ExtractRule> rules_of_preset(const std::string& name) {
  for (const char* amount : {"", ", per_step: 1"}) {
    const ParsedStudy parsed =
        parse_study(fmt::format("version: 1\nstudy: probe\nworkload: command\ncommand: [probe]\n"
                                "extract: {{preset: {}{}}}\n",
                                name,
                                amount),
                    name,
                    {});
    if (parsed.problems.empty()) {
      return parsed.study.extract;
    }
  }
  return {};
}

std::vector<std::string> matching_lines(const ProgramOutput& output, const std::string& pattern) {
  constexpr std::size_t most = 3;
  const re2::RE2 regex(parse_extract_pattern(pattern, "").regex);
  std::vector<std::string> found;
  for (const std::string* text : {&output.out, &output.err}) {
    for (const std::string& line : lines_of(*text)) {
      if (found.size() < most && re2::RE2::PartialMatch(line, regex)) {
        found.push_back(line);
      }
    }
    if (!found.empty()) {
      break;
    }
  }
  return found;
}

GuessedRules find_preset(const ProgramOutput& output) {
  GuessedRules best;
  for (const YamlNode& name : extract_presets().keys) {
    const std::vector<ExtractRule> rules = rules_of_preset(name.text);
    FoundSteps found = find_steps(output, rules);
    if (found.times.size() > best.steps) {
      best = {
          .preset = name.text,
          .rules = rules,
          .needs_amount = needs_amount(rules),
          .is_per_device =
              std::ranges::find(rules, "tokens_per_device_s", &ExtractRule::metric) != rules.end(),
          .steps = found.times.size(),
          .covered = found.covered.steps,
          .interval = found.covered.interval,
          .problem = std::move(found.problem),
          .examples = {},
          .notes = {}};
    }
  }
  for (const ExtractRule& rule : best.rules) {
    if (best.examples.empty() && rule.metric == names::kStepTime && !rule.regex.empty()) {
      best.examples = matching_lines(output, rule.regex);
    }
  }
  return best;
}

ExtractRule rule_of(const Figure& figure, const std::string& metric, bool has_step) {
  ExtractRule rule;
  rule.metric = metric;
  rule.unit = figure.unit.empty() ? "s" : figure.unit;
  rule.regex = pattern_of(figure, has_step);
  if (figure.has_decimal_comma) {
    rule.decimal = DecimalMark::kComma;
  }
  return rule;
}

// A rule for what the lines of the step times call a loss.
// - time: a figure of the step times.
std::optional<ExtractRule> loss_rule(const std::vector<std::string>& examples,
                                     bool has_step,
                                     const Figure& time) {
  static const re2::RE2 kLoss("\\bloss\\b[\"']?[ :=(]*$");
  for (const std::string& line : examples) {
    for (Figure& figure : figures_of(line)) {
      if (figure.unit.empty() && !figure.is_cut && has(lowered(figure.words), kLoss)) {
        figure.unit = "1";
        figure.has_decimal_comma |= time.has_decimal_comma && figure.has_commas;
        const std::string head = line.substr(0, figure.at - figure.words.size());
        figure.among = has(head, re2::RE2(time.among)) ? time.among : "";
        return rule_of(figure, "loss", has_step);
      }
    }
  }
  return std::nullopt;
}

// The lengths of the progress bars that the rule reads; "" for a line without a bar.
std::set<std::string> bar_lengths(const ExtractRule& rule, const std::vector<std::string>& lines) {
  const re2::RE2 pattern(parse_extract_pattern(rule.regex, "").regex);
  std::set<std::string> lengths;
  for (const std::string& line : lines) {
    if (re2::RE2::PartialMatch(line, pattern)) {
      lengths.insert(bar_length(line));
    }
  }
  return lengths;
}

// The rule of a column, and those of others at the same place that have another unit: progress bars
// print 1.2s/it and 1.1it/s, and times are 998 ms and 1.02 s. A place without a word may be that of
// other things, too: the bar of an evaluation, which has another length.
// - lines: of the stream.
std::vector<ExtractRule> rules_of(const StepColumn& column,
                                  const std::vector<StepColumn>& columns,
                                  const std::vector<std::string>& lines,
                                  bool has_step) {
  std::vector<ExtractRule> rules{rule_of(column.figure, names::kStepTime, has_step)};
  const Figure& figure = column.figure;
  static const re2::RE2 kLetter("[A-Za-z]");
  static const re2::RE2 kFirstLetter("^ *[A-Za-z]");
  const bool has_word = has(figure.words, kLetter) || has(figure.before, kFirstLetter);
  const std::set<std::string> lengths =
      has_word ? std::set<std::string>{} : bar_lengths(rules.front(), lines);
  const bool has_bar = lengths.size() == 1 && !lengths.begin()->empty();
  for (const StepColumn& other : columns) {
    if (&other != &column && !figure.unit.empty() && !other.figure.unit.empty() &&
        place_of(other.figure, has_step) == place_of(figure, has_step)) {
      ExtractRule rule = rule_of(other.figure, names::kStepTime, has_step);
      if (has_word || (has_bar && bar_lengths(rule, lines) == lengths)) {
        rules.push_back(std::move(rule));
      }
    }
  }
  return needs_amount(rules) ? std::vector{rules.front()} : rules;
}

// The rules as a study has them once they were read, with an amount of a step if they need one.
std::vector<ExtractRule> ready(std::vector<ExtractRule> rules) {
  for (ExtractRule& rule : rules) {
    const ExtractPattern compiled = parse_extract_pattern(rule.regex, "");
    rule.regex = compiled.regex;
    rule.group = compiled.group;
    rule.per_step = needs_amount({rule}) ? "1" : "";
  }
  return rules;
}

bool are_whole(const std::vector<double>& times) {
  return std::ranges::all_of(times, [](double time) { return time == std::floor(time); });
}

// Whether each is one more than the one before: "7", "8", "9". Two of them may be times by chance,
// "12" and "13", unless they begin as counters do.
bool are_counted(const std::vector<double>& times) {
  return times.size() > 1 && (times.size() > 2 || times.front() <= 1.0) &&
         std::ranges::adjacent_find(
             times, [](double one, double next) { return next != one + 1.0; }) == times.end();
}

// Whether all are above three years: readings of a clock.
bool are_time_stamps(const std::vector<double>& times) {
  constexpr double three_years_s = 1e8;
  return std::ranges::all_of(times, [](double time) { return time > three_years_s; });
}

// What is guessed from one column.
// - columns: those of the stream, of which `column` is one.
// - lines: of the stream.
// - returns: rules and their notes; or no rules, and why as the only note.
GuessedRules guess_column(const ProgramOutput& output,
                          const StepColumn& column,
                          const std::vector<StepColumn>& columns,
                          const std::vector<std::string>& lines) {
  const auto refused = [&](const std::string& why) {
    GuessedRules none;
    none.notes = {fmt::format("passed over '{}': {}", name_of(column.figure), why)};
    return none;
  };
  const bool has_step =
      find_steps(output, ready(rules_of(column, columns, lines, /*has_step=*/true)))
          .problem.empty();
  std::vector<ExtractRule> rules = rules_of(column, columns, lines, has_step);
  const FoundSteps read = find_steps(output, ready(rules));
  const bool can_count = rules.size() == 1 && !column.is_per_step && !is_rate(column.figure);
  const Counting counting = can_count ? counting_of(read.times, output.wall_s) : Counting::kNone;
  rules.front().is_difference = counting == Counting::kFromStart;
  const FoundSteps found =
      counting == Counting::kFromStart ? find_steps(output, ready(rules)) : read;
  if (found.times.empty()) {
    return refused(found.problem);
  }
  if (counting == Counting::kAgain) {
    return refused("it counts up and begins again, so that it is not a time of a step");
  }
  if (column.figure.unit.empty() && are_whole(read.times) &&
      (counting == Counting::kFromStart || are_counted(read.times))) {
    return refused("it is a counter");
  }
  if (are_time_stamps(read.times) && counting != Counting::kFromStart) {
    return refused("it is a reading of a clock");
  }
  GuessedRules guess{.preset = {},
                     .rules = rules,
                     .needs_amount = needs_amount(rules),
                     .is_per_device = column.figure.is_per_device,
                     .is_per_epoch = column.is_of_epoch() && !is_rate(column.figure),
                     .steps = found.times.size(),
                     .covered = found.covered.steps,
                     .interval = found.covered.interval,
                     .problem = found.problem,
                     .examples = matching_lines(output, rules.front().regex),
                     .notes = found.notes};
  if (column.figure.unit.empty()) {
    guess.notes.push_back(
        fmt::format("check the unit: '{}' has none, and the rule says s", name_of(column.figure)));
  }
  if (counting == Counting::kFromStart) {
    guess.notes.push_back(
        fmt::format("'{}' rises from line to line, so the rule takes differences; if each is the "
                    "time of a step, remove `difference: true`",
                    name_of(column.figure)));
  }
  const std::vector<std::string> to_check =
      notes_on(column, columns, ready(rules), has_step, lines);
  guess.notes.insert(guess.notes.end(), to_check.begin(), to_check.end());
  if (std::optional<ExtractRule> loss = loss_rule(guess.examples, has_step, column.figure)) {
    guess.rules.push_back(*std::move(loss));
  }
  return guess;
}

// - notes: gets what was passed over.
GuessedRules guess_stream(const ProgramOutput& output,
                          const std::vector<std::string>& lines,
                          std::vector<std::string>& notes) {
  constexpr std::size_t most = 5;
  const StepColumns columns = find_columns(lines);
  const bool has_epochs = std::ranges::any_of(columns.whole, [](const StepColumn& column) {
    return column.is_of_epoch() && !column.is_part;
  });
  bool has_passed = false;
  if (!columns.cut.empty() &&
      (columns.whole.empty() || is_better(columns.cut.front(), columns.whole.front()))) {
    has_passed = true;
    notes.push_back(note_cut(columns.cut.front()));
  }
  for (std::size_t i = 0; i < columns.whole.size() && i < most; ++i) {
    const StepColumn& column = columns.whole[i];
    if ((has_passed && (column.is_part || column.figure.unit.empty())) ||
        (has_epochs && (column.is_part || names_validation(column.figure.words)))) {
      continue;  // it is no step time for want of a better one
    }
    GuessedRules guess = guess_column(output, column, columns.whole, lines);
    if (guess.steps > 0) {
      return guess;
    }
    has_passed = true;
    notes.insert(notes.end(), guess.notes.begin(), guess.notes.end());
  }
  return {};
}

std::vector<double> read_by(const ProgramOutput& output, ExtractRule rule) {
  rule.unit = rule.metric == names::kStepTime ? rule.unit : "s";  // a loss has none
  rule.metric = names::kStepTime;
  return find_steps(output, ready({rule})).times;
}

// Lets the rules hold for other values as well, and for what is no number, if they then read no
// more of this output. A loss in it may be no number.
void loosen(GuessedRules& guess,
            const ProgramOutput& output,
            const std::vector<std::string>& values) {
  for (ExtractRule& rule : guess.rules) {
    ExtractRule loose = rule;
    loose.regex = without_values(rule.regex, values);
    if (read_by(output, loose) == read_by(output, rule)) {
      rule = std::move(loose);
    } else {
      guess.notes.push_back(
          fmt::format("check the rule of {}: it has a value of -L, which other cells do not print",
                      rule.metric));
    }
    loose = rule;
    loose.regex = with_not_finite(rule.regex);
    const std::string problem = find_steps(output, ready({loose})).problem;
    if (rule.metric != names::kStepTime || problem == find_steps(output, ready({rule})).problem) {
      rule = std::move(loose);
    } else {
      guess.notes.push_back(
          fmt::format("check the rule of {}: it passes over lines without a number ({})",
                      rule.metric,
                      problem));
    }
  }
}

}  // namespace

GuessedRules guess_rules(const ProgramOutput& output, const std::vector<std::string>& values) {
  if (GuessedRules preset = find_preset(output); preset.steps > 0) {
    return preset;
  }
  std::vector<std::string> notes;
  for (const std::string* text : {&output.out, &output.err}) {
    GuessedRules guess = guess_stream(output, lines_of(*text), notes);
    if (guess.steps > 0) {
      loosen(guess, output, values);
      guess.notes.insert(guess.notes.begin(), notes.begin(), notes.end());
      return guess;
    }
  }
  GuessedRules none;
  none.notes = std::move(notes);
  return none;
}

}  // namespace scalestudy
