#include "harness/run/extract.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "harness/study/command.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLineBytes = std::size_t{1} << 20U;
constexpr std::int64_t kStreamBytes = std::int64_t{4} << 30;
constexpr std::size_t kProblems = 100;
constexpr std::size_t kValues = 20'000'000;  // as protocol::ReadLimits
constexpr std::string_view kMllog = ":::MLLOG";

// A value that was found and cannot be used.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One that is a number, and none that can be stored.
class BadNumber final : public BadValue {
 public:
  using BadValue::BadValue;
};

// A pattern that no line can be searched with.
class BadPattern : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

double parse_number(const std::string& text) {
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument) {
    throw BadValue("'" + text + "' is no number");
  }
  if (result.ec == std::errc::result_out_of_range) {
    throw BadNumber("'" + text + "' is out of range");
  }
  if (!std::isfinite(value)) {
    throw BadNumber("'" + text + "' is not finite, a finite number is required");
  }
  return value;
}

// Copying and printing a nested value recurse as deep as it is nested, and a trial nests as deep as
// it likes: what has members is named by its kind, and found values are never copied.
double to_number(const Json& value) {
  if (value.is_structured()) {
    throw BadValue(fmt::format("an {} is no number", value.type_name()));
  }
  if (!value.is_number()) {
    throw BadValue(fmt::format("{} is no number", value.dump().substr(0, 80)));
  }
  return value.get<double>();
}

// One rule with what it has found so far.
class Extractor {
 public:
  explicit Extractor(const ExtractRule& rule) : rule_(rule) {}
  Extractor(const Extractor&) = delete;
  Extractor& operator=(const Extractor&) = delete;
  virtual ~Extractor() = default;

  // Appends the values of `line`. Throws BadValue.
  virtual void feed(const std::string& line) = 0;

  const ExtractRule& rule() const { return rule_; }
  std::vector<double>& values() { return values_; }

 protected:
  void add(double value) {
    if (values_.size() >= kValues) {
      throw BadValue(fmt::format("more than {} values", kValues));
    }
    values_.push_back(value);
  }

 private:
  const ExtractRule& rule_;
  std::vector<double> values_;
};

// The JSON object that starts at `begin`; nothing when there is none.
std::optional<Json> parse_object(const std::string& line, std::size_t begin) {
  begin = line.find_first_not_of(" \t", begin);
  if (begin == std::string::npos || line[begin] != '{') {
    return std::nullopt;
  }
  // NaN is no JSON; such a line is not an object, and the count of values will not fit.
  Json object = Json::parse(line.begin() + static_cast<std::ptrdiff_t>(begin),
                            line.end(),
                            /*cb=*/nullptr,
                            /*allow_exceptions=*/false);
  return object.is_discarded() ? std::nullopt : std::optional(std::move(object));
}

class JsonPathExtractor final : public Extractor {
 public:
  explicit JsonPathExtractor(const ExtractRule& rule) : Extractor(rule) {
    std::size_t begin = 0;
    for (std::size_t dot = 0; dot != std::string::npos; begin = dot + 1) {
      dot = rule.json_path.find('.', begin);
      steps_.push_back(rule.json_path.substr(begin, dot - begin));
      if (dot == std::string::npos) {
        break;
      }
    }
  }

  void feed(const std::string& line) override {
    const std::optional<Json> object = parse_object(line, 0);
    const Json* at = object ? &*object : nullptr;
    for (const std::string& step : steps_) {
      at = at == nullptr ? nullptr : child(*at, step);
    }
    if (at == nullptr) {
      return;
    }
    if (!at->is_array()) {
      add(to_number(*at));
      return;
    }
    for (const Json& element : *at) {
      add(to_number(element));
    }
  }

 private:
  static const Json* child(const Json& value, const std::string& step) {
    if (value.is_object()) {
      const auto found = value.find(step);
      return found == value.end() ? nullptr : &*found;
    }
    std::size_t index = 0;
    const auto parsed = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool is_index = parsed.ec == std::errc{} && parsed.ptr == step.data() + step.size();
    return value.is_array() && is_index && index < value.size() ? &value[index] : nullptr;
  }

  std::vector<std::string> steps_;
};

class RegexExtractor final : public Extractor {
 public:
  explicit RegexExtractor(const ExtractRule& rule)
      : Extractor(rule),
        regex_(rule.regex, re2::RE2::Quiet),
        groups_(static_cast<std::size_t>(rule.group) + 1) {
    if (!regex_.ok() || regex_.NumberOfCapturingGroups() < rule.group) {
      throw BadPattern(regex_.ok() ? fmt::format("no group {}", rule.group) : regex_.error());
    }
  }

  void feed(const std::string& line) override {
    const bool is_match = regex_.Match(line,
                                       0,
                                       line.size(),
                                       re2::RE2::UNANCHORED,
                                       groups_.data(),
                                       static_cast<int>(groups_.size()));
    const re2::StringPiece& group = groups_.back();
    if (is_match && group.data() != nullptr) {
      add(parse_number(std::string(group.data(), group.size())));
    }
  }

 private:
  re2::RE2 regex_;
  std::vector<re2::StringPiece> groups_;  // of the last match, up to the one with the value
};

class MllogExtractor final : public Extractor {
 public:
  using Extractor::Extractor;

  void feed(const std::string& line) override {
    const std::size_t mark = line.find(kMllog);
    if (mark == std::string::npos) {
      return;
    }
    const std::optional<Json> object = parse_object(line, mark + kMllog.size());
    const auto key = object ? object->find("key") : Json::const_iterator();
    if (!object || key == object->end() || *key != rule().mllog_key) {
      return;
    }
    const auto value = object->find("value");
    if (value == object->end()) {
      throw BadValue("no 'value' beside the key");
    }
    add(to_number(*value));
  }
};

std::unique_ptr<Extractor> make_extractor(const ExtractRule& rule) {
  if (!rule.json_path.empty()) {
    return std::make_unique<JsonPathExtractor>(rule);
  }
  if (!rule.mllog_key.empty()) {
    return std::make_unique<MllogExtractor>(rule);
  }
  return std::make_unique<RegexExtractor>(rule);
}

// The next line without its newline, of a long one no more than kLineBytes + 1 bytes; false at the
// end, and when no more bytes are `left` to be read.
bool read_line(std::streambuf& output, std::int64_t& left, std::string& line) {
  constexpr int end = std::streambuf::traits_type::eof();
  line.clear();
  int c = output.sgetc();
  if (c == end) {
    return false;
  }
  for (; c != end && c != '\n' && left > 0; c = output.snextc(), --left) {
    if (line.size() <= kLineBytes) {
      line.push_back(static_cast<char>(c));
    }
  }
  output.sbumpc();
  --left;
  return left > 0;
}

void read_lines(std::istream& output,
                const std::vector<std::unique_ptr<Extractor>>& extractors,
                protocol::Record& record) {
  std::string line;
  std::int64_t left = kStreamBytes;
  for (std::size_t number = 1; read_line(*output.rdbuf(), left, line); ++number) {
    if (line.size() > kLineBytes) {
      continue;
    }
    for (const auto& extractor : extractors) {
      try {
        extractor->feed(line);
      } catch (const BadValue& bad) {
        record.has_bad_numbers |= dynamic_cast<const BadNumber*>(&bad) != nullptr;
        if (record.problems.size() < kProblems) {
          record.problems.push_back(
              fmt::format("stdout line {}: {}: {}", number, extractor->rule().metric, bad.what()));
        }
      }
    }
  }
  if (left <= 0) {
    record.problems.push_back(
        fmt::format("stdout is longer than {} GiB, the rest was not read", kStreamBytes >> 30));
  }
}

}  // namespace

protocol::Record extract_samples(std::istream& output,
                                 const std::vector<ExtractRule>& rules,
                                 const Steps& steps) {
  protocol::Record record;
  std::vector<std::unique_ptr<Extractor>> extractors;
  for (const ExtractRule& rule : rules) {
    try {
      extractors.push_back(make_extractor(rule));
    } catch (const BadPattern& error) {
      record.problems.push_back(
          fmt::format("extract: {}: '{}': {}", rule.metric, rule.regex, error.what()));
    }
  }
  read_lines(output, extractors, record);
  for (const auto& extractor : extractors) {
    std::vector<double>& values = extractor->values();
    if (values.empty()) {
      // A trial is about the time of its steps; without it there is no trial.
      const bool is_primary = extractor->rule().metric == "step_time_s";
      (is_primary ? record.problems : record.notes)
          .push_back(fmt::format("extract: the rule for {} found nothing in stdout",
                                 extractor->rule().metric));
      continue;
    }
    const StoredUnit stored = stored_unit(extractor->rule());
    for (double& value : values) {
      value *= stored.factor;
    }
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
      record.has_bad_numbers = true;
      record.problems.push_back(
          fmt::format("extract: {}: a value is too large for its unit", extractor->rule().metric));
      continue;
    }
    const bool is_per_step =
        static_cast<std::int64_t>(values.size()) == std::int64_t{steps.warmup} + steps.measured;
    protocol::Samples samples{.metric = extractor->rule().metric,
                              .unit = stored.unit,
                              .rank = std::nullopt,
                              .warmup = is_per_step ? steps.warmup : 0,
                              .values = std::move(values)};
    if (const std::string problem = protocol::find_window_problem(samples); !problem.empty()) {
      record.problems.push_back("extract: " + problem);
    }
    record.events.emplace_back(std::move(samples));
  }
  record.events.emplace_back(protocol::End{.ok = true, .message = ""});
  return record;
}

}  // namespace scalestudy
