// Groups and orders cells for people.
#include "harness/report/input/layout.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// A message size that a cell of `command` calls "small" is a part of its configuration.
bool is_message_size(const CellRow::Parameter& parameter) {
  return parameter.varied && parameter.name == "message_bytes" &&
         parameter.kind == ValueKind::kInteger;
}

bool has_own_column(const ReportInput& input, const CellRow::Parameter& parameter) {
  const std::string& name = parameter.name;
  return splits_groups(input, name) || name == "devices" ||
         (name == "nodes" && !input.index.nodes_tell_apart) || name == "batch_global" ||
         name == "batch_per_device" || is_message_size(parameter);
}

std::string group_label(const ReportInput& input, const CellRow& cell) {
  return name_parameters(
      cell,
      [&input](const auto& parameter) { return splits_groups(input, parameter.name); },
      input.declared.labels);
}

// Two labels may share a slug ("a b", "a-b"): the later ones get a number.
void make_slugs_unique(std::vector<Group>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto same = std::count_if(
        groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(i), [&](const Group& g) {
          return slug_of(g.label) == slug_of(groups[i].label);
        });
    if (same > 0) {
      groups[i].slug += fmt::format("_{}", same + 1);
    }
  }
}

// By configuration in the order of the study, then batch, devices and message size.
void sort_cells(const ReportInput& input, Group& group) {
  std::map<std::string, std::size_t> places;
  for (const CellRow* cell : group.cells) {
    places.emplace(configuration(input, *cell), places.size());
  }
  const auto place = [&](const CellRow& cell) {
    return std::tuple(places.at(configuration(input, cell)),
                      fixed_batch(input, cell),
                      cell.devices,
                      message_bytes(cell));
  };
  std::stable_sort(group.cells.begin(), group.cells.end(), [&](const CellRow* a, const CellRow* b) {
    return place(*a) < place(*b);
  });
}

}  // namespace

std::string slug_of(const std::string& label) {
  std::string slug;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain) {
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  slug.erase(slug.find_last_not_of('-') + 1);
  return slug;
}

std::string curve_label(const ReportInput& input, const std::string& label) {
  return name_curve(label, input.declared.labels);
}

std::string label_of(const ReportInput& input, const std::string& name) {
  const auto found = input.declared.labels.find(name);
  return found == input.declared.labels.end() ? name : found->second;
}

std::string in_words(std::string word) {
  std::ranges::replace(word, '_', ' ');
  return word;
}

bool shapes_model(const std::string& name) {
  return name == "model" || name.starts_with("model.");
}

bool splits_groups(const ReportInput& input, const std::string& name) {
  const bool is_model = shapes_model(name);
  const std::vector<ThresholdRequest>& thresholds = input.declared.analysis.thresholds;
  const bool is_axis =
      std::any_of(thresholds.begin(), thresholds.end(), [&](const ThresholdRequest& threshold) {
        return threshold.along == name || (is_model && threshold.along == kParameterCount);
      });
  return (is_model || name == "operation") && !is_axis;
}

std::string configuration(const ReportInput& input, const CellRow& cell) {
  const CellRow* base = input.common_base();
  const std::string names = name_parameters(
      cell,
      [&](const CellRow::Parameter& parameter) {
        const CellRow::Parameter* theirs =
            base == nullptr ? nullptr : find_varied(*base, parameter.name);
        return !has_own_column(input, parameter) &&
               (theirs == nullptr || theirs->value != parameter.value);
      },
      input.declared.labels);
  return names.empty() && base != nullptr ? "base" : names;
}

std::optional<std::int64_t> fixed_batch(const ReportInput& input, const CellRow& cell) {
  if (input.study.scaling == Scaling::kWeak && cell.batch_per_device) {
    return cell.batch_per_device;
  }
  return cell.batch_global ? cell.batch_global : cell.batch_per_device;
}

std::optional<std::int64_t> message_bytes(const CellRow& cell) {
  const auto found = std::find_if(cell.parameters.begin(), cell.parameters.end(), is_message_size);
  std::int64_t bytes = 0;
  if (found == cell.parameters.end() ||
      std::from_chars(found->value.data(), found->value.data() + found->value.size(), bytes).ec !=
          std::errc()) {
    return std::nullopt;
  }
  return bytes;
}

std::string batch_name(const ReportInput& input, const CellRow& cell) {
  const std::optional<std::int64_t> batch = fixed_batch(input, cell);
  const bool varies =
      std::any_of(input.cells.begin(), input.cells.end(), [&](const CellRow& other) {
        return fixed_batch(input, other) != batch;
      });
  if (!batch || (!varies && !configuration(input, cell).empty())) {
    return "";
  }
  const bool is_per_device = input.study.scaling == Scaling::kWeak || !cell.batch_global;
  return name_parameter({.name = is_per_device ? "batch_per_device" : "batch_global",
                         .value = std::to_string(*batch)},
                        input.declared.labels);
}

std::string cell_name(const ReportInput& input, const CellRow& cell) {
  return input.common_base() == nullptr || cell.role != CellRole::kMeasured
             ? describe_cell(cell, input.declared.labels)
             : short_name(input, cell);
}

std::string short_name(const ReportInput& input, const CellRow& cell) {
  std::vector<std::string> parts = {batch_name(input, cell)};
  if (const std::optional<std::int64_t> bytes = message_bytes(cell)) {
    parts.push_back(format_bytes(*bytes));
  }
  parts.push_back(configuration(input, cell));
  std::erase(parts, "");
  const bool varies = std::ranges::any_of(input.cells, [&](const CellRow& other) {
    return other.role == CellRole::kMeasured && other.devices != cell.devices;
  });
  if (parts.empty() || varies) {
    parts.insert(parts.begin(), format_count(cell.devices, "device"));
  }
  return join(parts, ", ");
}

std::vector<Group> group_cells(const ReportInput& input) {
  std::vector<Group> groups;
  for (const CellRow& cell : input.cells) {
    const bool is_of_race_alone =
        input.declared.search && input.estimate(cell.id, "step_time_s") == nullptr;
    if (cell.role != CellRole::kMeasured || cell.excluded_reason || is_of_race_alone) {
      continue;  // the section on the search has those
    }
    const std::string label = group_label(input, cell);
    auto found = std::find_if(
        groups.begin(), groups.end(), [&](const Group& group) { return group.label == label; });
    if (found == groups.end()) {
      found = groups.insert(groups.end(), Group{label, slug_of(label), {}});
    }
    found->cells.push_back(&cell);
  }
  make_slugs_unique(groups);
  // Nothing to tell it from; but that a curve is an all-reduce's is told nowhere else.
  if (groups.size() == 1 && input.declared.workload != Workload::kCollective) {
    groups.front().label.clear();
    groups.front().slug.clear();
  }
  for (Group& group : groups) {
    sort_cells(input, group);
  }
  return groups;
}

}  // namespace scalestudy::report
