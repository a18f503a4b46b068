#include "workloads/protocol/reader.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>

#include "workloads/protocol/line.h"
#include "workloads/protocol/names.h"

namespace scalestudy::protocol {
namespace {

// What is wrong with one line; never leaves this file.
class Problem : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

const Scalar* find(const Line& line, const char* name) {
  const auto found = line.fields.find(name);
  return found == line.fields.end() ? nullptr : &found->second;
}

[[noreturn]] void refuse(const std::string& name,
                         const Scalar* found,
                         const std::string& required) {
  throw Problem(found == nullptr
                    ? "'" + name + "' is missing, " + required + " is required"
                    : "'" + name + "' is " + describe(*found) + ", " + required + " is required");
}

// The field `name`, which must be of type T.
template <typename T>
const T& require(const Line& line, const char* name, const char* required) {
  const Scalar* found = find(line, name);
  const T* value = found == nullptr ? nullptr : std::get_if<T>(found);
  if (value == nullptr) {
    refuse(name, found, required);
  }
  return *value;
}

int require_integer(const Line& line, const char* name, std::int64_t lo, std::int64_t hi) {
  const std::string required =
      "an integer from " + std::to_string(lo) + " to " + std::to_string(hi);
  const auto value = require<std::int64_t>(line, name, required.c_str());
  if (value < lo || value > hi) {
    refuse(name, find(line, name), required);
  }
  return static_cast<int>(value);
}

std::string require_name(const Line& line, const char* name) {
  const auto& text = require<std::string>(line, name, "a name");
  if (!is_name(text)) {
    refuse(name, find(line, name), "a name (a letter, then letters, digits, '_', '.' and '-')");
  }
  return text;
}

// No more than `most` bytes of UTF-8, no character cut in two.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) {
    --most;
  }
  return text.substr(0, most) + "...";
}

std::string optional_text(const Line& line, const char* name, const ReadLimits& limits) {
  return find(line, name) == nullptr
             ? ""
             : shortened(require<std::string>(line, name, "text"), limits.text_bytes);
}

// The members of the object `name`, each turned into a T by `convert`, which returns nullopt for a
// value of the wrong kind. A missing object is empty.
template <typename T, typename Convert>
std::map<std::string, T> members(const Line& line,
                                 const std::string& name,
                                 const char* required,
                                 const ReadLimits& limits,
                                 const Convert& convert) {
  std::map<std::string, T> result;
  const auto object = line.objects.find(name);
  if (object == line.objects.end()) {
    if (const Scalar* found = find(line, name.c_str())) {
      refuse(name, found, "an object");
    }
    return result;
  }
  if (object->second.size() > limits.members) {
    throw Problem("'" + name + "' has more than " + std::to_string(limits.members) + " members");
  }
  for (const auto& [key, scalar] : object->second) {
    if (!is_name(key)) {
      throw Problem("'" + name + "' has a member " + describe(key) + ", a name is required");
    }
    std::optional<T> value = convert(scalar);
    if (!value) {
      refuse(std::string(name).append(".").append(key), &scalar, required);
    }
    result.emplace(key, std::move(*value));
  }
  return result;
}

std::optional<std::string> to_parameter(const Scalar& scalar) {
  if (std::holds_alternative<std::monostate>(scalar)) {
    return std::nullopt;
  }
  return canonical_text(scalar);
}

std::optional<std::string> to_text(const Scalar& scalar) {
  const auto* text = std::get_if<std::string>(&scalar);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<double> to_number(const Scalar& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return static_cast<double>(*integer);
  }
  const auto* real = std::get_if<double>(&scalar);
  return real == nullptr ? std::nullopt : std::optional(*real);
}

// Takes a record line by line; keeps what is good and says what is not.
class RecordParser {
 public:
  explicit RecordParser(const ReadLimits& limits) : limits_(limits) {}

  void feed(std::string_view chunk);
  void stop(const std::string& why);
  Record finish();

  [[nodiscard]] bool is_stopped() const { return is_stopped_; }

 private:
  void add_line(std::string_view text);
  void interpret(const std::string& event, Line& line, std::string_view text);
  Start read_start(const Line& line);
  Samples read_samples(Line& line);
  void report(const std::string& problem);

  const ReadLimits& limits_;
  Record record_;
  std::string pending_;       // the line so far, without its newline
  bool is_overlong_ = false;  // the line so far was longer than allowed and is being skipped
  bool is_stopped_ = false;
  std::size_t line_number_ = 1;  // of the line being read
  std::size_t value_count_ = 0;
  std::size_t unknown_bytes_ = 0;
  std::size_t unlisted_ = 0;  // problems beyond the limit
  int ranks_ = 0;             // of the start event, 0 before it
  bool has_end_ = false;
  bool has_failed_ = false;
  std::map<std::string, std::string> units_;      // by metric
  std::set<std::pair<std::string, int>> series_;  // metric and rank, -1 for over all ranks
};

void RecordParser::report(const std::string& problem) {
  if (record_.problems.size() < limits_.problems) {
    record_.problems.push_back("line " + std::to_string(line_number_) + ": " + problem);
  } else {
    ++unlisted_;
  }
}

void RecordParser::stop(const std::string& why) {
  report(why);
  is_stopped_ = true;
  pending_.clear();
}

void RecordParser::feed(std::string_view chunk) {
  while (!chunk.empty() && !is_stopped_) {
    const std::size_t newline = chunk.find('\n');
    const std::string_view part = chunk.substr(0, newline);
    if (!is_overlong_ && pending_.size() + part.size() > limits_.line_bytes) {
      report("longer than " + std::to_string(limits_.line_bytes) + " bytes, left out");
      is_overlong_ = true;
      pending_.clear();
    }
    if (!is_overlong_) {
      pending_ += part;
    }
    if (newline == std::string_view::npos) {
      return;
    }
    if (!is_overlong_) {
      add_line(pending_);
    }
    pending_.clear();
    is_overlong_ = false;
    ++line_number_;
    chunk.remove_prefix(newline + 1);
    if (line_number_ > limits_.lines && !chunk.empty()) {
      stop("more than " + std::to_string(limits_.lines) + " lines, the rest is left out");
    }
  }
}

Record RecordParser::finish() {
  record_.truncated = !pending_.empty() || is_overlong_;
  if (unlisted_ > 0) {
    record_.problems.push_back("and " + std::to_string(unlisted_) + " more problems");
  }
  return std::move(record_);
}

void RecordParser::add_line(std::string_view text) {
  if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
    return;
  }
  Line line = parse_line(text, limits_.values - value_count_);
  record_.has_bad_numbers |= line.has_bad_number;
  try {
    if (!line.problem.empty()) {
      throw Problem(line.problem);
    }
    const Scalar* version = find(line, "v");
    if (version == nullptr || *version != Scalar(std::int64_t{kProtocolVersion})) {
      refuse("v", version, "protocol version " + std::to_string(kProtocolVersion));
    }
    const std::string event = require<std::string>(line, "event", "the event's name");
    if (has_failed_) {
      return;  // of a rank that had not heard yet that another one had failed
    }
    if (has_end_) {
      throw Problem("an event after 'end', left out");
    }
    interpret(event, line, text);
  } catch (const Problem& problem) {
    report(problem.what());
  }
}

void RecordParser::interpret(const std::string& event, Line& line, std::string_view text) {
  if (event == "start") {
    record_.events.emplace_back(read_start(line));
  } else if (event == "phase") {
    record_.events.emplace_back(Phase{.name = require_name(line, "name")});
  } else if (event == "samples") {
    record_.events.emplace_back(read_samples(line));
  } else if (event == "check") {
    record_.events.emplace_back(Check{.name = require_name(line, "name"),
                                      .passed = require<bool>(line, "passed", "true or false"),
                                      .detail = optional_text(line, "detail", limits_)});
  } else if (event == "end") {
    record_.events.emplace_back(
        End{.ok = require<bool>(line, "ok", "true or false"),
            .message = optional_text(line, "message", limits_),
            .facts = members<double>(line, "facts", "a number", limits_, to_number)});
    has_end_ = true;
    has_failed_ = !std::get<End>(record_.events.back()).ok;
  } else if (unknown_bytes_ + text.size() > limits_.unknown_bytes) {
    throw Problem("unknown event " + describe(event) + ", and too many of them to keep");
  } else {
    unknown_bytes_ += text.size();
    record_.unknown.emplace_back(text);
  }
}

Start RecordParser::read_start(const Line& line) {
  if (ranks_ != 0) {
    throw Problem("a second 'start', left out");
  }
  Start start{.workload = require_name(line, "workload"),
              .ranks = require_integer(line, "ranks", 1, limits_.ranks),
              .parameters = members<std::string>(
                  line, "parameters", "text, a number or true/false", limits_, to_parameter),
              .facts = members<double>(line, "facts", "a number", limits_, to_number),
              .versions = members<std::string>(line, "versions", "text", limits_, to_text)};
  for (auto& [library, version] : start.versions) {
    version = shortened(version, limits_.text_bytes);
  }
  ranks_ = start.ranks;
  return start;
}

Samples RecordParser::read_samples(Line& line) {
  Samples samples;
  samples.metric = require_name(line, "metric");
  samples.unit = require<std::string>(line, "unit", "text");
  if (!is_unit(samples.unit)) {
    refuse("unit", find(line, "unit"), "a short printable unit");
  }
  if (is_time_metric(samples.metric) && samples.unit != "s") {
    refuse("unit", find(line, "unit"), "\"s\" (samples of " + samples.metric + ")");
  }
  if (units_.size() >= limits_.metrics && !units_.contains(samples.metric)) {
    throw Problem("samples of more than " + std::to_string(limits_.metrics) + " metrics, left out");
  }
  if (const auto known = units_.emplace(samples.metric, samples.unit).first;
      known->second != samples.unit) {
    refuse("unit", find(line, "unit"), "\"" + known->second + "\" as before for " + samples.metric);
  }
  if (ranks_ == 0) {
    throw Problem("samples of " + samples.metric + " before 'start', left out");
  }
  if (find(line, "rank") != nullptr) {
    samples.rank = require_integer(line, "rank", 0, ranks_ - 1);
  }
  if (!line.values_problem.empty()) {
    throw Problem("samples of " + samples.metric + ": " + line.values_problem);
  }
  if (line.values.empty()) {
    throw Problem("samples of " + samples.metric + " without values");
  }
  const std::size_t most =
      std::min<std::size_t>(line.values.size(), std::numeric_limits<int>::max());
  samples.warmup = require_integer(line, "warmup", 0, static_cast<std::int64_t>(most));
  if (!series_.emplace(samples.metric, samples.rank.value_or(-1)).second) {
    throw Problem("samples of " + samples.metric +
                  (samples.rank ? " of rank " + std::to_string(*samples.rank) : "") +
                  " stand twice, left out");
  }
  value_count_ += line.values.size();
  samples.values = std::move(line.values);
  if (const std::string problem = find_window_problem(samples); !problem.empty()) {
    throw Problem(problem);
  }
  return samples;
}

Record failed_record(const std::string& problem) {
  Record record;
  record.problems.push_back(problem);
  return record;
}

struct ReadFileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

Record read_record(const std::string& path, const ReadLimits& limits) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return failed_record("the trial wrote no output file: " + path);
  }
  const std::unique_ptr<std::FILE, ReadFileCloser> file(std::fopen(path.c_str(), "re"));
  if (!file) {
    return failed_record("the trial's output file cannot be read: " + path);
  }
  RecordParser parser(limits);
  std::vector<char> chunk(std::size_t{1} << 20U);
  std::size_t total = 0;
  while (!parser.is_stopped()) {
    const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), file.get());
    if (got == 0) {
      break;
    }
    const std::size_t allowed = std::min(got, limits.file_bytes - total);
    parser.feed({chunk.data(), allowed});
    total += allowed;
    if (allowed < got) {
      parser.stop("the file is longer than " + std::to_string(limits.file_bytes) +
                  " bytes, the rest is left out");
    }
  }
  if (std::ferror(file.get()) != 0) {
    parser.stop("the file could not be read to its end");
  }
  return parser.finish();
}

Record parse_record(std::string_view text, const ReadLimits& limits) {
  RecordParser parser(limits);
  const std::size_t allowed = std::min(text.size(), limits.file_bytes);
  parser.feed(text.substr(0, allowed));
  if (allowed < text.size()) {
    parser.stop("longer than " + std::to_string(limits.file_bytes) +
                " bytes, the rest is left out");
  }
  return parser.finish();
}

}  // namespace scalestudy::protocol
