#include "harness/run/outcome/extract.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/run/outcome/line_extractor.h"
#include "harness/study/matrix/command.h"
#include "workloads/names/names.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kLineBytes = std::size_t{1} << 20U;
constexpr std::int64_t kStreamBytes = std::int64_t{4} << 30;
constexpr std::size_t kProblems = 100;
constexpr std::size_t kValues = 20'000'000;  // as protocol::ReadLimits

// The amount of a step as a number. Throws BadPattern where the cell does not have it.
double step_amount(const ExtractRule& rule, const Parameters& parameters) {
  const StepAmount declared = parse_step_amount(rule.per_step.empty() ? "1" : rule.per_step);
  double amount = declared.number;
  for (const std::string& name : declared.names) {
    const auto found = parameters.find(name);
    const auto* whole =
        found == parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
    const auto* real = found == parameters.end() ? nullptr : std::get_if<double>(&found->second);
    if (whole == nullptr && real == nullptr) {
      throw BadPattern("per_step: the cell has no number {" + name + "}");
    }
    amount *= whole != nullptr ? static_cast<double>(*whole) : *real;
  }
  return amount;
}

// Of one metric. Without a rank: over all of them.
struct RankValues {
  std::map<std::optional<int>, std::vector<double>> by_rank;
  std::size_t count = 0;  // of all
};

// A rule, and what makes a printed number a stored one.
class StoredRule {
 public:
  StoredRule(const ExtractRule& rule, const Parameters& parameters)
      : extractor_(make_line_extractor(rule)),
        unit_(stored_unit(rule)),
        amount_(step_amount(rule, parameters)) {}

  // Appends the values of `line`; whether the rule matched. Throws BadValue.
  bool feed(const std::string& line, RankValues& values) {
    const FoundNumbers found = extractor_->find(line);
    for (const double printed : found.numbers) {
      if (!extractor_->rule().is_difference) {
        add(printed, found.rank, values);
      } else if (const auto before = std::exchange(previous_[found.rank], printed)) {
        add(printed - *before, found.rank, values);
      }
    }
    return !found.numbers.empty();
  }

  bool looks_at(ExtractSource stream) const {
    const ExtractSource from = extractor_->rule().from;
    return from == stream || from == ExtractSource::kOutput;
  }

 private:
  void add(double printed, std::optional<int> rank, RankValues& values) const {
    if (values.count >= kValues) {
      throw BadValue(fmt::format("more than {} values", kValues));
    }
    const double stored =
        unit_.is_rate ? unit_.factor * amount_ / printed : printed * unit_.factor * amount_;
    if (!std::isfinite(stored)) {
      throw BadNumber(unit_.is_rate ? fmt::format("no time has a rate of {:g}", printed)
                                    : fmt::format("{:g} is too large for its unit", printed));
    }
    values.by_rank[rank].push_back(stored);
    ++values.count;
  }

  std::unique_ptr<LineExtractor> extractor_;
  StoredUnit unit_;
  double amount_;
  std::map<std::optional<int>, std::optional<double>> previous_;  // by rank
};

// What was found of one metric, by its rules in order.
struct MetricReader {
  std::string metric;
  std::string unit;
  std::vector<StoredRule> rules;
  RankValues found;
  std::vector<double> values;  // over all ranks, once settle_ranks() has made them
  bool is_settled = false;     // a stream has been read in which something matched
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

// The next line without its end ('\n' or '\r', which `ended_by` tells), of a long one no more than
// kLineBytes + 1 bytes; false at the end, and when no more bytes are `left` to be read.
bool read_line(std::streambuf& output, std::int64_t& left, std::string& line, int& ended_by) {
  constexpr int end = std::streambuf::traits_type::eof();
  line.clear();
  int c = output.sgetc();
  if (c == end) {
    return false;
  }
  for (; c != end && c != '\n' && c != '\r' && left > 0; c = output.snextc(), --left) {
    if (line.size() <= kLineBytes) {
      line.push_back(static_cast<char>(c));
    }
  }
  ended_by = c;
  output.sbumpc();
  --left;
  return left > 0;
}

// The first rule that matches the line gives the metric's value.
void feed(MetricReader& reader,
          ExtractSource stream,
          const std::string& line,
          std::size_t number,
          protocol::Record& record) {
  try {
    for (StoredRule& rule : reader.rules) {
      if (rule.looks_at(stream) && rule.feed(line, reader.found)) {
        return;
      }
    }
  } catch (const BadValue& bad) {
    reader.is_settled = true;
    record.has_bad_numbers |= dynamic_cast<const BadNumber*>(&bad) != nullptr;
    note(record,
         fmt::format("{} line {}: {}: {}", to_word(stream), number, reader.metric, bad.what()));
  }
}

void read_stream(std::istream& output,
                 ExtractSource stream,
                 std::vector<MetricReader>& readers,
                 protocol::Record& record) {
  std::vector<MetricReader*> open;
  for (MetricReader& reader : readers) {
    if (!reader.is_settled) {
      open.push_back(&reader);
    }
  }
  std::string line;
  std::int64_t left = kStreamBytes;
  int ended_by = 0;
  try {
    for (std::size_t number = 1; !open.empty() && read_line(*output.rdbuf(), left, line, ended_by);
         number += ended_by == '\n' ? 1 : 0) {
      if (line.size() > kLineBytes) {
        continue;
      }
      for (MetricReader* reader : open) {
        feed(*reader, stream, line, number, record);
      }
    }
  } catch (const std::ios_base::failure&) {  // a disk that gives no more of it
    record.problems.push_back(to_word(stream) + " could not be read to its end");
  }
  for (MetricReader* reader : open) {
    reader->is_settled |= !reader->found.by_rank.empty();
  }
  if (left <= 0) {
    record.problems.push_back(fmt::format(
        "{} is longer than {} GiB, the rest was not read", to_word(stream), kStreamBytes >> 30));
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
          return std::max(one, other);
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

// "stdout", "stdout or stderr": where the rules of a metric have looked.
std::string places(const MetricReader& reader) {
  std::string text;
  for (const ExtractSource stream : {ExtractSource::kStdout, ExtractSource::kStderr}) {
    if (std::any_of(reader.rules.begin(), reader.rules.end(), [&](const StoredRule& rule) {
          return rule.looks_at(stream);
        })) {
      text += (text.empty() ? "" : " or ") + to_word(stream);
    }
  }
  return text;
}

}  // namespace

protocol::Record extract_samples(const TrialOutput& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps,
                                 const Parameters& parameters) {
  protocol::Record record;
  std::vector<MetricReader> readers = make_readers(rules, output, parameters, record);
  read_stream(output.out, ExtractSource::kStdout, readers, record);
  read_stream(output.err, ExtractSource::kStderr, readers, record);
  for (MetricReader& reader : readers) {
    settle_ranks(reader, record);
  }
  const std::size_t step_count = count_steps(readers, steps);
  for (MetricReader& reader : readers) {
    const std::size_t count = reader.values.size();
    if (count == 0) {
      if (!reader.rules.empty() && reader.found.count == 0) {
        // A trial is about the time of its steps; without it there is no trial.
        (reader.metric == names::kStepTime ? record.problems : record.notes)
            .push_back(fmt::format(
                "extract: the rule for {} found nothing in {}", reader.metric, places(reader)));
      }
      continue;
    }
    const bool has_warmup = count == step_count && count > static_cast<std::size_t>(steps.warmup);
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
  record.events.emplace_back(protocol::End{.ok = true, .message = ""});
  return record;
}

}  // namespace scalestudy
