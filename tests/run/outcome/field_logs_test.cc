// Public logs against values that were read off by hand: tests/fixtures/field-logs.yaml.
#include <algorithm>
#include <map>
#include <sstream>

#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/guess_rules.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parse.h"
#include "harness/yaml/yaml_tree.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;

namespace {

using Values = std::map<std::string, std::vector<double>>;

std::vector<YamlNode> field_logs() {
  std::vector<Problem> problems;
  const YamlNode logs = parse_yaml(
      scalestudy::test::read_file(SCALESTUDY_SOURCE_DIR "/tests/fixtures/field-logs.yaml"),
      problems);
  CHECK(problems.empty());
  return logs.items;
}

Study study_of(const YamlNode& log) {
  std::vector<Problem> problems;
  YamlNode study = parse_yaml(
      "version: 1\nstudy: s\nworkload: command\ncommand: [cat]\naxes: {devices: [1]}\n"
      "steps: {warmup: 0, measured: rest}\nextract: []\n",
      problems);
  *study.find("extract") = *log.find("extract");
  const std::string text = emit_yaml(study);
  const ParsedStudy parsed = parse_study(text, "s.yaml", {});
  CHECK(format_problems(parsed.problems, text, "s.yaml").empty());
  return parsed.study;
}

// What the log's rules find in it.
protocol::Record record_of(const YamlNode& log) {
  const Study study = study_of(log);
  std::istringstream out(log.find("lines")->text);
  std::istringstream err;
  return extract_samples({.out = out, .err = err}, study.extract, study.steps, {});
}

// The values of all metrics but those of the whole command.
Values values_of(const protocol::Record& record, const Values& metrics) {
  Values values;
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && !samples->rank && metrics.contains(samples->metric)) {
      values[samples->metric] = samples->values;
    }
  }
  return values;
}

std::vector<double> numbers(const YamlNode& list) {
  std::vector<double> values;
  for (const YamlNode& number : list.items) {
    values.push_back(std::stod(number.text));
  }
  return values;
}

// The values that the table has for a log.
Values expected(const YamlNode& log) {
  Values values;
  const YamlNode& reads = *log.find("reads");
  for (std::size_t i = 0; i < reads.keys.size(); ++i) {
    values[reads.keys[i].text] = numbers(reads.items[i]);
  }
  return values;
}

// The step times that a guessed rule may find in a log; none if there are no such.
Values expected_guess(const YamlNode& log) {
  const YamlNode* times = log.find("guess");
  if (const YamlNode* reads = log.find("reads"); times == nullptr && reads != nullptr) {
    times = reads->find("step_time_s");
  }
  return {{"step_time_s", times == nullptr ? std::vector<double>{} : numbers(*times)}};
}

std::string all_said(const protocol::Record& record) {
  std::string text;
  for (const auto* list : {&record.problems, &record.notes}) {
    for (const std::string& one : *list) {
      text += one + "\n";
    }
  }
  return text;
}

// Whether something is wrong with the output, or a warning is made of how its lines follow.
bool is_warned_of(const protocol::Record& record) {
  const auto* end = std::get_if<protocol::End>(&record.events.back());
  return !record.problems.empty() || (end != nullptr && (end->facts.contains("resumptions") ||
                                                         end->facts.contains("repeated_lines")));
}

// Whether the problems, the notes or the name of a fact that a warning is made of have the text.
bool is_told(const protocol::Record& record, const std::string& text) {
  const auto* end = std::get_if<protocol::End>(&record.events.back());
  return all_said(record).find(text) != std::string::npos ||
         (end != nullptr && end->facts.contains(text));
}

bool are_near(const Values& found, const Values& wanted) {
  return std::ranges::equal(found, wanted, [](const auto& one, const auto& other) {
    return one.first == other.first &&
           std::ranges::equal(one.second, other.second, [](double value, double by_hand) {
             return value == Approx(by_hand).epsilon(2e-6);
           });
  });
}

TEST_CASE("public logs are read as a person reads them, or not without a word", "[run]") {
  const std::vector<YamlNode> logs = field_logs();
  CHECK(logs.size() == 40);
  for (const YamlNode& log : logs) {
    const protocol::Record record = record_of(log);
    INFO(log.find("log")->text);
    INFO(all_said(record));
    if (const YamlNode* told = log.find("told")) {
      CHECK(is_told(record, told->text));
    } else {
      CHECK(all_said(record).empty());
      const Values wanted = expected(log);
      CHECK(are_near(values_of(record, wanted), wanted));
    }
  }
}

// A rate of samples or tokens is proposed in a comment, until somebody says how many a step has.
TEST_CASE("rules guessed from public logs read what a person reads, or are told of", "[run]") {
  for (const YamlNode& log : field_logs()) {
    const std::string& lines = log.find("lines")->text;
    GuessedRules guess = guess_rules({.out = lines, .err = ""});
    INFO(log.find("log")->text);
    if (guess.rules.empty() || guess.needs_amount) {
      continue;
    }
    if (guess.preset.empty()) {
      for (ExtractRule& rule : guess.rules) {
        const ExtractPattern pattern = parse_extract_pattern(rule.regex, "");
        rule.regex = pattern.regex;
        rule.group = pattern.group;
      }
    }
    std::istringstream out(lines);
    std::istringstream err;
    const protocol::Record record =
        extract_samples({.out = out, .err = err}, guess.rules, {.warmup = 0, .is_open = true}, {});
    INFO(guess.preset << guess.rules[0].regex << all_said(record));
    const Values wanted = expected_guess(log);
    CHECK((is_warned_of(record) || are_near(values_of(record, wanted), wanted)));
  }
}

}  // namespace
