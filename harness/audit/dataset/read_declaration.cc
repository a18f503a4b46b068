// Quantity, unit, conditions, rules.
#include "harness/audit/dataset/read_declaration.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

// One condition or shared figure.
void read_one(const YamlNode& key, const YamlNode& value, Given& given, ReadContext& context) {
  if (!value.is_scalar()) {
    context.problems.add(
        value, fmt::format("{} must be a number or text, not {}", key.text, describe(value)));
    return;
  }
  const QuantityInfo* info = find_quantity(key.text);
  if (info == nullptr || info->dimension == Dimension::kLabel) {
    if (info == nullptr) {
      context.label_uses.push_back({key.text, key});
    }
    given.conditions[key.text] = value.text;
    return;
  }
  FigureReading reading;
  reading.dimension = info->dimension;
  reading.is_exact = info->is_exact;
  const ParsedFigure parsed = parse_figure(value.text, reading);
  if (!parsed.figure || parsed.figure->form == FigureForm::kAbsent) {
    context.problems.add(
        value,
        fmt::format("{}: {}", key.text, parsed.figure ? "nothing is printed" : parsed.problem));
    return;
  }
  given.figures[key.text] = *parsed.figure;
  if (info->is_condition) {
    given.conditions[key.text] = condition_text(*parsed.figure);
  }
}

std::optional<Sql> read_sql(const YamlNode& node, const std::string& name, ReadContext& context) {
  Fields fields(node, name, {"sql", "formula"}, context.problems);
  if (!fields.require("sql") || !fields.require("formula")) {
    return std::nullopt;
  }
  const std::optional<std::string> text = fields.text("sql");
  const std::optional<std::string> formula = fields.text("formula");
  if (!text || !formula) {
    return std::nullopt;
  }
  return Sql{*text, *formula, place_of(*fields.find("sql"), context)};
}

struct RuleName {
  const char* key;
  Rule::Kind kind;
  std::size_t least;  // number of columns
  std::size_t most;
};

constexpr std::size_t kMostRuleColumns = 100;
constexpr auto kRules =
    std::to_array<RuleName>({{"sum", Rule::Kind::kSum, 2, kMostRuleColumns},
                             {"difference", Rule::Kind::kDifference, 2, 2},
                             {"product", Rule::Kind::kProduct, 2, kMostRuleColumns},
                             {"ratio", Rule::Kind::kRatio, 2, 2},
                             {"saving", Rule::Kind::kSaving, 2, 2},
                             {"change", Rule::Kind::kChange, 2, 2}});

std::optional<Rule> read_column_rule(const YamlNode& node,
                                     const std::string& name,
                                     ReadContext& context) {
  std::vector<std::string> keys;
  std::transform(kRules.begin(), kRules.end(), std::back_inserter(keys), [](const RuleName& rule) {
    return rule.key;
  });
  Fields fields(node, name, keys, context.problems);
  if (!fields.is_map()) {
    return std::nullopt;
  }
  if (node.keys.size() != 1) {
    context.problems.add(
        node, fmt::format("{} needs one of {}, or sql and formula", name, join(keys, ", ")));
    return std::nullopt;
  }
  const auto* const found = std::find_if(kRules.begin(), kRules.end(), [&](const RuleName& rule) {
    return node.keys.front().text == rule.key;
  });
  if (found == kRules.end()) {
    return std::nullopt;  // reported as an unknown key
  }
  Rule rule;
  rule.kind = found->kind;
  rule.columns = read_names(fields, found->key, context);
  if (rule.columns.size() < found->least || rule.columns.size() > found->most) {
    fields.problem(found->key,
                   fmt::format("{} names {} columns; {} are required",
                               fields.path(found->key),
                               rule.columns.size(),
                               found->least == found->most ? "2" : "2 or more"));
    return std::nullopt;
  }
  return rule;
}

std::optional<Rule> read_rule(Fields& fields, bool columns_allowed, ReadContext& context) {
  const YamlNode* node = fields.map("follows");
  if (node == nullptr) {
    return std::nullopt;
  }
  const std::string name = fields.path("follows");
  if (columns_allowed && node->find("sql") == nullptr && node->find("formula") == nullptr) {
    return read_column_rule(*node, name, context);
  }
  const std::optional<Sql> sql = read_sql(*node, name, context);
  return sql ? std::optional(Rule{Rule::Kind::kSql, {}, *sql}) : std::nullopt;
}

void read_part_of(Fields& fields,
                  bool columns_allowed,
                  Declaration& declared,
                  ReadContext& context) {
  const YamlNode* node = fields.find("part_of");
  if (node == nullptr) {
    return;
  }
  if (columns_allowed && node->is_scalar()) {
    declared.part_of_column = fields.text("part_of").value_or("");
  } else {
    declared.part_of_sql = read_sql(*node, fields.path("part_of"), context);
  }
}

void check_unit(Fields& fields, const QuantityInfo& info, const Declaration& declared) {
  if (declared.unit.empty()) {
    return;
  }
  if (info.dimension == Dimension::kLabel) {
    fields.problem("unit", fields.path("unit") + ": text has no unit");
  } else if (!unit_scale(declared.unit, info.dimension)) {
    fields.problem("unit",
                   fmt::format("{}: \"{}\" is not a unit of {} (base unit {}); see FORMAT.md",
                               fields.path("unit"),
                               declared.unit,
                               info.name,
                               base_unit(info.dimension)));
  }
}

}  // namespace

const std::vector<std::string> kDeclarationKeys{
    "quantity", "unit", "exact", "zeros", "at", "baseline", "follows", "part_of", "own_method"};

FilePlace place_of(const YamlNode& node, const ReadContext& context) {
  return {context.file, node.line, node.column};
}

Given read_given(Fields& fields, const std::string& key, ReadContext& context) {
  Given given;
  const YamlNode* node = fields.map(key);
  for (std::size_t i = 0; node != nullptr && i < node->keys.size(); ++i) {
    read_one(node->keys[i], node->items[i], given, context);
  }
  return given;
}

std::vector<std::string> read_names(Fields& fields, const std::string& key, ReadContext& context) {
  std::vector<std::string> names;
  const YamlNode* node = fields.list(key);
  for (std::size_t i = 0; node != nullptr && i < node->items.size(); ++i) {
    if (!node->items[i].is_scalar()) {
      context.problems.add(
          node->items[i],
          fmt::format("{} must hold names, not {}", fields.path(key), describe(node->items[i])));
      continue;
    }
    names.push_back(node->items[i].text);
  }
  return names;
}

Declaration read_declaration(Fields& fields, bool columns_allowed, ReadContext& context) {
  Declaration declared;
  if (!fields.require("quantity")) {
    return declared;
  }
  declared.quantity = fields.choice("quantity", quantity_names()).value_or("");
  const QuantityInfo* info = find_quantity(declared.quantity);
  if (info == nullptr) {
    return declared;
  }
  declared.unit = fields.text("unit").value_or("");
  check_unit(fields, *info, declared);
  const bool is_declared_exact = fields.choice("exact", {"true", "false"}) == "true";
  declared.is_exact = is_declared_exact || info->is_exact;
  const std::string zeros = fields.choice("zeros", {"digits", "shown", "rounding"}).value_or("");
  declared.zeros = zeros == "digits"  ? Zeros::kDigits
                   : zeros == "shown" ? Zeros::kShown
                                      : Zeros::kRounding;
  declared.at = read_given(fields, "at", context);
  declared.baseline = read_given(fields, "baseline", context).conditions;
  declared.follows = read_rule(fields, columns_allowed, context);
  read_part_of(fields, columns_allowed, declared, context);
  declared.own_method = fields.text("own_method").value_or("");
  if (declared.follows && !declared.own_method.empty()) {
    fields.problem("own_method",
                   fields.path("own_method") +
                       " says that the figures follow from no others; "
                       "follows says from which");
  }
  return declared;
}

FigureReading reading_for(const Declaration& declared) {
  FigureReading reading;
  const QuantityInfo* info = find_quantity(declared.quantity);
  reading.dimension = info == nullptr ? Dimension::kOther : info->dimension;
  reading.unit = declared.unit;
  reading.is_exact = declared.is_exact;
  reading.zeros_are_digits = declared.zeros == Zeros::kDigits;
  return reading;
}

}  // namespace scalestudy::audit
