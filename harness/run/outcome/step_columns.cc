#include "harness/run/outcome/step_columns.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <re2/re2.h>

#include "harness/run/outcome/line_kinds.h"
#include "harness/run/values/printed_unit.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostWords = 40;  // bytes of a name that a pattern has

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

// The words directly before the number; of many the last.
std::string last_words(const Figure& figure) {
  if (figure.words.size() <= kMostWords) {
    return figure.words;
  }
  const std::size_t space = figure.words.find(' ', figure.words.size() - kMostWords);
  return space == std::string::npos ? figure.words : figure.words.substr(space);
}

// Whether the number is printed as a time of each step: "s/it", "ms_per_step".
bool is_per_step(const Figure& figure) {
  static const re2::RE2 kName("(per[ _]?|[^a-z]m?s/|sec/)(it|iter|step|batch)");
  static const re2::RE2 kAfter("(/| per )(it|iter|iteration|step|batch)$");
  return has(lowered(figure.words), kName) || has(lowered(figure.after), kAfter);
}

// Times with a unit come before steps/s, these before times without one. A rate of samples needs to
// be told how many a step has, so that it comes last.
int unit_score(const Figure& figure) {
  const int of_rate = figure.unit == "it/s" ? 4 : 2;
  return figure.unit.empty() ? 1 : is_rate(figure) ? of_rate : 5;
}

// Whether the number is called the time of a step.
bool is_of_step(const Figure& figure) {
  static const re2::RE2 kTimeOfStep(
      "(step|iter|iteration|batch)[ _/]*((run)?time|dt|duration|latency|cost|took)|"
      "time/(it|iter|step|batch)");
  static const re2::RE2 kStep("(step|iter|iteration|batch)[\"']?[ :=]*$");
  const std::string name = lowered(figure.words);
  const bool has_time = !figure.unit.empty() && !is_rate(figure);
  return is_per_step(figure) || has(name, kTimeOfStep) || (has_time && has(name, kStep));
}

// The number of the epoch in a line: "3" of "Epoch [3/90]"; "" if it has none, or 3.25.
std::string epoch_in(const std::string& line) {
  static const re2::RE2 kEpoch("(?i)\\bepoch\\W{0,4}(\\d+)(?:[^0-9.]|\\.\\D|\\.?$)");
  std::string number;
  re2::RE2::PartialMatch(line, kEpoch, &number);
  return number;
}

// Whether the line of a number, or its name, says which epoch it is of, and no step of that:
// "Epoch [3/90] loss 2.3 time 41.5s", not "Epoch: [3][ 10/50] Time 0.81".
bool names_epoch(const Figure& figure, const std::string& line) {
  static const re2::RE2 kName(
      "epoch[ _]*(?:time|duration|took|cost)|time[ _/]*(?:per[ _]|of )?epoch");
  static const re2::RE2 kStepOfIt(
      "(?i)\\bepoch\\W{0,4}\\d+\\b(?:[^0-9A-Za-z][^A-Za-z]*\\d ?/ ?\\d|"
      "\\D.*\\b(?:step|iter|iteration)\\W{0,4}\\d)");
  return !is_of_step(figure) &&
         (has(lowered(figure.words), kName) || (!epoch_in(line).empty() && !has(line, kStepOfIt)));
}

// How much a number looks like the time of a step; 0 if it does not.
int score_of(const Figure& figure) {
  static const re2::RE2 kOther(
      "loss|\\blr\\b|acc|norm|mem|eta|epoch|remain|eval|(?:^|[^r])val|\\btest|compile|save|"
      "checkpoint|init|running|(per[ _]?|/)(tok|sample|image|img|seq)");
  static const re2::RE2 kLatest("(?:^|[^a-z])(?:last|curr)");  // beside a mean of all so far
  static const re2::RE2 kMean("(?:^|[^a-z])(?:avg|average|mean)");
  static const re2::RE2 kToCome("(?:remain[a-z]*|\\beta|time left)[ a-z_]*[\"']?[ :=]*$");
  static const re2::RE2 kDate("\\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec) +$");
  const std::string name = lowered(figure.words);
  const bool is_date = figure.unit.empty() && has(name, kDate);
  const bool is_time = names_time(figure.words);
  const bool is_step = is_of_step(figure);
  if (figure.is_elapsed || is_date || has(name, kToCome) ||
      (figure.unit.empty() && !is_time && !is_step) ||
      (figure.is_per_device && figure.unit == "it/s")) {
    return 0;
  }
  const bool is_other = has(name, kOther);
  int score = unit_score(figure) + (is_step ? 4 : 0) + (is_time ? 2 : 0);
  score -= is_other || is_of_part(figure) ? 5 : 0;
  score -= figure.is_per_device ? 1 : 0;
  score += (has(name, kLatest) ? 1 : 0) - (score > 1 && has(name, kMean) ? 1 : 0);
  if (!is_rate(figure)) {
    score -= name.find("total") != std::string::npos     ? 3
             : name.find("elapsed") != std::string::npos ? 2
                                                         : 0;  // of the whole run
  }
  return std::max(score, 0);
}

// Three times or more, each of which is above the one before by about as much as the first is above
// 0: "12.5", "24.8", "37.2".
bool are_even_from_zero(const std::vector<double>& times) {
  constexpr std::size_t few = 3;
  constexpr double most = 1.5;  // of the usual rise, and as much the other way
  const double usual = times.empty() ? 0.0 : times.back() / static_cast<double>(times.size());
  double before = 0.0;
  return times.size() >= few && std::ranges::all_of(times, [&](double time) {
           const double rise = time - std::exchange(before, time);
           return rise > 0.0 && rise <= most * usual && usual <= most * rise;
         });
}

// What comes again is more likely a step. Of those, the time of an epoch comes last.
int rank_of(const StepColumn& column) {
  constexpr int below_steps = 7;  // the least that comes again has; best_first() puts it first
  const int rank = column.score + (column.lines > 1 ? 6 : 0);
  return column.is_of_epoch() ? std::min(rank, below_steps) : rank;
}

std::vector<StepColumn> best_first(std::map<std::string, StepColumn>& columns,
                                   const std::vector<std::string>& order,
                                   bool are_cut) {
  std::vector<StepColumn> sorted;
  for (const std::string& key : order) {
    if (columns.at(key).figure.is_cut == are_cut) {
      sorted.push_back(columns.at(key));
    }
  }
  const auto order_of = [](const StepColumn& column) {
    const bool is_again = column.lines > 1;
    return std::tuple(rank_of(column),
                      is_again,
                      is_again && !column.is_of_epoch(),
                      column.score,
                      !column.is_validation,
                      column.lines);
  };
  std::ranges::stable_sort(sorted, [&](const StepColumn& one, const StepColumn& other) {
    return order_of(one) > order_of(other);
  });
  return sorted;
}

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// The values and their words as patterns, the longest first. One letter may be any word's.
std::vector<std::string> patterns_of(const std::vector<std::string>& values) {
  std::set<std::string> words;
  for (const std::string& value : values) {
    if (value.find(' ') == std::string::npos && std::ranges::any_of(value, is_letter_or_digit)) {
      words.insert(value);
    }
    std::string word;
    for (const char c : value + " ") {
      if (is_letter_or_digit(c)) {
        word += c;
      } else {
        words.insert(std::exchange(word, ""));
      }
    }
  }
  std::vector<std::string> patterns;
  for (const std::string& word : words) {
    if (word.size() > 1) {
      patterns.push_back(lowered(as_pattern(word)));
    }
  }
  std::ranges::stable_sort(patterns, std::ranges::greater(), &std::string::size);
  return patterns;
}

// Takes another figure of the column into it, of the same line or of a further one.
void add_figure(const Figure& figure, bool is_first_of_line, StepColumn& column) {
  column.figure.has_commas |= figure.has_commas;
  if (figure.has_decimal_comma != column.figure.has_decimal_comma) {
    column.figure = figure.has_decimal_comma ? figure : column.figure;
    column.figure.is_cut = true;
  }
  column.is_repeated |= !is_first_of_line;
  column.lines += is_first_of_line ? 1 : 0;
}

// The numbers of a line that may be step times.
std::vector<Figure> likely_figures(const std::string& line) {
  if (line.find(":::MLLOG ") != std::string::npos) {
    return {};  // its "time_ms" is a time stamp; a value in it is read by the preset or by name
  }
  std::vector<Figure> figures = figures_of(line);
  std::erase_if(figures, [](const Figure& figure) { return score_of(figure) == 0; });
  return figures;
}

}  // namespace

StepColumns find_columns(const std::vector<std::string>& lines) {
  std::map<std::string, LineKinds> kinds;  // by place, whatever the unit
  for (const std::string& line : lines) {
    for (const Figure& figure : likely_figures(line)) {
      kinds[place_of(figure, /*has_step=*/true)].add(figure, line);
    }
  }
  std::map<std::string, StepColumn> columns;
  std::map<std::string, std::string> epochs;  // of the last line of a column
  std::vector<std::string> order;             // keys as they came
  for (const std::string& line : lines) {
    std::set<std::string> seen;
    for (Figure& figure : likely_figures(line)) {
      const std::string place = place_of(figure, /*has_step=*/true);
      const LineKinds& kind = kinds[place];
      if (!kind.is_meant(figure, line)) {
        continue;
      }
      figure.among = kind.among();
      const std::string key = place + (figure.is_cut ? "\n\n" : "\n") + figure.after;
      const auto [found, is_new] =
          columns.try_emplace(key,
                              StepColumn{.figure = figure,
                                         .line = line,
                                         .score = score_of(figure),
                                         .is_part = is_of_part(figure),
                                         .is_per_step = is_per_step(figure),
                                         .names_epoch = names_epoch(figure, line),
                                         .is_validation = is_of_validation(figure)});
      if (is_new) {
        order.push_back(key);
      }
      StepColumn& column = found->second;
      const bool is_first = seen.insert(key).second;
      if (is_first) {
        const std::string epoch = epoch_in(line);
        const std::string before = std::exchange(epochs[key], epoch);
        column.has_epoch_again |= !epoch.empty() && epoch == before;
      }
      add_figure(figure, is_first, column);
    }
  }
  return {.whole = best_first(columns, order, /*are_cut=*/false),
          .cut = best_first(columns, order, /*are_cut=*/true)};
}

// Six or more times of which each is above the one before count from the start of the run; by
// chance that is one case in 720. Twelve times or more may begin again every six or more; by chance
// that is one case in 100,000 (Eulerian numbers: 4083 of 12! orders have one descent).
// Steps that become slower one by one rise as well: their sum fits into the time of the command,
// and the first is long beside the rises. Fewer times count from the start if they do so evenly.
Counting counting_of(const std::vector<double>& times, double wall_s) {
  constexpr std::size_t few = 6;
  constexpr double long_beside = 3.0;
  std::size_t descents = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    descents += times[i] <= times[i - 1] ? 1 : 0;
  }
  if (times.size() < few * (descents + 1)) {
    return are_even_from_zero(times) ? Counting::kFromStart : Counting::kNone;
  }
  if (descents > 0) {
    return Counting::kAgain;
  }
  const double rise = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  const bool fits = std::reduce(times.begin(), times.end()) <= wall_s;
  return fits && times.front() > long_beside * rise ? Counting::kNone : Counting::kFromStart;
}

bool is_rate(const Figure& figure) {
  return figure.unit.find('/') != std::string::npos;
}

bool is_of_part(const Figure& figure) {
  static const re2::RE2 kPart(
      "reader|data|(^|[^kn])load|fwd|forward|bwd|backward|optim|comput|h2d|allreduce|all_reduce|"
      "comm([^a-z]|unic)");
  return has(lowered(figure.words), kPart);
}

bool is_rate_of_bar(const Figure& figure) {
  static const re2::RE2 kBar("#/# \\[#<[#?], +$");
  return has(figure.before, kBar);
}

std::string bar_length(const std::string& line) {
  static const re2::RE2 kBar("\\d+/(\\d+)(?: \\[| \xe2\x94\x81| +[0-9.]+(?:it/s|s/it))");
  std::string length;
  re2::RE2::PartialMatch(line, kBar, &length);
  return length;
}

bool is_better(const StepColumn& one, const StepColumn& other) {
  return rank_of(one) > rank_of(other);
}

std::string place_of(const Figure& figure, bool has_step) {
  static const re2::RE2 kStep("^( *(?i:step|iter|iteration)[ :=]+)#");
  // After what a logger or a launcher puts before the line; a step of an epoch begins again in
  // each.
  static const re2::RE2 kLater("^.*[^\\w]((?i:step|iter|iteration)[ :=]+)#");
  static const re2::RE2 kTrainingStep("(?i)(?:\\b|_)train.*[^\\w](?:step|iter|iteration)[ :=]+#");
  static const re2::RE2 kEpoch("(?i)epoch");
  static const re2::RE2 kFirst("^( *[A-Za-z_]+)\\b");
  const std::string words = last_words(figure);
  const bool is_first = figure.before == figure.words;
  std::string begin;
  if (is_first && words == figure.words) {
    begin = "^";
  } else if (has_step && re2::RE2::PartialMatch(figure.before, kStep, &begin)) {
    begin = "^" + as_pattern(begin) + "(?<step>\\d+)\\b.*";
  } else if (has_step && re2::RE2::PartialMatch(figure.before, kLater, &begin) &&
             !has(figure.before, kEpoch)) {
    begin = "\\b" + as_pattern(begin) + "(?<step>\\d+)\\b.*";
  } else if (!is_first) {
    re2::RE2::PartialMatch(figure.before, kFirst, &begin);
    begin = begin.empty() ? "" : "^" + as_pattern(begin) + "\\b.*";
  }
  if (!figure.among.empty() && !has(begin, re2::RE2(figure.among))) {  // "^train" says it
    const bool is_before =
        begin.empty() || (begin.starts_with("\\b") && has(figure.before, kTrainingStep));
    begin = is_before ? figure.among + ".*" + begin : begin + figure.among + ".*";
  }
  return begin + as_pattern(words);
}

std::string pattern_of(const Figure& figure, bool has_step) {
  return place_of(figure, has_step) +
         (figure.has_decimal_comma ? "(?<value>[0-9.]*[0-9,]+)"
          : figure.has_commas      ? "(?<value>[0-9,]*[0-9.]+)"
                                   : "(?<value>[0-9.eE+-]+)") +
         as_pattern(figure.after);
}

std::string with_not_finite(std::string pattern) {
  constexpr std::string_view group = "(?<value>";
  const std::size_t begin = pattern.find(group) + group.size();
  const std::size_t end = pattern.find(')', begin) + 1;
  const bool is_attached = end < pattern.size() && is_letter_or_digit(pattern[end]);  // "41ms"
  return pattern.insert(
      begin, is_attached ? "[+-]?(?i:nan|inf(?:inity)?)|" : "[+-]?(?i:nan|inf(?:inity)?)\\b|");
}

std::string without_values(const std::string& pattern, const std::vector<std::string>& values) {
  const std::vector<std::string> words = patterns_of(values);
  const std::string text = lowered(pattern);
  const std::size_t end = text.find("(?<value>");
  std::string loose;
  bool is_in_word = false;
  for (std::size_t at = 0; at < pattern.size();) {
    const auto word = std::ranges::find_if(words, [&](const std::string& one) {
      const std::size_t behind = at + one.size();
      return text.compare(at, one.size(), one) == 0 && behind <= end &&
             (behind == text.size() || !is_letter_or_digit(text[behind]));
    });
    if (!is_in_word && word != words.end()) {
      loose += "\\S+";
      at += word->size();
      continue;
    }
    const std::size_t next = text.compare(at, 3, "(?<") == 0 ? text.find(')', at) + 1
                             : text[at] == '\\'              ? at + 2
                                                             : at + 1;
    is_in_word = next == at + 1 && is_letter_or_digit(text[at]);
    loose += pattern.substr(at, next - at);
    at = next;
  }
  return loose;
}

std::string name_of(const Figure& figure) {
  const std::string text = last_words(figure) + figure.printed + figure.after;
  const std::size_t begin = text.find_first_not_of(" \t,;|-:)]");
  return begin == std::string::npos ? text : text.substr(begin);
}

}  // namespace scalestudy
