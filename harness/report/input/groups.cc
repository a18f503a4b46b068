// Groups and orders cells for people.
#include "harness/report/input/groups.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/group_keys.h"
#include "harness/store/cell_name.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// With the kind of figure, a number and endings it stays far below 255 bytes, the longest name of
// most file systems.
constexpr std::size_t kLongestSlug = 120;

std::string group_label(const ReportInput& input, const CellRow& cell) {
  return name_parameters(
      cell,
      [&input](const auto& parameter) { return splits_groups(input.declared, parameter.name); },
      input.declared.labels);
}

// Two labels may share a slug ("a b", "a-b"): the later ones get a number.
void make_slugs_unique(std::vector<GroupIndex>& groups) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto same = std::count_if(
        groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(i), [&](const GroupIndex& g) {
          return slug_of(g.label) == slug_of(groups[i].label);
        });
    if (same > 0) {
      groups[i].slug += fmt::format("_{}", same + 1);
    }
  }
}

// By configuration in the order of the study, then batch, devices and message size.
void sort_cells(const ReportInput& input, GroupIndex& group) {
  std::map<std::string, std::size_t> configurations;  // by their places in the study
  const auto place = [&](std::size_t i) {
    const CellRow cell = on_device_curve(input, input.cells[i]);
    const std::size_t next = configurations.size();
    const auto known = configurations.emplace(configuration(input, cell), next).first;
    return std::tuple(known->second, fixed_batch(input, cell), cell.devices, message_bytes(cell));
  };
  std::map<std::size_t, decltype(place(0))> places;
  for (const std::size_t i : group.cells) {
    places.emplace(i, place(i));
  }
  std::ranges::stable_sort(group.cells, {}, [&](std::size_t i) { return places.at(i); });
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
  if (slug.size() > kLongestSlug) {
    const std::string hash = text_hash(label);
    slug = slug.substr(0, kLongestSlug - hash.size() - 1) + "-" + hash;
  }
  return slug;
}

std::vector<Group> group_cells(const ReportInput& input) {
  std::vector<Group> groups;
  for (const GroupIndex& group : input.index.groups) {
    groups.push_back({group.label, group.slug, {}});
    for (const std::size_t i : group.cells) {
      groups.back().cells.push_back(&input.cells[i]);
    }
  }
  return groups;
}

std::vector<GroupIndex> find_groups(const ReportInput& input) {
  std::vector<GroupIndex> groups;
  for (std::size_t i = 0; i < input.cells.size(); ++i) {
    const CellRow& cell = input.cells[i];
    const bool is_of_race_alone =
        input.declared.search && input.estimate(cell.id, names::kStepTime) == nullptr;
    if (cell.role != CellRole::kMeasured || cell.excluded_reason || is_of_race_alone) {
      continue;  // the section on the search has those
    }
    const std::string label = group_label(input, cell);
    auto found = std::ranges::find(groups, label, &GroupIndex::label);
    if (found == groups.end()) {
      found = groups.insert(groups.end(), GroupIndex{label, slug_of(label), {}});
    }
    found->cells.push_back(i);
  }
  make_slugs_unique(groups);
  // Nothing to tell it from; but that a curve is an all-reduce's is told nowhere else.
  if (groups.size() == 1 && input.declared.workload != Workload::kCollective) {
    groups.front().label.clear();
    groups.front().slug.clear();
  }
  for (GroupIndex& group : groups) {
    sort_cells(input, group);
  }
  return groups;
}

}  // namespace scalestudy::report
