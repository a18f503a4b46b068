#include "harness/run/outcome/line_extractor.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "harness/study/matrix/command.h"
#include "workloads/protocol/names.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMllog = ":::MLLOG";
constexpr int kMostRanks = 65'536;  // as protocol::ReadLimits

// "177,138" without its commas; anything but thousands in groups of three stays as it is.
std::string without_thousands(std::string text) {
  static const re2::RE2 kGrouped("[-+]?[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]*)?");
  if (re2::RE2::FullMatch(text, kGrouped)) {
    std::erase(text, ',');
  }
  return text;
}

double parse_printed(const std::string& printed) {
  const std::string text = without_thousands(printed);
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ptr != text.data() + text.size() || result.ec == std::errc::invalid_argument) {
    throw BadValue("'" + printed + "' is no number");
  }
  if (result.ec == std::errc::result_out_of_range) {
    throw BadNumber("'" + printed + "' is out of range");
  }
  if (!std::isfinite(value)) {
    throw BadNumber("'" + printed + "' is not finite, a finite number is required");
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

// The JSON object from some brace at or behind `begin` to the end of the line; nothing when there
// is none. The first braces alone are tried: each trial reads the whole line.
std::optional<Json> parse_object(const std::string& line, std::size_t begin) {
  constexpr int most_trials = 4;
  begin = line.find('{', begin);
  for (int i = 0; i < most_trials && begin != std::string::npos; ++i) {
    // NaN is no JSON; such a line is not an object, and the count of values will not fit.
    Json object = Json::parse(line.begin() + static_cast<std::ptrdiff_t>(begin),
                              line.end(),
                              /*cb=*/nullptr,
                              /*allow_exceptions=*/false);
    if (!object.is_discarded()) {
      return object;
    }
    begin = line.find('{', begin + 1);
  }
  return std::nullopt;
}

// Members by dots, elements of arrays by their index.
class JsonPath {
 public:
  explicit JsonPath(const std::string& path) {
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t dot = std::min(path.find('.', begin), path.size());
      steps_.push_back(path.substr(begin, dot - begin));
      begin = dot + 1;
    }
  }

  // nullptr where `object` does not have it.
  const Json* find(const Json& object) const {
    const Json* at = &object;
    for (const std::string& step : steps_) {
      at = at == nullptr ? nullptr : child(*at, step);
    }
    return at;
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

std::vector<double> numbers_of(const Json& value) {
  std::vector<double> numbers;
  if (!value.is_array()) {
    numbers.push_back(to_number(value));
    return numbers;
  }
  for (const Json& element : value) {
    numbers.push_back(to_number(element));
  }
  return numbers;
}

class JsonExtractor final : public LineExtractor {
 public:
  explicit JsonExtractor(const ExtractRule& rule) : LineExtractor(rule), path_(rule.json_path) {}

  FoundNumbers find(const std::string& line) const override {
    const std::optional<Json> object = parse_object(line, 0);
    const Json* value = object ? path_.find(*object) : nullptr;
    return {.numbers = value == nullptr ? std::vector<double>() : numbers_of(*value)};
  }

 private:
  JsonPath path_;
};

class MllogExtractor final : public LineExtractor {
 public:
  explicit MllogExtractor(const ExtractRule& rule)
      : LineExtractor(rule), path_(rule.json_path.empty() ? "value" : rule.json_path) {}

  FoundNumbers find(const std::string& line) const override {
    const std::size_t mark = line.find(kMllog);
    const std::optional<Json> object =
        mark == std::string::npos ? std::nullopt : parse_object(line, mark + kMllog.size());
    const auto key = object ? object->find("key") : Json::const_iterator();
    if (!object || key == object->end() || *key != rule().mllog_key) {
      return {};
    }
    const Json* value = path_.find(*object);
    if (value == nullptr && rule().json_path.empty()) {
      throw BadValue("no 'value' beside the key");
    }
    return {.numbers = value == nullptr ? std::vector<double>() : numbers_of(*value)};
  }

 private:
  JsonPath path_;
};

class RegexExtractor final : public LineExtractor {
 public:
  explicit RegexExtractor(const ExtractRule& rule)
      : LineExtractor(rule),
        regex_(rule.regex, re2::RE2::Quiet),
        must_be_time_(protocol::is_time_metric(rule.metric) && !stored_unit(rule).is_rate) {
    if (!regex_.ok() || regex_.NumberOfCapturingGroups() < rule.group) {
      throw BadPattern(regex_.ok() ? fmt::format("no group {}", rule.group) : regex_.error());
    }
    const auto& named = regex_.NamedCapturingGroups();
    const auto rank = named.find(kRankGroup);
    rank_group_ = rank == named.end() ? 0 : rank->second;
  }

  FoundNumbers find(const std::string& line) const override {
    std::vector<re2::StringPiece> groups(
        static_cast<std::size_t>(std::max(rule().group, rank_group_)) + 1);
    const bool is_match = regex_.Match(
        line, 0, line.size(), re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()));
    const re2::StringPiece& group = groups[static_cast<std::size_t>(rule().group)];
    if (!is_match || group.data() == nullptr) {
      return {};
    }
    const std::string text(group.data(), group.size());
    if (must_be_time_) {
      refuse_rate(text,
                  line.substr(static_cast<std::size_t>(group.data() - line.data()) + text.size()));
    }
    return {.numbers = {parse_printed(text)}, .rank = read_rank(groups)};
  }

 private:
  std::optional<int> read_rank(const std::vector<re2::StringPiece>& groups) const {
    if (rank_group_ == 0) {
      return std::nullopt;
    }
    const re2::StringPiece& text = groups[static_cast<std::size_t>(rank_group_)];
    int rank = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (text.data() == nullptr || read.ec != std::errc{} || read.ptr != text.data() + text.size() ||
        rank < 0 || rank >= kMostRanks) {
      throw BadValue(fmt::format(
          "'{}' is no rank, 0 to {}", std::string(text.data(), text.size()), kMostRanks - 1));
    }
    return rank;
  }

  // "3.51it/s" read as seconds would be a wrong time that looks right.
  void refuse_rate(const std::string& number, const std::string& behind) const {
    static const re2::RE2 kRate("^\\s?([A-Za-z]+/(?:s|sec|second|min|h))\\b");
    std::string unit;
    if (re2::RE2::PartialMatch(behind, kRate, &unit)) {
      throw BadValue(
          fmt::format("'{}' is followed by '{}', a rate, and the rule says {}; its unit "
                      "must be the rate's, e.g. it/s or samples/s",
                      number,
                      unit,
                      rule().unit));
    }
  }

  re2::RE2 regex_;
  bool must_be_time_;
  int rank_group_ = 0;  // 0: lines do not say whose they are
};

}  // namespace

std::unique_ptr<LineExtractor> make_line_extractor(const ExtractRule& rule) {
  if (!rule.mllog_key.empty()) {
    return std::make_unique<MllogExtractor>(rule);
  }
  if (!rule.json_path.empty()) {
    return std::make_unique<JsonExtractor>(rule);
  }
  return std::make_unique<RegexExtractor>(rule);
}

}  // namespace scalestudy
