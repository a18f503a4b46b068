#include "harness/run/values/json_extractor.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <re2/re2.h>

#include "harness/run/output/json_text.h"
#include "harness/run/values/printed_number.h"
#include "harness/run/values/printed_unit.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMllog = ":::MLLOG";
constexpr std::size_t kQuoted = 80;  // bytes of a line that a message shows

// Copying and printing a nested value recurse as deep as it is nested, and a trial nests as deep as
// it likes: what has members is named by its kind, and found values are never copied.
void add_number(const Json& value, const ExtractRule& rule, FoundNumbers& found) {
  if (value.is_structured()) {
    throw BadValue(fmt::format("an {} is not a number", value.type_name()));
  }
  if (value.is_string() && value.get_ref<const std::string&>().size() <= kQuoted) {
    add_printed(value.get_ref<const std::string&>(), rule, found);
  } else if (value.is_number()) {
    found.numbers.push_back(value.get<double>());
  } else {
    throw BadValue(fmt::format("{} is not a number", value.dump().substr(0, kQuoted)));
  }
}

// - key: the member that the value is of, whose name may end in a unit.
void add_numbers(const Json& value,
                 const std::string& key,
                 const ExtractRule& rule,
                 FoundNumbers& found) {
  const Json& first = value.is_array() && !value.empty() ? value.front() : value;
  if (first.is_number()) {
    refuse_other_unit("\"" + key + "\": ", first.dump(), "", rule);
  }
  if (!value.is_array()) {
    add_number(value, rule, found);
    return;
  }
  for (const Json& element : value) {
    add_number(element, rule, found);
  }
}

// What was found, of one rank or of all together; empty without a number.
std::vector<FoundNumbers> listed(FoundNumbers found) {
  std::vector<FoundNumbers> all;
  if (!found.numbers.empty()) {
    all.push_back(std::move(found));
  }
  return all;
}

std::optional<Json> parse(const JsonPiece& taken) {
  Json value = Json::parse(taken.text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? std::nullopt : std::optional(std::move(value));
}

// Members by dots, elements of arrays by their index.
class JsonPath {
 public:
  explicit JsonPath(const std::string& path) : steps_(split(path, ".")) {}

  // nullptr where `object` does not have it.
  const Json* find(const Json& object) const {
    const Json* at = &object;
    for (const std::string& step : steps_) {
      at = at == nullptr ? nullptr : child(*at, step);
    }
    return at;
  }

  // The last member that it names; "" if it has indexes alone.
  std::string key() const {
    const auto named = std::find_if(steps_.rbegin(), steps_.rend(), [](const std::string& step) {
      return !parse_whole<std::size_t>(step);
    });
    return named == steps_.rend() ? "" : *named;
  }

 private:
  static const Json* child(const Json& value, const std::string& step) {
    if (value.is_object()) {
      const auto found = value.find(step);
      return found == value.end() ? nullptr : &*found;
    }
    const auto index = parse_whole<std::size_t>(step);
    return value.is_array() && index && *index < value.size() ? &value[*index] : nullptr;
  }

  std::vector<std::string> steps_;
};

// The number of the step at the rule's step_path, which may be written as 16.0 or "16"; absent
// where there is no such number.
class StepPath {
 public:
  explicit StepPath(const ExtractRule& rule) {
    if (!rule.step_path.empty()) {
      path_.emplace(rule.step_path);
    }
  }

  std::optional<std::int64_t> find(const Json& object) const {
    const Json* value = path_ ? path_->find(object) : nullptr;
    if (value != nullptr && value->is_string()) {
      const auto& text = value->get_ref<const std::string&>();
      const bool is_whole = text.find_first_not_of("0123456789") == std::string::npos;
      return is_whole && !text.empty() ? std::optional(parse_step(text)) : std::nullopt;
    }
    if (value == nullptr || !value->is_number()) {
      return std::nullopt;
    }
    const auto number = value->get<double>();
    return parse_step(number == std::floor(number) ? fmt::format("{:.0f}", number)
                                                   : fmt::format("{}", number));
  }

 private:
  std::optional<JsonPath> path_;
};

// The member of this name, with what begins as a number: the rest of a line that was cut.
std::string named_number(const std::string& key) {
  return "\"" + re2::RE2::QuoteMeta(key) + "\"\\s*:[\\s\\[\"]*[-+]?(?:[0-9.]|(?i:nan|inf))";
}

class JsonExtractor final : public LineExtractor {
 public:
  explicit JsonExtractor(const ExtractRule& rule)
      : LineExtractor(rule),
        path_(rule.json_path),
        step_path_(rule),
        key_(path_.key()),
        names_value_(named_number(key_)) {}

  std::vector<FoundNumbers> find(const std::string& line) const override {
    constexpr int most_braces = 16;  // that are tried: each trial may read the whole line
    FoundNumbers found;
    std::size_t after = 0;  // the last object
    std::size_t begin = line.find('{');
    for (int i = 0; i < most_braces && begin != std::string::npos; ++i) {
      const std::optional<JsonPiece> taken = take_json(line, begin);
      const std::optional<Json> object = taken ? parse(*taken) : std::nullopt;
      if (object) {
        refuse_named(line, after, begin);
        after = taken->end;
        if (const Json* value = path_.find(*object)) {
          add_numbers(*value, key_, rule(), found);
          found.step = step_path_.find(*object);
        }
      } else if (begins_as_object(line, begin)) {
        if (line.find_first_not_of(" \t") == begin) {
          refuse(line, taken.has_value());
        }
        break;
      }
      begin = line.find('{', taken ? taken->end : begin + 1);
    }
    refuse_named(line, after, line.size());
    return listed(std::move(found));
  }

 private:
  // Where no object is, nothing may look like the value.
  void refuse_named(const std::string& line, std::size_t begin, std::size_t end) const {
    const re2::StringPiece between(line.data() + begin, end - begin);
    if (!key_.empty() && between.find(key_) != re2::StringPiece::npos &&
        re2::RE2::PartialMatch(between, names_value_)) {
      refuse(line.substr(begin), line.find('{', begin) != std::string::npos);
    }
  }

  [[noreturn]] static void refuse(const std::string& line, bool has_object) {
    const std::string text = line.size() > kQuoted ? line.substr(0, kQuoted) + " ..." : line;
    throw BadNumber(fmt::format("'{}' is not a JSON object{}",
                                text,
                                has_object ? ""
                                           : "; if it is part of a document over several "
                                             "lines, add json: document to the rule"));
  }

  JsonPath path_;
  StepPath step_path_;
  std::string key_;  // of the value
  re2::RE2 names_value_;
};

// Is given whole documents instead of lines.
class DocumentExtractor final : public LineExtractor {
 public:
  explicit DocumentExtractor(const ExtractRule& rule)
      : LineExtractor(rule), path_(rule.json_path), step_path_(rule) {}

  std::vector<FoundNumbers> find(const std::string& document) const override {
    const std::optional<JsonPiece> taken = take_json(document, 0);
    const std::optional<Json> root = taken ? parse(*taken) : std::nullopt;
    if (!root && begins_as_object(document, 0)) {
      throw BadNumber(fmt::format("the JSON document that begins here {}",
                                  taken ? "does not parse" : "does not end"));
    }
    FoundNumbers found;
    if (const Json* value = root ? path_.find(*root) : nullptr) {
      add_numbers(*value, path_.key(), rule(), found);
      found.step = step_path_.find(*root);
    }
    return listed(std::move(found));
  }

 private:
  JsonPath path_;
  StepPath step_path_;
};

class MllogExtractor final : public LineExtractor {
 public:
  explicit MllogExtractor(const ExtractRule& rule)
      : LineExtractor(rule),
        path_(rule.json_path.empty() ? "value" : rule.json_path),
        step_path_(rule) {}

  std::vector<FoundNumbers> find(const std::string& line) const override {
    const std::size_t mark = line.find(kMllog);
    const std::size_t begin =
        mark == std::string::npos ? mark : line.find('{', mark + kMllog.size());
    if (begin == std::string::npos) {
      return {};
    }
    const std::optional<JsonPiece> taken = take_json(line, begin);
    const std::optional<Json> object = taken ? parse(*taken) : std::nullopt;
    if (!object) {
      throw BadNumber(
          fmt::format("'{}' is not a JSON object", line.substr(mark, kMllog.size() + kQuoted)));
    }
    const auto key = object->find("key");
    if (key == object->end() || *key != rule().mllog_key) {
      return {};
    }
    const Json* value = path_.find(*object);
    if (value == nullptr && rule().json_path.empty()) {
      throw BadValue("no 'value' beside the key");
    }
    FoundNumbers found;
    if (value != nullptr) {
      add_numbers(*value, rule().json_path.empty() ? rule().mllog_key : path_.key(), rule(), found);
      found.step = step_path_.find(*object);
    }
    return listed(std::move(found));
  }

 private:
  JsonPath path_;
  StepPath step_path_;
};

}  // namespace

std::unique_ptr<LineExtractor> make_json_extractor(const ExtractRule& rule) {
  if (rule.json == JsonForm::kDocument) {
    return std::make_unique<DocumentExtractor>(rule);
  }
  return std::make_unique<JsonExtractor>(rule);
}

std::unique_ptr<LineExtractor> make_mllog_extractor(const ExtractRule& rule) {
  return std::make_unique<MllogExtractor>(rule);
}

}  // namespace scalestudy
