#include "harness/import/runs/cell_finder.h"

#include <algorithm>
#include <set>
#include <variant>

#include <fmt/format.h>

#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) {
    return true;
  }
  const std::optional<double> left = parse_number(a);
  return left && left == parse_number(b);
}

namespace {

void add_once(const std::string& text, std::vector<std::string>& texts) {
  if (std::ranges::find(texts, text) == texts.end()) {
    texts.push_back(text);
  }
}

NamedTexts values_of(const Cell& cell) {
  NamedTexts values{{"devices", std::to_string(cell.devices)},
                    {"nodes", std::to_string(cell.nodes)}};
  if (cell.batch_global) {
    values["batch_global"] = std::to_string(*cell.batch_global);
  }
  if (cell.batch_per_device) {
    values["batch_per_device"] = std::to_string(*cell.batch_per_device);
  }
  for (const auto& [name, value] : cell.varied) {
    values[name] = format_value(value);
  }
  return values;
}

}  // namespace

CellFinder::CellFinder(const Matrix& matrix) {
  const auto add = [this](const Cell& cell, const std::string& excluded) {
    if (cell.role != CellRole::kMeasured) {
      return;
    }
    Entry& entry = entries_.emplace_back(
        Entry{.cell = &cell, .values = values_of(cell), .excluded = excluded});
    for (const auto& [name, value] : cell.varied) {
      add_once(name, varied_);
      if (std::holds_alternative<std::string>(value) && parse_number(format_value(value))) {
        exact_.insert(name);
      }
    }
    for (const auto& [name, value] : entry.values) {
      add_once(value, values_[name]);
    }
  };
  for (const Cell& cell : matrix.cells) {
    add(cell, "");
  }
  for (const ExcludedCell& excluded : matrix.excluded) {
    add(excluded.cell, excluded.reason);
  }
}

bool CellFinder::is_same(const std::string& name,
                         const std::string& value,
                         const std::string& text) const {
  return exact_.contains(name) ? value == text : same_value(value, text);
}

bool CellFinder::has_value(const std::string& name, const std::string& text) const {
  const auto found = values_.find(name);
  return found != values_.end() &&
         std::ranges::any_of(found->second,
                             [&](const std::string& value) { return is_same(name, value, text); });
}

std::string CellFinder::allowed(const std::string& name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? "" : join(found->second, ", ");
}

std::string CellFinder::axes() const {
  std::vector<std::string> texts;
  for (const std::string& name : varied_) {
    texts.push_back(fmt::format("{} ({})", name, allowed(name)));
  }
  return join(texts, ", ");
}

CellFinder::Found CellFinder::find(const NamedTexts& given) const {
  std::vector<std::string> asked;
  for (const auto& [name, text] : given) {
    if (has(name)) {
      if (!has_value(name, text)) {
        return {.cell = nullptr,
                .problem = fmt::format(
                    "{} {} is not in the study, which has {}", name, text, allowed(name))};
      }
      asked.push_back(name + " " + text);
    }
  }
  std::vector<const Entry*> fitting;
  for (const Entry& entry : entries_) {
    const bool fits = std::ranges::all_of(given, [&](const auto& named) {
      const auto own = entry.values.find(named.first);
      return !has(named.first) ||
             (own != entry.values.end() && is_same(named.first, own->second, named.second));
    });
    if (fits) {
      fitting.push_back(&entry);
    }
  }
  if (fitting.empty()) {
    return {.cell = nullptr,
            .problem = fmt::format("the study has no cell with {}", join(asked, ", "))};
  }
  if (fitting.size() == 1) {
    const Entry& entry = *fitting.front();
    return entry.excluded.empty()
               ? Found{.cell = entry.cell, .problem = ""}
               : Found{.cell = nullptr,
                       .problem = fmt::format(
                           "the study excludes {}: {}", join(asked, ", "), entry.excluded)};
  }
  for (const std::string& name : varied_) {
    std::set<std::string> values;
    for (const Entry* entry : fitting) {
      const auto own = entry->values.find(name);
      values.insert(own == entry->values.end() ? "" : own->second);
    }
    if (values.size() > 1) {
      return {
          .cell = nullptr,
          .problem = fmt::format(
              "has no value of {0} ({1}); give it by {{{0}}} in --from, a group of --separator or "
              "a column of --map",
              name,
              allowed(name))};
    }
  }
  return {.cell = nullptr, .problem = "is of several cells that nothing tells apart"};
}

}  // namespace scalestudy
