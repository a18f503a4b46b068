#include "harness/run/outcome/guess_rules.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/run/outcome/extract.h"
#include "harness/run/output/terminal_text.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parse.h"
#include "harness/study/sections/extract_presets.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostLines = 5000;  // that are looked at
constexpr std::size_t kMostBytes = 2000;  // of such a line; longer ones are passed over

// A number in a line, with what stands around it.
struct Figure {
  std::string before;  // the line up to the number, other numbers as #
  std::string words;   // of that the words directly before it, which name it: ", time "
  std::string after;   // the unit behind it as printed, with the space before: " ms"
  std::string unit;    // the unit as a rule has it, by `after` or the name; "" if there is none
};

// How numbers of one kind look, and where.
struct Column {
  Figure figure;
  int score = 0;
  std::size_t lines = 0;
  std::vector<std::string> examples;
};

std::string small(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(c < 128 ? std::tolower(c) : c);
  });
  return text;
}

bool has(const std::string& text, const char* pattern) {
  return re2::RE2::PartialMatch(text, pattern);
}

// The unit of a rule for what stands behind a number; "" for anything else.
std::string rule_unit(const std::string& after) {
  const std::string text = small(after);
  const std::vector<std::pair<const char*, const char*>> units{
      {" ?(ms|msecs?|milliseconds?)(/(it|iter|step|batch))?", "ms"},
      {" ?(us|\xc2\xb5s|\xce\xbcs|usecs?|microseconds?)(/(it|iter|step|batch))?", "us"},
      {" ?(s|secs?|seconds?)(/(it|iter|step|batch))?", "s"},
      {" ?(min|minutes?)", "min"},
      {" ?(it|its|iters?|iterations?|steps?|batch|batches)/(s|sec|second)", "it/s"},
      {" ?(tok|toks|tokens?)/(s|sec|second)", "tokens/s"},
      {" ?(samples?|images?|imgs?|examples?|seqs?|sequences?)/(s|sec|second)", "samples/s"}};
  for (const auto& [pattern, unit] : units) {
    if (re2::RE2::FullMatch(text, pattern)) {
      return unit;
    }
  }
  return "";
}

// The unit in a number's name: "time_ms=", "\"step_s\": ", "time (ms): ", "SamplesPerSec=".
std::string unit_in_name(const std::string& words) {
  std::string unit;
  if (re2::RE2::PartialMatch(
          small(words),
          "([a-z]+)[ _]?per[ _]?s(?:ec|econd)?(?:[ _]?per[ _]?[a-z]+)?[\"']? ?[:=]? ?[\"']?$",
          &unit)) {
    for (const char* amount : {"tokens", "samples", "images", "steps", "iterations"}) {
      if (unit.ends_with(amount)) {
        return rule_unit(std::string(amount) + "/s");
      }
    }
  }
  return re2::RE2::PartialMatch(
             small(words), "(?:[_ (\\[])(ms|us|s|sec|seconds)[)\\]]?[\"']? ?[:=]? ?[\"']?$", &unit)
             ? rule_unit(unit)
             : "";
}

// How much a number looks like the time of a step; 0 if it does not.
int score_of(const Figure& figure) {
  const std::string name = small(figure.words);
  const bool is_time = has(name, "\\b(dt|took|takes)\\b|tim(es?|ings?)([^a-z]|$)|duration|latency");
  const bool is_of_step = has(name,
                              "(step|iter|iteration|batch)[ _/]*(time|dt|duration)|per[ _]?"
                              "(step|iter|batch)|time[ _/]*per") ||
                          has(small(figure.after), "/(it|iter|step|batch)$");
  const bool is_other = has(name,
                            "loss|\\blr\\b|acc|norm|mem|eta|epoch|total|remain|data|load|"
                            "forward|backward|eval|val|compile|save|checkpoint|init|running");
  const bool is_rate = figure.unit.find('/') != std::string::npos;
  if (figure.unit.empty() && !is_time && !is_of_step) {
    return 0;
  }
  const int score = (figure.unit.empty() ? 1
                     : is_rate           ? 4
                                         : 5) +
                    (is_of_step ? 4 : 0) + (is_time ? 2 : 0) - (is_other ? 5 : 0) -
                    (has(name, "elapsed") ? 2 : 0);
  return std::max(score, 0);
}

// The unit that stands right behind a number, as it is printed, with the space before it.
std::string unit_behind(const std::string& rest) {
  std::string after;
  return re2::RE2::PartialMatch(
             rest, "^( ?[A-Za-z\xc2\xb5\xce\xbc]+(?:/[A-Za-z]+)?)(?:[^A-Za-z0-9_/]|$)", &after) &&
                 !rule_unit(after).empty()
             ? after
             : "";
}

// The numbers of a line, from left to right, without those that begin a time of day or "0:12:34".
std::vector<Figure> figures_of(const std::string& line) {
  static const re2::RE2 kFigure("(?:^|[^A-Za-z0-9_.])([0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)");
  std::vector<Figure> figures;
  re2::StringPiece number;
  std::size_t end = 0;  // of the number before, and its unit
  std::string before;
  re2::StringPiece rest(line);
  while (re2::RE2::FindAndConsume(&rest, kFigure, &number)) {
    const auto begin = static_cast<std::size_t>(number.data() - line.data());
    if (begin < end) {
      continue;
    }
    Figure figure{.before = {}, .words = line.substr(end, begin - end), .after = {}, .unit = {}};
    while (figure.words.ends_with('-') || figure.words.ends_with('+')) {
      figure.words.pop_back();  // a sign
    }
    figure.before = before + figure.words;
    figure.after = unit_behind(line.substr(begin + number.size()));
    figure.unit = figure.after.empty() ? unit_in_name(figure.words) : rule_unit(figure.after);
    before = figure.before + "#" + figure.after;
    end = begin + number.size() + figure.after.size();
    if (!re2::RE2::PartialMatch(line.substr(end), "^:[0-9]")) {
      figures.push_back(std::move(figure));
    }
  }
  return figures;
}

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

// Text as a pattern: any run of spaces, and the rest as it stands.
std::string as_pattern(const std::string& text) {
  std::string pattern;
  for (const char c : text) {
    if (c == ' ') {
      pattern += pattern.ends_with(" +") ? "" : " +";
    } else if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) {
      pattern += std::string("\\") + c;
    } else {
      pattern += c;
    }
  }
  return pattern;
}

// A pattern for the numbers of a column: the word that the line begins with, if it does, with the
// number of the step if that follows, the words before the number and its unit.
std::string pattern_of(const Figure& figure, bool has_step) {
  constexpr std::size_t most_words = 40;
  std::string words = figure.words;
  if (words.size() > most_words) {
    const std::size_t space = words.find(' ', words.size() - most_words);
    words = space == std::string::npos ? words : words.substr(space);
  }
  const bool is_first = figure.before == figure.words;
  std::string begin;
  if (is_first && words == figure.words) {
    begin = "^";
  } else if (has_step && re2::RE2::PartialMatch(
                             figure.before, "^( *(?i:step|iter|iteration)[ :=]+)#", &begin)) {
    begin = "^" + as_pattern(begin) + "(?<step>\\d+)\\b.*";
  } else if (!is_first) {
    re2::RE2::PartialMatch(figure.before, "^( *[A-Za-z_]+)", &begin);
    begin = begin.empty() ? "" : "^" + as_pattern(begin) + "\\b.*";
  }
  return begin + as_pattern(words) + "(?<value>[0-9.eE+-]+)" + as_pattern(figure.after);
}

struct FoundSteps {
  std::vector<double> times;
  std::string problem;  // the first that the rules have with the output
};

FoundSteps find_steps(const ProgramOutput& output, const std::vector<ExtractRule>& rules) {
  std::istringstream out(output.out);
  std::istringstream err(output.err);
  const Steps steps{.warmup = 0, .measured = 1, .is_open = true};
  const protocol::Record record =
      extract_samples({.out = out, .err = err, .wall_s = 1.0}, rules, steps, {});
  FoundSteps found{.times = {}, .problem = record.problems.empty() ? "" : record.problems.front()};
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == names::kStepTime && !samples->rank) {
      found.times = samples->values;
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
      best = {.preset = name.text,
              .rules = rules,
              .needs_amount = needs_amount(rules),
              .steps = found.times.size(),
              .problem = std::move(found.problem),
              .examples = {}};
    }
  }
  for (const ExtractRule& rule : best.rules) {
    if (best.examples.empty() && rule.metric == names::kStepTime && !rule.regex.empty()) {
      best.examples = matching_lines(output, rule.regex);
    }
  }
  return best;
}

// The column that looks most like step times; of equals the one with more lines.
std::optional<Column> best_column(const std::vector<std::string>& lines) {
  std::map<std::string, Column> columns;
  for (const std::string& line : lines) {
    if (line.find(":::MLLOG ") != std::string::npos) {
      continue;  // its "time_ms" is a time stamp; a value in it is read by the preset or by name
    }
    for (Figure& figure : figures_of(line)) {
      if (const int score = score_of(figure); score > 0) {
        Column& column = columns[figure.before + "\n" + figure.after];
        column.figure = std::move(figure);
        column.score = score;
        ++column.lines;
      }
    }
  }
  std::optional<Column> best;
  for (const auto& [key, column] : columns) {
    const auto rank = [](const Column& one) {
      return std::pair(one.score + (one.lines > 1 ? 3 : 0), one.lines);
    };
    if (!best || rank(column) > rank(*best)) {
      best = column;
    }
  }
  return best;
}

// A rule for what the lines of the step times call a loss.
std::optional<ExtractRule> loss_rule(const std::vector<std::string>& examples, bool has_step) {
  for (const std::string& line : examples) {
    for (Figure& figure : figures_of(line)) {
      if (figure.unit.empty() && has(small(figure.words), "\\bloss\\b[\"']?[ :=(]*$")) {
        figure.after.clear();
        ExtractRule rule;
        rule.metric = "loss";
        rule.unit = "1";
        rule.regex = pattern_of(figure, has_step);
        return rule;
      }
    }
  }
  return std::nullopt;
}

ExtractRule rule_of(const Column& column, bool has_step) {
  ExtractRule rule;
  rule.metric = names::kStepTime;
  rule.unit = column.figure.unit.empty() ? "s" : column.figure.unit;
  rule.regex = pattern_of(column.figure, has_step);
  return rule;
}

// The rule as a study has it once it was read, with an amount of a step if it needs one.
ExtractRule ready(ExtractRule rule) {
  const ExtractPattern compiled = parse_extract_pattern(rule.regex, "");
  rule.regex = compiled.regex;
  rule.group = compiled.group;
  rule.per_step = needs_amount({rule}) ? "1" : "";
  return rule;
}

// Whether each of six or more times is above the one before: they count from the start of the run.
// By chance that is one case in 720.
bool are_since_start(const std::vector<double>& times) {
  constexpr std::size_t few = 6;
  return times.size() >= few &&
         std::ranges::adjacent_find(times, std::greater_equal<>()) == times.end();
}

// Whether all are above three years: readings of a clock.
bool are_time_stamps(const std::vector<double>& times) {
  constexpr double three_years_s = 1e8;
  return std::ranges::all_of(times, [](double time) { return time > three_years_s; });
}

}  // namespace

GuessedRules guess_rules(const ProgramOutput& output) {
  if (GuessedRules preset = find_preset(output); preset.steps > 0) {
    return preset;
  }
  for (const std::string* text : {&output.out, &output.err}) {
    const std::optional<Column> column = best_column(lines_of(*text));
    if (!column) {
      continue;
    }
    const bool has_step =
        find_steps(output, {ready(rule_of(*column, /*has_step=*/true))}).problem.empty();
    ExtractRule rule = rule_of(*column, has_step);
    const std::vector<double> times = find_steps(output, {ready(rule)}).times;
    rule.is_difference = are_since_start(times);
    GuessedRules guess{.preset = {},
                       .rules = {rule},
                       .needs_amount = needs_amount({rule}),
                       .steps = find_steps(output, {ready(rule)}).times.size(),
                       .problem = {},
                       .examples = matching_lines(output, rule.regex)};
    if (guess.steps == 0 || (are_time_stamps(times) && !rule.is_difference)) {
      continue;
    }
    if (std::optional<ExtractRule> loss = loss_rule(guess.examples, has_step)) {
      guess.rules.push_back(*std::move(loss));
    }
    return guess;
  }
  return {};
}

}  // namespace scalestudy
