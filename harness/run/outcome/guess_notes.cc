#include "harness/run/outcome/guess_notes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/outcome/line_kinds.h"
#include "harness/study/matrix/command.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Lines that begin and name their number as those of the rules do: "took 1m 2.0s" after
// "took 58.1s".
std::string note_unread(const StepColumn& column,
                        bool has_step,
                        const std::vector<std::string>& read,
                        const std::vector<std::string>& unread) {
  const re2::RE2 pattern(
      parse_extract_pattern("(?:" + place_of(column.figure, has_step) + ")()", "").regex);
  Figure anywhere = column.figure;
  anywhere.among.clear();
  const std::string place = place_of(anywhere, has_step);
  static const re2::RE2 kLetter("[A-Za-z]");
  const bool has_name = has(column.figure.words, kLetter);
  std::size_t count = 0;
  std::string example;
  for (const std::string& line : unread) {
    if (!re2::RE2::PartialMatch(line, pattern)) {
      continue;
    }
    const std::vector<Figure> figures = figures_of(line);
    const auto alike = std::ranges::find_if(figures, [&](const Figure& figure) {
      return (has_name || !figure.unit.empty()) && place_of(figure, has_step) == place;
    });
    if (alike != figures.end()) {
      example = ++count == 1 ? name_of(*alike) : example;
    }
  }
  return count == 0 ? ""
                    : fmt::format(
                          "check the rules: they read {} of {} lines that look alike, and "
                          "do not read '{}'",
                          read.size(),
                          read.size() + count,
                          example);
}

// Lines of validation among others may be no steps.
std::string note_validation(const std::vector<std::string>& read) {
  const auto count = static_cast<std::size_t>(std::ranges::count_if(read, names_validation));
  return count == 0 || 2 * count > read.size()
             ? ""
             : fmt::format("check the lines: {} of the {} that the rules read mention a validation",
                           count,
                           read.size());
}

// Bars of several lengths are those of several phases: a training and its validation.
std::string note_bars(const std::vector<std::string>& read) {
  std::map<std::string, std::size_t> lines;  // by the length of their bar
  for (const std::string& line : read) {
    ++lines[bar_length(line)];
  }
  lines.erase("");
  if (lines.size() < 2) {
    return "";
  }
  const auto most = std::ranges::max_element(
      lines, [](const auto& one, const auto& other) { return one.second < other.second; });
  const auto other = most == lines.begin() ? std::next(most) : lines.begin();
  return fmt::format(
      "check the lines: {} of the {} that the rules read have a progress bar of {} steps, others "
      "one of {}; if only the first are steps, put `/{}\\b.*` into the regex, before the number",
      most->second,
      read.size(),
      most->first,
      other->first,
      most->first);
}

// The times in bars of Keras are means of the epoch so far.
std::string note_keras(const StepColumn& column, const std::vector<std::string>& read) {
  const KerasBar bar = keras_bar(column.line);
  const bool has_begun = std::ranges::any_of(
      read, [](const std::string& line) { return !keras_bar(line).is_whole(); });
  if (bar.length.empty() || !column.is_per_step) {
    return "";
  }
  if (has_begun) {
    return fmt::format(
        "check the lines: '{}' is the mean since the epoch began, in which a slow first step "
        "stays; write verbose=2 into fit() for one line an epoch",
        name_of(column.figure));
  }
  return column.figure.among.empty()
             ? ""
             : fmt::format(
                   "other lines of a bar of Keras are means since the epoch began, so the rule "
                   "reads {}/{} alone; where other cells have other numbers of steps, write "
                   "verbose=2 into fit() and run init again",
                   bar.done,
                   bar.length);
}

// A number with its uncertainty is a mean of several.
std::string note_mean(const StepColumn& column) {
  static const re2::RE2 kUncertain("^ *(?:\\+/?-|\xc2\xb1)");
  const Figure& figure = column.figure;
  const std::size_t end = figure.at + figure.printed.size() + figure.after.size();
  return !has(column.line.substr(end), kUncertain)
             ? ""
             : fmt::format(
                   "'{}' is a mean, of which the number behind it is the uncertainty; if it is of "
                   "all steps so far, a slow first one stays in it",
                   name_of(figure));
}

std::string note_number(const Figure& figure) {
  return is_rate_of_bar(figure)
             ? fmt::format(
                   "'{}' is the running average of a progress bar, in which a slow first step "
                   "stays for many steps; print the time of each step, or time the whole command",
                   name_of(figure))
         : figure.has_decimal_comma
             ? fmt::format("check the numbers: the rule takes the comma of '{}' as a decimal one",
                           name_of(figure))
             : "";
}

// Several lines of an epoch may be those of its steps, or one of each rank.
std::string note_epochs(const StepColumn& column) {
  return column.names_epoch && column.has_epoch_again && !is_rate(column.figure)
             ? fmt::format(
                   "check the time: the lines of '{}' name an epoch and no step; if it is "
                   "the time of an epoch, write `unit: s/epoch` and the share of a step "
                   "in it as `per_step`",
                   name_of(column.figure))
             : "";
}

// A number that others follow, as in the row of a table, may be that of another column.
std::string note_row(const StepColumn& column) {
  static const re2::RE2 kNext("^ +[0-9]+(?:\\.[0-9]+)?(?: |$)");
  const Figure& figure = column.figure;
  const std::string behind = column.line.substr(figure.at + figure.printed.size());
  return figure.unit.empty() && has(behind, kNext)
             ? fmt::format(
                   "check the column: numbers without a name follow '{}', as in the row of "
                   "a table, and the rule reads the first one",
                   name_of(figure))
             : "";
}

// Absent for what is no time.
std::optional<double> seconds_of(const Figure& figure) {
  std::string number = figure.printed;
  if (figure.has_decimal_comma) {
    std::erase(number, '.');
    std::ranges::replace(number, ',', '.');
  }
  std::erase(number, ',');
  const auto value = parse_number(number);
  const auto unit = seconds_per_unit(figure.unit);
  return value && unit ? std::optional(*value * *unit) : std::nullopt;
}

// A "step" that is shorter than the backward pass beside it may be that of the optimizer alone.
std::string note_part(const StepColumn& column, const std::vector<std::string>& read) {
  const std::vector<Figure> figures =
      read.empty() ? std::vector<Figure>{} : figures_of(read.front());
  const auto step = std::ranges::find_if(figures, [&](const Figure& figure) {
    return figure.words == column.figure.words && figure.after == column.figure.after;
  });
  if (step == figures.end()) {
    return "";
  }
  const auto longer = std::ranges::find_if(figures, [&](const Figure& figure) {
    return is_of_part(figure) && seconds_of(figure) > seconds_of(*step);
  });
  return longer == figures.end() || !seconds_of(*step)
             ? ""
             : fmt::format("check the column: '{}', which the rule reads, is shorter than '{}'",
                           name_of(*step),
                           name_of(*longer));
}

// What a group of the pattern holds in a line; empty if the line does not match.
re2::StringPiece group_in(const std::string& line, const re2::RE2& pattern, int group) {
  std::vector<re2::StringPiece> found(1U +
                                      static_cast<std::size_t>(pattern.NumberOfCapturingGroups()));
  const bool is_read = pattern.Match(
      line, 0, line.size(), re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()));
  return is_read ? found[static_cast<std::size_t>(group)] : re2::StringPiece();
}

// The number of the step that the rule reads in a line.
std::optional<std::int64_t> step_in(const std::string& line, const re2::RE2& pattern) {
  const auto group = pattern.NamedCapturingGroups().find("step");
  return group == pattern.NamedCapturingGroups().end()
             ? std::nullopt
             : parse_integer(group_in(line, pattern, group->second).as_string());
}

// Whether a rule reads the number of the column, in the first of its lines.
bool reads(const ExtractRule& rule, const StepColumn& column) {
  const re2::StringPiece number = group_in(column.line, re2::RE2(rule.regex), rule.group);
  return number.data() == column.line.data() + column.figure.at;
}

// A line every tenth step may have the time of ten steps.
std::string note_interval(const StepColumn& column,
                          const ExtractRule& rule,
                          const std::vector<std::string>& read) {
  if (read.size() < 2 || rule.is_difference || column.is_per_step || is_rate(column.figure)) {
    return "";
  }
  const re2::RE2 pattern(rule.regex);
  const auto last = step_in(read[read.size() - 1], pattern);
  const auto before = step_in(read[read.size() - 2], pattern);
  if (!last || !before || *last - *before < 2) {
    return "";
  }
  const std::int64_t steps = *last - *before;
  return fmt::format(
      "a line comes every {} steps, and the rule takes '{}' as the time of one step; if it covers "
      "all {}, write `unit: {}/line, per_step: {}`",
      steps,
      name_of(column.figure),
      steps,
      rule.unit,
      format_declared(1.0 / static_cast<double>(steps)));
}

// Which of `columns` look as much like the time of a step as the chosen one. Of times that are
// printed once and are not called that of a step, any may be meant.
std::string note_choice(const StepColumn& chosen,
                        const std::vector<StepColumn>& columns,
                        const std::vector<ExtractRule>& rules) {
  constexpr std::size_t most = 4;
  constexpr int of_step = 9;  // score of a time with a unit that is called that of a step
  const bool is_single = chosen.lines == 1 && chosen.score < of_step && !is_rate(chosen.figure);
  const auto is_other = [&](const StepColumn& column) {
    return column.lines == 1 && !column.is_part && !column.figure.unit.empty() &&
           !is_rate(column.figure);
  };
  std::vector<std::string> others;
  bool are_equal = true;
  for (const StepColumn& column : columns) {
    const bool is_equal = column.score == chosen.score && 2 * column.lines >= chosen.lines;
    if (others.size() < most && &column != &chosen &&
        (is_equal || (is_single && is_other(column))) &&
        std::ranges::none_of(rules, [&](const ExtractRule& rule) { return reads(rule, column); })) {
      others.push_back("'" + name_of(column.figure) + "'");
      are_equal &= is_equal;
    }
  }
  const std::string name = name_of(chosen.figure);
  return !others.empty()      ? fmt::format("check the column: the rule reads '{}'; {}: {}",
                                       name,
                                       are_equal ? "equally likely" : "other times",
                                       join(others, ", "))
         : chosen.is_repeated ? fmt::format(
                                    "check the column: lines have several numbers like '{}', "
                                    "and the rule reads one",
                                    name)
                              : "";
}

}  // namespace

std::string note_cut(const StepColumn& column) {
  const std::string& number = column.figure.printed;
  const bool is_time = number.find_first_of(":dhms") != std::string::npos;
  const bool has_marks = number.find_first_not_of("0123456789.,eE+-") != std::string::npos;
  return fmt::format("passed over '{}': a rule would read only a part of it{}",
                     name_of(column.figure),
                     is_time ? ""
                     : number.find(',') != std::string::npos
                         ? "; if the comma is a decimal one, write a rule with `decimal: comma`"
                     : has_marks ? "; write a rule with (\\S+) for the whole number"
                                 : "");
}

std::vector<std::string> notes_on(const StepColumn& column,
                                  const std::vector<StepColumn>& columns,
                                  const std::vector<ExtractRule>& rules,
                                  bool has_step,
                                  const std::vector<std::string>& lines) {
  std::vector<std::string> read;
  std::vector<std::string> unread = lines;
  for (const ExtractRule& rule : rules) {
    const re2::RE2 pattern(rule.regex);
    const auto rest =
        std::stable_partition(unread.begin(), unread.end(), [&](const std::string& line) {
          return !re2::RE2::PartialMatch(line, pattern);
        });
    read.insert(read.end(), rest, unread.end());
    unread.erase(rest, unread.end());
  }
  std::vector<std::string> notes{note_number(column.figure),
                                 note_keras(column, read),
                                 note_mean(column),
                                 note_row(column),
                                 note_epochs(column),
                                 note_unread(column, has_step, read, unread),
                                 note_validation(read),
                                 note_bars(read),
                                 note_part(column, read),
                                 note_interval(column, rules.front(), read),
                                 note_choice(column, columns, rules)};
  std::erase(notes, "");
  return notes;
}

}  // namespace scalestudy
