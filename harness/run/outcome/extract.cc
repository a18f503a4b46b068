#include "harness/run/outcome/extract.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/run/outcome/stored_rule.h"
#include "harness/run/output/output_text.h"
#include "harness/study/matrix/command.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kProblems = 100;

// Where rules look: a stream, or a file as the rules declare it.
struct Source {
  ExtractSource stream = ExtractSource::kOutput;
  std::string file{};  // "": the stream

  std::string name() const { return file.empty() ? to_word(stream) : file; }
};

bool looks_at(const ExtractRule& rule, const Source& source) {
  return rule.file == source.file && (!source.file.empty() || rule.from == source.stream ||
                                      rule.from == ExtractSource::kOutput);
}

// What was found of one metric, by its rules in order.
struct MetricReader {
  std::string metric;
  std::string unit;
  std::vector<StoredRule> rules;
  RankValues found;
  std::vector<double> values;      // over all ranks, once settle_ranks() has made them
  bool is_settled = false;         // a stream has been read in which something matched
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
    auto reader = std::find_if(readers.begin(), readers.end(), [&](const MetricReader& other) {
      return other.metric == rule.metric;
    });
    if (reader == readers.end()) {
      reader = readers.insert(readers.end(), MetricReader{});
      reader->metric = rule.metric;
      reader->unit = stored_unit(rule).unit;
    }
    if (rule.from == ExtractSource::kWallTime) {
      reader->found.by_rank[std::nullopt] = {output.wall_s};
      reader->is_settled = true;
      continue;
    }
    try {
      reader->rules.emplace_back(rule, parameters);
    } catch (const BadPattern& error) {
      note(record, fmt::format("extract: {}: '{}': {}", rule.metric, rule.regex, error.what()));
    }
  }
  return readers;
}

// A line, or a document of several.
struct Passage {
  const std::string& text;
  std::size_t line;  // its number, from 1
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
  try {
    for (StoredRule& rule : reader.rules) {
      if (looks_at(rule.rule(), source) && rule.rule().json == passage.form &&
          rule.feed(passage.text, reader.found)) {
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

// What no rule has read of a source.
void tell_unread(const Unread& unread,
                 const std::string& source,
                 protocol::Record& record,
                 protocol::End& end) {
  if (!unread.problem.empty()) {
    record.problems.push_back(source + " " + unread.problem);
  }
  if (unread.is_utf16) {
    end.facts["unread_output"] += 1.0;
    record.notes.push_back(fmt::format(
        "extract: {} is UTF-16, which rules do not read; let the program write UTF-8", source));
  } else if (unread.long_lines > 0) {
    end.facts["unread_output"] += static_cast<double>(unread.long_lines);
    record.notes.push_back(
        fmt::format("extract: {} has lines of more than 1 MiB, which no rule "
                    "has read: {} from line {} on",
                    source,
                    unread.long_lines,
                    unread.first_long_line));
  }
}

void read_source(std::istream& output,
                 const Source& source,
                 const Steps& steps,
                 std::vector<MetricReader>& readers,
                 protocol::Record& record,
                 protocol::End& end) {
  std::vector<MetricReader*> open;
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
    return;
  }
  const auto use = [&](JsonForm form) {
    return [&, form](const std::string& text, std::size_t line) {
      for (MetricReader* reader : open) {
        feed(*reader, source, {.text = text, .line = line, .form = form}, steps, record);
      }
    };
  };
  const Unread unread = for_each_line(output, use(JsonForm::kLines));
  tell_unread(unread, source.name(), record, end);
  if (has_documents && unread.problem.empty() && !unread.is_utf16) {
    output.clear();
    output.seekg(0);
    tell_unread(for_each_document_in(output, use(JsonForm::kDocument)), source.name(), record, end);
  }
  for (MetricReader* reader : open) {
    reader->is_settled |= !reader->found.by_rank.empty();
  }
}

// A step is over when its last rank is: of the ranks' times the longest. Ranks that do not have as
// many as each other are a problem, and nothing is left of the metric.
void settle_ranks(MetricReader& reader, protocol::Record& record) {
  std::map<std::optional<int>, std::vector<double>>& by_rank = reader.found.by_rank;
  if (const auto all = by_rank.find(std::nullopt); all != by_rank.end()) {
    reader.values = std::move(all->second);
    by_rank.erase(all);
    if (!by_rank.empty()) {
      note(record,
           fmt::format("extract: {}: some lines say whose it is, and some do not", reader.metric));
    }
    by_rank.clear();
  }
  for (const auto& [rank, values] : by_rank) {
    const std::vector<double>& first = by_rank.begin()->second;
    if (values.size() != first.size()) {
      note(record,
           fmt::format("extract: {}: rank {} has {}, rank {} has {}",
                       reader.metric,
                       *by_rank.begin()->first,
                       first.size(),
                       *rank,
                       values.size()));
      reader.values.clear();
      by_rank.clear();
      return;
    }
    if (reader.values.empty()) {
      reader.values = values;
    }
    std::ranges::transform(
        values, reader.values, reader.values.begin(), [](double one, double other) {
          return std::isnan(one) || std::isnan(other) ? std::numeric_limits<double>::quiet_NaN()
                                                      : std::max(one, other);
        });
  }
}

// How many values a metric of steps has.
std::size_t count_steps(const std::vector<MetricReader>& readers, const Steps& steps) {
  const auto times = std::find_if(readers.begin(), readers.end(), [](const MetricReader& reader) {
    return reader.metric == names::kStepTime;
  });
  return steps.is_open && times != readers.end()
             ? times->values.size()
             : static_cast<std::size_t>(std::int64_t{steps.warmup} + steps.measured);
}

// Whether the first values of the metric are its warm-up, as those of every metric that has one a
// step. A value may be missing there; one that is missing elsewhere is left out, and is a problem.
bool settle_missing(MetricReader& reader,
                    std::size_t step_count,
                    const Steps& steps,
                    protocol::Record& record) {
  const std::size_t count = reader.values.size();
  const bool has_warmup = count == step_count && count > static_cast<std::size_t>(steps.warmup);
  if (has_warmup) {
    std::erase_if(record.problems, [&](const std::string& problem) {
      return std::ranges::find(reader.early, problem) != reader.early.end();
    });
  } else {
    reader.is_bad |= !reader.early.empty();
  }
  if (!reader.is_bad) {
    return has_warmup;
  }
  record.has_bad_numbers = true;
  const auto is_missing = [](double value) { return std::isnan(value); };
  std::erase_if(reader.values, is_missing);
  for (auto& [rank, values] : reader.found.by_rank) {
    std::erase_if(values, is_missing);
  }
  return false;
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

// "stdout", "stdout or stderr", "out.json": where the rules of a metric have looked.
std::string places(const MetricReader& reader) {
  std::vector<std::string> names;
  const auto add = [&](const Source& source) {
    if (std::ranges::any_of(
            reader.rules, [&](const StoredRule& rule) { return looks_at(rule.rule(), source); }) &&
        std::ranges::find(names, source.name()) == names.end()) {
      names.push_back(source.name());
    }
  };
  add({.stream = ExtractSource::kStdout});
  add({.stream = ExtractSource::kStderr});
  for (const StoredRule& rule : reader.rules) {
    if (!rule.rule().file.empty()) {
      add({.file = rule.rule().file});
    }
  }
  return join(names, " or ");
}

}  // namespace

protocol::Record extract_samples(const TrialOutput& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps,
                                 const Parameters& parameters) {
  protocol::Record record;
  std::vector<MetricReader> readers = make_readers(rules, output, parameters, record);
  protocol::End end{.ok = true, .message = ""};
  read_source(output.out, {.stream = ExtractSource::kStdout}, steps, readers, record, end);
  read_source(output.err, {.stream = ExtractSource::kStderr}, steps, readers, record, end);
  for (const ResultFile& file : output.files) {
    if (file.problem.empty()) {
      read_source(*file.text, {.file = file.declared}, steps, readers, record, end);
    } else {
      note(record, fmt::format("extract: {} {}", file.declared, file.problem));
    }
  }
  for (MetricReader& reader : readers) {
    settle_ranks(reader, record);
  }
  tell_commas(readers, record, end);
  const std::size_t step_count = count_steps(readers, steps);
  for (MetricReader& reader : readers) {
    const bool has_warmup = settle_missing(reader, step_count, steps, record);
    if (reader.values.empty()) {
      if (!reader.rules.empty() && (reader.found.count == 0 || reader.is_bad)) {
        // A trial is about the time of its steps; without it there is no trial.
        (reader.metric == names::kStepTime ? record.problems : record.notes)
            .push_back(fmt::format(
                "extract: the rule for {} found nothing in {}", reader.metric, places(reader)));
      }
      continue;
    }
    protocol::Samples samples{.metric = reader.metric,
                              .unit = reader.unit,
                              .rank = std::nullopt,
                              .warmup = has_warmup ? steps.warmup : 0,
                              .values = std::move(reader.values)};
    if (const std::string problem = protocol::find_window_problem(samples); !problem.empty()) {
      note(record, "extract: " + problem);
    }
    const int warmup = samples.warmup;
    record.events.emplace_back(std::move(samples));
    for (auto& [rank, values] : reader.found.by_rank) {
      record.events.emplace_back(protocol::Samples{.metric = reader.metric,
                                                   .unit = reader.unit,
                                                   .rank = rank,
                                                   .warmup = warmup,
                                                   .values = std::move(values)});
    }
  }
  record.events.emplace_back(std::move(end));
  return record;
}

}  // namespace scalestudy
