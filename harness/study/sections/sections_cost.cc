// cost: what machines, energy and purchases cost, and what is to be trained.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

Declared read_declared(Fields& fields) {
  Declared declared;
  declared.source = fields.text("source").value_or("");
  declared.date = fields.day("date").value_or("");
  return declared;
}

std::string read_name(Fields& fields) {
  return fields.require("name") ? fields.text("name").value_or("") : "";
}

// Amortised: as a price of one device for one hour.
void read_hardware(const YamlNode& node, SectionContext& context, Price& price) {
  constexpr double hours_a_year = 8760.0;
  Fields fields = section_fields(node, "cost.hardware", context.problems);
  const auto required = [&](const char* key) {
    return fields.require(key) ? fields.positive_number(key).value_or(1.0) : 1.0;
  };
  const double bought = required("price");
  const double years = required("years");
  const double hours = fields.positive_number("hours_a_year").value_or(hours_a_year);
  const auto devices =
      static_cast<double>(fields.integer("devices", 1, 1000000).value_or(std::int64_t{1}));
  price.per_device_hour = bought / (years * hours * devices);
  price.basis = fmt::format("{} over {} years of {} hours, {}",
                            format_declared(bought),
                            format_declared(years),
                            format_declared(hours),
                            format_count(static_cast<std::int64_t>(devices), "device"));
}

// Exactly one of the ways to say a price.
Price read_price(Fields& fields, SectionContext& context, const std::vector<std::string>& ways) {
  Price price;
  price.preemptions_per_device_hour =
      fields.positive_number("preemptions_per_device_hour").value_or(0.0);
  std::vector<std::string> said;
  for (const std::string& way : ways) {
    if (fields.has(way)) {
      said.push_back(way);
    }
  }
  if (said.size() != 1) {
    context.problems.add(
        fields.node(),
        fmt::format("{} needs exactly one of {}", fields.path("*"), fmt::join(ways, ", ")));
    return price;
  }
  if (said[0] == "hardware") {
    if (const YamlNode* node = fields.map("hardware")) {
      read_hardware(*node, context, price);
    }
    return price;
  }
  const double value = fields.positive_number(said[0]).value_or(1.0);
  (said[0] == "per_node_hour" ? price.per_node_hour : price.per_device_hour) = value;
  return price;
}

EnergyUse read_energy(const YamlNode& node, SectionContext& context) {
  Fields fields = section_fields(node, "cost.energy", context.problems);
  EnergyUse energy;
  if (fields.require("watts_per_device")) {
    energy.watts_per_device = fields.positive_number("watts_per_device").value_or(1.0);
  }
  energy.per_kwh = fields.positive_number("per_kwh").value_or(0.0);
  energy.kg_co2_per_kwh = fields.positive_number("kg_co2_per_kwh").value_or(0.0);
  energy.pue = fields.positive_number("pue").value_or(1.0);
  if (energy.pue < 1.0) {
    fields.problem("pue",
                   "cost.energy.pue is what a site uses over what its machines use: 1 or more is "
                   "required, e.g. 1.2");
  }
  energy.declared = read_declared(fields);
  return energy;
}

// "1,281,167", "300 billion", "1 trillion".
std::string amount_text(double count) {
  for (const auto& [scale, word] : {std::pair(1e12, "trillion"), std::pair(1e9, "billion")}) {
    const double thousandths = std::round(1000.0 * count / scale);
    if (count >= scale && thousandths * scale == 1000.0 * count) {
      return format_declared(count / scale) + " " + word;
    }
  }
  return format_decimals(count, 0);
}

Training read_training(const YamlNode& node, SectionContext& context) {
  Fields fields = section_fields(node, "cost.train", context.problems);
  Training training;
  const auto samples = fields.positive_number("samples");
  const auto tokens = fields.positive_number("tokens");
  const auto epochs = fields.positive_number("epochs");
  const auto each = fields.positive_number("samples_per_epoch");
  const bool is_epochs = fields.has("epochs") && fields.has("samples_per_epoch");
  const int ways = (fields.has("samples") ? 1 : 0) + (fields.has("tokens") ? 1 : 0) +
                   (fields.has("epochs") || fields.has("samples_per_epoch") ? 1 : 0);
  if (ways != 1 || (fields.has("epochs") && !is_epochs) ||
      (fields.has("samples_per_epoch") && !is_epochs)) {
    context.problems.add(node,
                         "cost.train needs samples, or tokens, or epochs with samples_per_epoch");
    return training;
  }
  training.samples = samples ? *samples : epochs && each ? *epochs * *each : 0.0;
  training.tokens = tokens.value_or(0.0);
  training.samples_per_epoch = is_epochs ? each.value_or(0.0) : 0.0;
  training.text = is_epochs ? fmt::format("{} {} of {} samples",
                                          format_declared(epochs.value_or(0.0)),
                                          epochs == 1.0 ? "epoch" : "epochs",
                                          amount_text(each.value_or(0.0)))
                  : tokens  ? amount_text(*tokens) + " tokens"
                            : amount_text(training.samples) + " samples";
  return training;
}

// Each map of a list, whose names differ: results are kept by them.
template <typename Read>
void read_each(Fields& cost, const std::string& key, SectionContext& context, const Read& read) {
  const YamlNode* list = cost.list(key);
  std::set<std::string> names;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    Fields fields =
        section_fields(list->items[i], fmt::format("cost.{}[{}]", key, i), context.problems);
    if (fields.is_map()) {
      read(fields);
      const YamlNode* name = list->items[i].find("name");
      if (name != nullptr && !names.insert(name->text).second) {
        context.problems.refuse(*name,
                                fmt::format("cost.{} has {} twice; names differ", key, name->text));
      }
    }
  }
}

void read_lists(Fields& fields, SectionContext& context, Cost& cost) {
  read_each(fields, "prices", context, [&](Fields& item) {
    const std::string name = read_name(item);
    Price price = read_price(item, context, {"per_device_hour", "per_node_hour"});
    price.name = name;
    price.declared = read_declared(item);
    cost.others.push_back(std::move(price));
  });
  read_each(fields, "lines", context, [&](Fields& item) {
    CostLine line;
    line.name = read_name(item);
    line.per_hour = item.positive_number("per_hour").value_or(0.0);
    line.per_training = item.positive_number("per_training").value_or(0.0);
    if (!item.has("per_hour") && !item.has("per_training")) {
      context.problems.add(item.node(), item.path("*") + " needs per_hour, per_training or both");
    }
    line.declared = read_declared(item);
    cost.lines.push_back(std::move(line));
  });
  read_each(fields, "investments", context, [&](Fields& item) {
    Investment investment;
    investment.name = read_name(item);
    if (item.require("price")) {
      investment.price = item.positive_number("price").value_or(1.0);
    }
    if (item.require("where")) {
      if (const YamlNode* where = item.map("where")) {
        investment.where = read_selection(*where, item.path("where"), context);
      }
    }
    investment.declared = read_declared(item);
    cost.investments.push_back(std::move(investment));
  });
}

}  // namespace

void read_cost(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("cost");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "cost", context.problems);
  if (!fields.is_map()) {
    return;
  }
  Cost cost;
  cost.price = read_price(fields, context, {"per_device_hour", "per_node_hour", "hardware"});
  cost.price.declared = read_declared(fields);
  cost.currency = fields.text("currency").value_or(cost.currency);
  if (cost.currency != kDeviceHours && !re2::RE2::FullMatch(cost.currency, "[A-Z]{3}")) {
    fields.problem(
        "currency",
        fmt::format("cost.currency is \"{}\"; three capital letters are required, e.g. USD, or {}",
                    cost.currency.substr(0, 60),
                    kDeviceHours));
  }
  if (const YamlNode* energy = fields.map("energy")) {
    cost.energy = read_energy(*energy, context);
  }
  if (const YamlNode* train = fields.map("train")) {
    cost.train = read_training(*train, context);
  }
  read_lists(fields, context, cost);
  context.study.cost = std::move(cost);
}

}  // namespace scalestudy
