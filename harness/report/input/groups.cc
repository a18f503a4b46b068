// Groups and orders cells for people.
#include "harness/report/input/groups.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/group_keys.h"
#include "harness/store/cell_name.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

std::string group_label(const ReportInput& input, const CellRow& cell) {
  return name_parameters(
      cell,
      [&input](const auto& parameter) { return splits_groups(input.declared, parameter.name); },
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

std::vector<Group> group_cells(const ReportInput& input) {
  std::vector<Group> groups;
  for (const CellRow& cell : input.cells) {
    const bool is_of_race_alone =
        input.declared.search && input.estimate(cell.id, names::kStepTime) == nullptr;
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
