#include "harness/report/answer/projection_answer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/text/measure.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

using Rows = std::vector<const ProjectionRow*>;

// The newest row of each curve and number of devices that the study asks for and has not measured.
Rows asked_rows(const ReportInput& input) {
  Rows rows;
  const auto& asked = input.declared.analysis.projection;
  for (const ProjectionRow& row : input.results.projections) {
    if (!asked || row.provenance == Provenance::kScenario || row.measured ||
        std::ranges::find(asked->to, row.devices) == asked->to.end()) {
      continue;
    }
    const auto older = std::ranges::find_if(rows, [&](const ProjectionRow* known) {
      return known->group_label == row.group_label && known->devices == row.devices;
    });
    *(older == rows.end() ? rows.insert(older, &row) : older) = &row;
  }
  return rows;
}

// Of each curve the row that has a value at the most devices.
Rows furthest_of(const Rows& rows) {
  Rows furthest;
  for (const ProjectionRow* row : rows) {
    if (row->status != RowStatus::kOk) {
      continue;
    }
    const auto known = std::ranges::find_if(furthest, [&](const ProjectionRow* other) {
      return other->group_label == row->group_label;
    });
    if (known == furthest.end()) {
      furthest.push_back(row);
    } else if (row->devices > (*known)->devices) {
      *known = row;
    }
  }
  return furthest;
}

// " (batch 96)"; "" of the only curve.
std::string curve_note(const ReportInput& input, const ProjectionRow& row) {
  const std::string among = curve_label(input, row.group_label);
  return among.empty() ? "" : " (" + among + ")";
}

std::string projected_text(const ReportInput& input, const Rows& rows) {
  constexpr std::size_t most_told = 2;
  const Rows furthest = furthest_of(rows);
  if (furthest.size() > most_told) {
    std::set<std::int64_t> devices;
    for (const ProjectionRow* row : furthest) {
      devices.insert(row->devices);
    }
    return fmt::format("up to {} devices, for {} curves", *devices.rbegin(), furthest.size());
  }
  std::vector<std::string> texts;
  for (const ProjectionRow* row : furthest) {
    texts.push_back(fmt::format("{} devices{}: {} per step",
                                row->devices,
                                curve_note(input, *row),
                                format_amount({row->value, row->lo, row->hi}, "s")));
  }
  return join(texts, "; ");
}

// "16 and 32 devices: refused, because too few counts"; "32 devices: unsupported; why: section
// Projection" unless no row has a value and all have the same reason. If not all curves have the
// status: "16 devices (batch 192): refused" of one, "refused for 2 of 4 curves" of several.
std::string refused_text(const ReportInput& input, const Rows& rows) {
  // By the status, for how many curves, and for which if it is one.
  std::map<std::tuple<std::string, std::string, std::string>, std::set<std::int64_t>> counts;
  std::set<std::string> reasons;
  for (const ProjectionRow* row : rows) {
    const bool is_ok = row->status == RowStatus::kOk;
    reasons.insert(is_ok ? "" : row->finding);
    const auto curves = std::ranges::count(rows, row->devices, &ProjectionRow::devices);
    const auto same = std::ranges::count_if(rows, [&](const ProjectionRow* other) {
      return other->devices == row->devices && other->status == row->status;
    });
    const bool is_of_one = same == 1 && curves > 1;
    const bool is_of_some = same > 1 && same < curves;
    if (!is_ok) {
      counts[{to_word(row->status),
              is_of_some ? fmt::format(" for {} of {} curves", same, curves) : "",
              is_of_one ? curve_note(input, *row) : ""}]
          .insert(row->devices);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [said, devices] : counts) {
    std::vector<std::string> numbers;
    for (const std::int64_t number : devices) {
      numbers.push_back(std::to_string(number));
    }
    const auto& [status, among, curve] = said;
    texts.push_back(fmt::format("{} devices{}: {}{}", join_words(numbers), curve, status, among));
  }
  const bool has_one_reason = reasons.size() == 1 && !reasons.begin()->empty();
  return texts.empty() ? ""
                       : join(texts, "; ") + (has_one_reason ? ", because " + *reasons.begin()
                                                             : "; why: section Projection");
}

}  // namespace

std::string projection_text(const ReportInput& input) {
  const Rows rows = asked_rows(input);
  std::vector<std::string> texts = {projected_text(input, rows), refused_text(input, rows)};
  std::erase(texts, "");
  return join(texts, "; ");
}

}  // namespace scalestudy::report
