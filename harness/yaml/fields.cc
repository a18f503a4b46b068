// Typed fields of a YAML map.
#include "harness/yaml/fields.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "harness/text/text.h"

namespace scalestudy {
namespace {

// Whether the text is "2026-11-01", a day that there is.
bool is_day(const std::string& text) {
  constexpr std::size_t year_end = 4;
  constexpr std::size_t month_end = 7;
  if (text.size() != std::string_view("2026-11-01").size() || text[year_end] != '-' ||
      text[month_end] != '-' || std::ranges::count(text, '-') != 2 ||
      text.find_first_not_of("0123456789-") != std::string::npos) {
    return false;
  }
  const std::chrono::year_month_day day{
      std::chrono::year(std::stoi(text.substr(0, year_end))),
      std::chrono::month(static_cast<unsigned>(std::stoi(text.substr(year_end + 1, 2)))),
      std::chrono::day(static_cast<unsigned>(std::stoi(text.substr(month_end + 1, 2))))};
  return day.ok();
}

// What to change in a text that people read as a number: "5" with its quotes, 0x5, 05.
std::string mend_number(const YamlNode& value) {
  if (value.is_quoted) {
    return parse_number(value.text) ? ", without quotes" : "";
  }
  const bool has_leading_zero = value.text.starts_with('0') && value.text.size() > 1 &&
                                value.text.find('.') == std::string::npos;
  return has_leading_zero ? ", in decimal digits without a leading 0" : "";
}

}  // namespace

void ProblemList::add(const YamlNode& at, const std::string& message) {
  const std::string text =
      at.line == 0 && !at.origin.empty() ? at.origin + ": " + message : message;
  problems_.push_back({at.line, at.column, text});
}

bool ProblemList::refuse(const YamlNode& at, const std::string& message) {
  if (is_stored()) {
    return false;
  }
  add(at, message);
  return true;
}

std::string suggestion(const std::string& word, std::span<const std::string> candidates) {
  const std::string match = closest_match(word, candidates);
  return match.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", match);
}

std::string describe(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kScalar:
      return fmt::format("\"{}\"", node.text.substr(0, 60));
    case YamlNode::Kind::kSequence:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a mapping";
  }
  return "";
}

bool is_word(const YamlNode& item,
             const std::string& what,
             const std::vector<std::string>& allowed,
             ProblemList& problems) {
  const bool is_allowed =
      item.is_scalar() && std::find(allowed.begin(), allowed.end(), item.text) != allowed.end();
  if (!is_allowed) {
    problems.add(item,
                 fmt::format("{} is {}; allowed: {}{}",
                             what,
                             describe(item),
                             join(allowed, ", "),
                             suggestion(item.text, allowed)));
  }
  return is_allowed;
}

Fields::Fields(const YamlNode& node,
               std::string name,
               const std::vector<std::string>& keys,
               ProblemList& problems)
    : node_(node), name_(std::move(name)), problems_(problems) {
  if (!node.is_map()) {
    problems_.add(node,
                  fmt::format("{} must be a mapping with the keys {}, not {}",
                              name_.empty() ? "a study" : name_,
                              join(keys, ", "),
                              describe(node)));
    return;
  }
  for (const YamlNode& key : node.keys) {
    if (std::find(keys.begin(), keys.end(), key.text) == keys.end()) {
      const std::string hint = suggestion(key.text, keys);
      problems_.refuse(
          key,
          fmt::format("unknown key \"{}\"{}{}",
                      key.text,
                      name_.empty() ? "" : " in " + name_,
                      hint.empty() ? fmt::format("; allowed: {}", join(keys, ", ")) : hint));
    }
  }
}

std::string Fields::path(const std::string& key) const {
  return name_.empty() ? key : name_ + "." + key;
}

bool Fields::problem(const std::string& key, const std::string& message) {
  const YamlNode* value = node_.find(key);
  return problems_.refuse(value == nullptr ? node_ : *value, message);
}

bool Fields::require(const std::string& key) {
  if (!is_map() || has(key)) {
    return is_map();
  }
  problems_.add(node_, fmt::format("{} is missing", path(key)));
  return false;
}

void Fields::refuse(const std::vector<std::string>& keys, const std::string& reason) {
  for (const std::string& key : keys) {
    if (has(key)) {
      problem(key, fmt::format("{} {}", path(key), reason));
    }
  }
}

const YamlNode* Fields::of_kind(const std::string& key,
                                YamlNode::Kind kind,
                                const std::string& what) {
  const YamlNode* value = node_.find(key);
  if (value != nullptr && value->kind != kind) {
    problems_.add(*value, fmt::format("{} must be {}, not {}", path(key), what, describe(*value)));
    return nullptr;
  }
  return value;
}

const YamlNode* Fields::scalar(const std::string& key, const std::string& what) {
  return of_kind(key, YamlNode::Kind::kScalar, what);
}

std::optional<std::string> Fields::text(const std::string& key) {
  const YamlNode* value = scalar(key, "text");
  if (value == nullptr) {
    return std::nullopt;
  }
  if (value->text.empty() && problems_.refuse(*value, fmt::format("{} is empty", path(key)))) {
    return std::nullopt;
  }
  return value->text;
}

std::optional<std::string> Fields::choice(const std::string& key,
                                          const std::vector<std::string>& allowed) {
  const YamlNode* value = scalar(key, "one of " + join(allowed, ", "));
  return value != nullptr && is_word(*value, path(key), allowed, problems_)
             ? std::optional(value->text)
             : std::nullopt;
}

std::optional<std::string> Fields::day(const std::string& key) {
  const auto date = text(key);
  if (date && !is_day(*date)) {
    problem(key,
            fmt::format("{} is \"{}\"; a day of the calendar is required, e.g. 2026-11-01",
                        path(key),
                        date->substr(0, 60)));
  }
  return date;
}

std::optional<std::int64_t> Fields::integer(const std::string& key,
                                            std::int64_t lo,
                                            std::int64_t hi) {
  const std::string what = fmt::format("an integer from {} to {}", lo, hi);
  const YamlNode* value = scalar(key, what);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto number = value->is_quoted ? std::nullopt : parse_integer(value->text);
  const auto message = [&] {
    return fmt::format(
        "{} is {}; {} is required{}", path(key), describe(*value), what, mend_number(*value));
  };
  if (!number) {
    problems_.add(*value, message());
    return std::nullopt;
  }
  const bool is_allowed = *number >= lo && *number <= hi;
  return is_allowed || !problems_.refuse(*value, message()) ? number : std::nullopt;
}

std::optional<double> Fields::number(const std::string& key) {
  const YamlNode* value = scalar(key, "a number");
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto number = value->is_quoted ? std::nullopt : parse_number(value->text);
  if (!number) {
    problems_.add(
        *value,
        fmt::format(
            "{} is {}; a number is required{}", path(key), describe(*value), mend_number(*value)));
  }
  return number;
}

std::optional<double> Fields::positive_number(const std::string& key) {
  const auto value = number(key);
  if (value && !(*value > 0.0) &&
      problem(key, fmt::format("{} is {}; it must be above 0", path(key), *value))) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> Fields::quantity(const std::string& key,
                                       Quantity (*parse)(std::string_view)) {
  const YamlNode* value = scalar(key, "a number with a unit");
  if (value == nullptr) {
    return std::nullopt;
  }
  const Quantity quantity = parse(value->text);
  if (!quantity.value) {
    problems_.add(*value, path(key) + ": " + quantity.problem);
  }
  return quantity.value;
}

std::optional<double> Fields::duration_s(const std::string& key) {
  constexpr double least_s = 1e-9;               // no clock counts in shorter times
  constexpr double most_s = 100'000 * 86'400.0;  // no clock or batch system counts further
  const auto value = quantity(key, parse_duration_s);
  if (value && !(*value >= least_s && *value <= most_s) &&
      problem(key,
              fmt::format("{} is {}; it must be {}",
                          path(key),
                          find(key)->text,
                          *value > most_s ? "100000d at most"
                          : *value > 0.0  ? "0.001 µs at least"
                                          : "above 0"))) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> Fields::bytes(const std::string& key) {
  const auto value = quantity(key, parse_bytes);
  if (value && !(*value > 0.0) &&
      problem(key, fmt::format("{} is {}; it must be above 0", path(key), find(key)->text))) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> Fields::percent(const std::string& key) {
  return quantity(key, parse_percent);
}

const YamlNode* Fields::map(const std::string& key) {
  return of_kind(key, YamlNode::Kind::kMap, "a mapping");
}

const YamlNode* Fields::list(const std::string& key) {
  return of_kind(key, YamlNode::Kind::kSequence, "a list");
}

}  // namespace scalestudy
