#include "harness/run/outcome/guess_notes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

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
  const std::string place = place_of(column.figure, has_step);
  const re2::RE2 pattern(parse_extract_pattern("(?:" + place + ")()", "").regex);
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
  static const re2::RE2 kValidation(
      "(^|[^a-z])(val|valid|validation|eval|evaluation|test)([^a-z]|$)");
  const auto count = static_cast<std::size_t>(std::ranges::count_if(
      read, [](const std::string& line) { return has(small(line), kValidation); }));
  return count == 0 || 2 * count > read.size()
             ? ""
             : fmt::format("check the lines: {} of the {} that the rules read mention a validation",
                           count,
                           read.size());
}

// Absent for what is no time.
std::optional<double> seconds_of(const Figure& figure) {
  std::string number = figure.printed;
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

// The number of the step that the rule reads in a line.
std::optional<std::int64_t> step_in(const std::string& line, const re2::RE2& pattern) {
  const auto group = pattern.NamedCapturingGroups().find("step");
  std::vector<re2::StringPiece> found(1U +
                                      static_cast<std::size_t>(pattern.NumberOfCapturingGroups()));
  const bool is_read =
      group != pattern.NamedCapturingGroups().end() &&
      pattern.Match(
          line, 0, line.size(), re2::RE2::UNANCHORED, found.data(), static_cast<int>(found.size()));
  return is_read ? parse_integer(found[static_cast<std::size_t>(group->second)].as_string())
                 : std::nullopt;
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

}  // namespace

std::string note_choice(const StepColumn& chosen, const std::vector<StepColumn>& columns) {
  constexpr std::size_t most = 4;
  std::vector<std::string> others;
  for (const StepColumn& column : columns) {
    if (others.size() < most && column.score == chosen.score && 2 * column.lines >= chosen.lines &&
        column.figure.before + column.figure.after != chosen.figure.before + chosen.figure.after) {
      others.push_back("'" + name_of(column.figure) + "'");
    }
  }
  const std::string name = name_of(chosen.figure);
  return !others.empty() ? fmt::format("check the column: the rule reads '{}'; equally likely: {}",
                                       name,
                                       join(others, ", "))
         : chosen.is_repeated ? fmt::format(
                                    "check the column: lines have several numbers like '{}', "
                                    "and the rule reads one",
                                    name)
                              : "";
}

std::vector<std::string> note_lines(const StepColumn& column,
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
  std::vector<std::string> notes{note_unread(column, has_step, read, unread),
                                 note_validation(read),
                                 note_part(column, read),
                                 note_interval(column, rules.front(), read)};
  std::erase(notes, "");
  return notes;
}

}  // namespace scalestudy
