#include "harness/run/outcome/extract.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/run/outcome/settled_values.h"
#include "harness/run/outcome/stored_rule.h"
#include "harness/run/outcome/watched_conditions.h"
#include "harness/run/output/output_text.h"
#include "harness/run/output/step_numbers.h"
#include "harness/run/values/condition_check.h"
#include "harness/study/matrix/command.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kProblems = 100;

// What was found of one metric, by its rules in order.
struct MetricReader {
  std::string metric;
  std::string unit;
  std::vector<StoredRule> rules;
  std::vector<ConditionCheck> conditions;
  bool reads_steps = false;  // one of the rules does
  bool has_means = false;    // a line is about all steps since the line before
  RankValues found;
  RepeatedLines repeated;          // of a time of steps that no rule reads the number of
  NumberedValues all;              // over all ranks, once settle_ranks() has made them
  std::optional<int> warmup;       // of `all`, once settle_steps() has found it by steps' numbers
  bool is_settled = false;         // a stream has been read in which something matched
  std::string unread;              // what they could not read where they looked: "; stdout is ..."
  std::vector<std::string> early;  // problems that are none if the metric has a warm-up
  bool is_bad = false;             // a value is missing where one has to be
};

void note(protocol::Record& record, std::string problem) {
  if (record.problems.size() < kProblems) {
    record.problems.push_back(std::move(problem));
  }
}

// One reader for each metric, in the order of the rules. Rules without use are problems.
std::vector<MetricReader> make_readers(const std::vector<ExtractRule>& rules,
                                       const TrialOutput& output,
                                       const Parameters& parameters,
                                       protocol::Record& record) {
  std::vector<MetricReader> readers;
  for (const ExtractRule& rule : rules) {
    auto reader = std::ranges::find(readers, rule.metric, &MetricReader::metric);
    if (reader == readers.end()) {
      reader = readers.insert(readers.end(), MetricReader{});
      reader->metric = rule.metric;
      reader->unit = stored_unit(rule).unit;
    }
    if (rule.from == ExtractSource::kWallTime) {
      reader->found.by_rank[std::nullopt].values = {output.wall_s};
      reader->is_settled = true;
      continue;
    }
    try {
      reader->rules.emplace_back(rule, parameters);
      reader->reads_steps |= reads_steps(rule);
      reader->has_means |= rule.is_difference || rule.unit.find('/') != std::string::npos;
      for (const OutputCondition& condition : rule.conditions) {
        reader->conditions.emplace_back(condition);
      }
    } catch (const BadPattern& error) {
      note(record, fmt::format("extract: {}: '{}': {}", rule.metric, rule.regex, error.what()));
    }
  }
  return readers;
}

// A line, or a document of several.
struct Passage {
  const std::string& text;
  std::size_t line = 0;  // its number, from 1
  JsonForm form = JsonForm::kLines;
};

// The first rule that matches the passage gives the metric's value.
void feed(MetricReader& reader,
          const Source& source,
          const Passage& passage,
          const Steps& steps,
          protocol::Record& record) {
  const auto told = [&](const std::string& what) {
    return fmt::format("{} line {}: {}: {}", source.name(), passage.line, reader.metric, what);
  };
  if (passage.form == JsonForm::kLines) {
    for (ConditionCheck& condition : reader.conditions) {
      condition.feed(passage.text, source.name(), passage.line);
    }
  }
  try {
    for (StoredRule& rule : reader.rules) {
      if (!looks_at(rule.rule(), source) || rule.rule().json != passage.form) {
        continue;
      }
      const std::vector<FoundNumbers> all = rule.feed(passage.text, reader.found);
      if (all.size() == 1 && reader.metric == names::kStepTime && !reader.reads_steps) {
        reader.repeated.feed(passage.text, all[0].rank, all[0].numbers);
      }
      if (!all.empty()) {
        break;
      }
    }
  } catch (const BadValue& bad) {
    reader.is_settled = true;
    record.has_bad_numbers |= dynamic_cast<const BadNumber*>(&bad) != nullptr;
    note(record, told(bad.what()));
  }
  for (const MissingValue& missing : std::exchange(reader.found.missing, {})) {
    if (missing.index >= static_cast<std::size_t>(steps.warmup)) {
      reader.is_bad = true;
      note(record, told(missing.why));
    } else if (reader.early.size() < kProblems / 2) {  // the others have room
      note(record, reader.early.emplace_back(told(missing.why)));
    }
  }
}

// Tells and returns what no rule has read of a source; "" if all was read.
std::string tell_unread(const Unread& unread,
                        const Source& source,
                        protocol::Record& record,
                        protocol::End& end) {
  if (!unread.problem.empty()) {
    record.problems.push_back(source.noun() + " " + unread.problem);
  }
  if (!unread.is_utf16 && unread.long_lines == 0) {
    return "";
  }
  end.facts["unread_output"] += unread.is_utf16 ? 1.0 : static_cast<double>(unread.long_lines);
  const std::string text =
      unread.is_utf16 ? fmt::format("{} is UTF-16, which rules do not read; {}",
                                    source.noun(),
                                    source.is_log ? "convert it with iconv -f UTF-16 -t UTF-8"
                                                  : "let the program write UTF-8")
                      : fmt::format(
                            "{} has lines of more than 1 MiB, which no rule has read: {} from line "
                            "{} on",
                            source.noun(),
                            unread.long_lines,
                            unread.first_long_line);
  record.notes.push_back("extract: " + text);
  return text;
}

// - output: a stream of the program that has been read up to the end of the line.
void add_step_line(const MetricReader& reader, std::istream& output, StepLines& found) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  if (reader.metric != names::kStepTime || reader.found.count == found.values) {
    return;
  }
  found.values = reader.found.count;
  if (found.lines.size() < most) {
    found.lines.push_back(
        {.end_bytes = output.rdbuf()->pubseekoff(0, std::ios_base::cur, std::ios_base::in),
         .values = found.values});
  }
}

void read_source(std::istream& output,
                 const Source& source,
                 const Steps& steps,
                 std::vector<MetricReader>& readers,
                 StepLines& step_lines,
                 protocol::Record& record,
                 protocol::End& end) {
  std::vector<MetricReader*> open;
  const WatchedConditions watched(readers, source);
  bool has_documents = false;
  for (MetricReader& reader : readers) {
    if (!reader.is_settled) {
      open.push_back(&reader);
      has_documents |= std::ranges::any_of(reader.rules, [&](const StoredRule& rule) {
        return rule.rule().json == JsonForm::kDocument && looks_at(rule.rule(), source);
      });
    }
  }
  if (open.empty()) {
    watched.read(output, source);
    return;
  }
  const auto use = [&](JsonForm form) {
    return [&, form](const std::string& text, std::size_t line) {
      watched.feed(text, source, line);
      for (MetricReader* reader : open) {
        feed(*reader, source, {.text = text, .line = line, .form = form}, steps, record);
        if (source.file.empty() && form == JsonForm::kLines) {
          add_step_line(*reader, output, step_lines);
        }
      }
    };
  };
  const Unread unread = for_each_line(output, use(JsonForm::kLines));
  if (!source.is_log || source.stream == ExtractSource::kStdout) {
    const std::string text = tell_unread(unread, source, record, end);
    for (MetricReader* reader : open) {
      const bool is_looked_at = source.is_log || looks_at(reader->rules, source);
      reader->unread += !text.empty() && is_looked_at ? "; " + text : "";
    }
  }
  if (has_documents && unread.problem.empty() && !unread.is_utf16) {
    output.clear();
    output.seekg(0);
    tell_unread(for_each_document_in(output, use(JsonForm::kDocument)), source, record, end);
  }
  for (MetricReader* reader : open) {
    reader->is_settled |= !reader->found.by_rank.empty();
  }
}

// Values that mean something else than the rule says are none: another attempt has no others.
void check_conditions(MetricReader& reader, protocol::Record& record) {
  for (const ConditionCheck& condition : reader.conditions) {
    if (const std::string problem = condition.problem();
        !problem.empty() && reader.found.count > 0) {
      record.has_bad_numbers = true;
      note(record, problem);
      if (condition.is_missing()) {
        reader.found.by_rank.clear();
      }
    }
  }
}

// How many values a metric of steps has, and how many of them are warm-up.
std::pair<std::size_t, int> count_steps(const std::vector<MetricReader>& readers,
                                        const Steps& steps) {
  const auto times = std::ranges::find(readers, names::kStepTime, &MetricReader::metric);
  const bool is_found = times != readers.end() && (steps.is_open || times->warmup);
  return {is_found ? times->all.values.size()
                   : static_cast<std::size_t>(std::int64_t{steps.warmup} + steps.measured),
          is_found ? times->warmup.value_or(steps.warmup) : steps.warmup};
}

// Tells of the lines that gave the times of steps, of which all are taken or a declared number.
void tell_lines(const std::vector<MetricReader>& readers,
                bool takes_all,
                protocol::Record& record,
                protocol::End& end) {
  const auto times = std::ranges::find(readers, names::kStepTime, &MetricReader::metric);
  bool is_told = false;
  for (const MetricReader& reader : readers) {
    if (times == readers.end() || !times->warmup || !reader.warmup) {
      continue;
    }
    const std::vector<std::int64_t>& own = reader.all.numbers;
    is_told =
        is_told ||
        (takes_all && tell_untimed(reader.metric, own, *reader.warmup, times->all.numbers, record));
    if (tell_fewer_values(reader.metric, own, times->all.numbers, record) || is_told) {
      end.facts["fewer_values"] = 1.0;
    }
  }
  if (times != readers.end() && times->repeated.count() > 0) {
    end.facts["repeated_lines"] = static_cast<double>(times->repeated.count());
  }
  if (record.covered && record.covered->interval > 1) {
    end.facts["step_interval"] = static_cast<double>(record.covered->interval);
  }
  if (times != readers.end() && !times->rules.empty() &&
      times->rules.front().steps_of_value() > 1.0) {
    end.facts["steps_of_value"] = times->rules.front().steps_of_value();
  }
  if (record.covered && record.covered->resumptions > 0) {
    end.facts["resumptions"] = static_cast<double>(record.covered->resumptions);
  }
}

// How many values of the metric, the first ones, are its warm-up; by its own numbers of steps, or
// as those of every metric that has one a step. Missing values elsewhere are left out: a problem.
// - step_count, step_warmup: of such a metric.
int settle_missing(MetricReader& reader,
                   std::size_t step_count,
                   int step_warmup,
                   protocol::Record& record) {
  const auto is_missing = [](double value) { return std::isnan(value); };
  std::vector<double>& values = reader.all.values;
  const bool has_steps =
      values.size() == step_count && values.size() > static_cast<std::size_t>(step_warmup);
  const int warmup = reader.warmup.value_or(has_steps ? step_warmup : 0);
  // By numbers of steps, also those of the step times, a line of the first ones may be measured.
  const bool lacks_measured = (reader.warmup || !reader.is_bad) &&
                              std::any_of(values.begin() + warmup, values.end(), is_missing);
  if ((reader.warmup || has_steps) && !lacks_measured) {
    std::erase_if(record.problems, [&](const std::string& problem) {
      return std::ranges::find(reader.early, problem) != reader.early.end();
    });
  } else {
    reader.is_bad |= !reader.early.empty();
  }
  if (!reader.is_bad) {
    return warmup;
  }
  record.has_bad_numbers = true;
  std::erase_if(values, is_missing);
  for (auto& [rank, of_rank] : reader.found.by_rank) {
    std::erase_if(of_rank.values, is_missing);
  }
  return 0;
}

// Tells of metrics whose every value is printed like "12,345": read as thousands, it may be 12.345.
void tell_commas(const std::vector<MetricReader>& readers,
                 protocol::Record& record,
                 protocol::End& end) {
  for (const MetricReader& reader : readers) {
    if (reader.found.commas > 0 && reader.found.commas == reader.found.count) {
      end.facts["commas." + reader.metric] = 1.0;
      record.notes.push_back(
          fmt::format("extract: every value of {} has one comma and three digits behind it, which "
                      "were read as thousands; add decimal: point to the rule if that is right, "
                      "decimal: comma if not",
                      reader.metric));
    }
  }
}

// Adds what the reader found, over all ranks and of each.
void add_samples(MetricReader& reader, int warmup, protocol::Record& record) {
  const auto samples_of = [&](std::optional<int> rank, std::vector<double> values) {
    return protocol::Samples{reader.metric, reader.unit, rank, warmup, std::move(values)};
  };
  protocol::Samples samples = samples_of(std::nullopt, std::move(reader.all.values));
  if (const std::string problem = protocol::find_window_problem(samples); !problem.empty()) {
    note(record, "extract: " + problem);
  }
  record.events.emplace_back(std::move(samples));
  for (auto& [rank, of_rank] : reader.found.by_rank) {
    record.events.emplace_back(samples_of(rank, std::move(of_rank.values)));
  }
}

}  // namespace

protocol::Record extract_samples(const TrialOutput& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps,
                                 const Parameters& parameters) {
  protocol::Record record;
  std::vector<MetricReader> readers = make_readers(rules, output, parameters, record);
  protocol::End end{.ok = true, .message = ""};
  StepLines unasked;
  StepLines& step_lines = output.step_lines != nullptr ? *output.step_lines : unasked;
  for (const auto& [stream, name] : {std::pair{&output.out, ExtractSource::kStdout},
                                     std::pair{&output.err, ExtractSource::kStderr}}) {
    step_lines.stream = step_lines.values == 0 ? name : step_lines.stream;
    const Source source{.stream = name, .is_log = output.is_log};
    read_source(*stream, source, steps, readers, step_lines, record, end);
  }
  for (const ResultFile& file : output.files) {
    if (file.problem.empty()) {
      read_source(*file.text, {.file = file.declared}, steps, readers, step_lines, record, end);
    } else {
      note(record, fmt::format("extract: {} {}", file.declared, file.problem));
    }
  }
  for (MetricReader& reader : readers) {
    check_conditions(reader, record);
    reader.all = settle_ranks(reader.metric, reader.found, record);
    if (reader.reads_steps) {
      reader.warmup = settle_steps(
          reader.metric, reader.has_means, steps.warmup, reader.all, reader.found, record);
    }
  }
  tell_commas(readers, record, end);
  tell_lines(readers, steps.is_open, record, end);
  const auto [step_count, step_warmup] = count_steps(readers, steps);
  for (MetricReader& reader : readers) {
    const int kept = reader.warmup ? 0 : step_warmup;
    tell_kept_warmup(reader.metric, reader.all.values.size(), step_count, kept, record);
    const int warmup = settle_missing(reader, step_count, step_warmup, record);
    if (reader.all.values.empty()) {
      if (!reader.rules.empty() && (reader.found.count == 0 || reader.is_bad)) {
        // A trial is about the time of its steps; without it there is no trial.
        (reader.metric == names::kStepTime ? record.problems : record.notes)
            .push_back(fmt::format("extract: the rule for {} found nothing in {}{}",
                                   reader.metric,
                                   places(reader.rules, output.is_log),
                                   reader.unread));
      }
      continue;
    }
    add_samples(reader, warmup, record);
  }
  record.events.emplace_back(std::move(end));
  return record;
}

}  // namespace scalestudy
