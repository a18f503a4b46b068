// What a step is spent on: shares of its time, and the mean time of each phase.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/phases.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

// Each in the unit of its largest value: some are a thousandth of others.
Column<Row> phase_column(const ReportInput& input, const Group& group, const Phase& phase) {
  double largest = 0.0;
  for (const CellRow* cell : group.cells) {
    largest =
        std::max(largest, measure_of(input.estimate(cell->id, phase.metric)).value.value_or(0.0));
  }
  const Scale scale = scale_for("s", largest);
  return {{phase.metric,
           fmt::format("{} ({})", phase.name, scale.unit),
           "mean ± half-width",
           Align::kNumber,
           Shown::kPresent},
          [&input, phase, scale](const Row& cell) {
            return format_part(measure_of(input.estimate(cell->id, phase.metric)), scale.factor);
          }};
}

std::vector<Column<Row>> phase_columns(const ReportInput& input, const Group& group) {
  const std::vector<Phase> measured = measured_phases(input, group);
  const std::string first = measured.empty() ? "" : measured.front().metric;
  std::vector<Column<Row>> columns = {
      {{"n", "n", "trials used / planned"},
       [&input, first](const Row& cell) { return trials_used(input.estimate(cell->id, first)); }}};
  for (const Phase& phase : all_phases()) {
    columns.push_back(phase_column(input, group, phase));
  }
  return with_cell_columns<Row>(input, columns);
}

struct Share {
  const char* metric;
  const char* heading;
  const char* meaning;
  const char* part;  // "update (optimizer_time_s)": with what a program has to give; "": nothing
};
constexpr std::array<Share, 5> kShares = {
    {{"computation_share",
      "Computation (%)",
      "forward and backward pass, % [interval]",
      "computation (forward_time_s and backward_time_s)"},
     {"exposed_communication_share",
      "Waiting for communication (%)",
      "collectives that computation waits for, % [interval]",
      "waiting for communication (exposed_communication_time_s)"},
     {"update_share", "Update (%)", "the optimizer, % [interval]", "update (optimizer_time_s)"},
     {"data_share", "Data (%)", "waiting for samples, % [interval]", "data (data_time_s)"},
     {"other_share", "Other (%)", "what is left of the step, % [interval]", ""}}};

// The parts of a step that no cell of a command has, which are not small but unknown.
std::string unread_parts(const ReportInput& input) {
  std::vector<std::string> parts;
  for (const Share& share : kShares) {
    const bool is_known = std::ranges::any_of(input.results.estimates, [&](const EstimateRow& row) {
      return row.metric == share.metric;
    });
    if (!is_known && share.part[0] != '\0') {
      parts.emplace_back(share.part);
    }
  }
  return input.declared.workload == Workload::kCommand ? join_words(parts) : "";
}

// A part of the step below a hundredth in all cells is nothing to read about.
constexpr double kSmall = 0.01;
bool is_small(const ReportInput& input, const Share& share) {
  return std::ranges::none_of(input.results.estimates, [&](const EstimateRow& row) {
    return row.metric == share.metric && row.value.value_or(0.0) >= kSmall;
  });
}

// The columns in full, for templates of before, and those that leave out what is small.
std::vector<Column<Row>> share_columns(const ReportInput& input) {
  std::vector<Column<Row>> columns;
  for (const Share& share : kShares) {
    const auto measure = [&input, metric = share.metric](const Row& cell) {
      return measure_of(input.estimate(cell->id, metric));
    };
    columns.push_back(
        {{share.metric, share.heading, share.meaning, Align::kNumber, Shown::kColumns},
         [measure](const Row& cell) { return format_share(measure(cell), ""); }});
    columns.push_back({{std::string(share.metric) + "_in_short",
                        share.heading,
                        "the same, or \"< 1\"",
                        Align::kNumber,
                        is_small(input, share) ? Shown::kNever : Shown::kShort},
                       [measure](const Row& cell) {
                         const Measure part = measure(cell);
                         return part.value && part.hi.value_or(*part.value) < kSmall
                                    ? "< 1"
                                    : format_share(part, "");
                       }});
  }
  return with_cell_columns<Row>(input, columns);
}

std::vector<Row> cells_with_shares(const ReportInput& input, const Group& group) {
  std::vector<Row> cells = group.cells;
  std::erase_if(cells, [&](const Row& cell) {
    return std::ranges::none_of(kShares, [&](const Share& share) {
      return input.estimate(cell->id, share.metric) != nullptr;
    });
  });
  return cells;
}

// Whether a step of one device spends more than a hundredth on moving its own shares. What another
// program counts as communication is not known.
bool copies_alone(const ReportInput& input) {
  const bool is_built_in = input.declared.workload != Workload::kCommand;
  return is_built_in && std::ranges::any_of(input.cells, [&](const CellRow& cell) {
           const EstimateRow* share = input.estimate(cell.id, "exposed_communication_share");
           return cell.devices == 1 && cell.role == CellRole::kMeasured && share != nullptr &&
                  share->value.value_or(0.0) > 0.01;
         });
}

void fill_phases(View& view, const ReportInput& input, const Figures& figures) {
  view.set_flag("copies_alone", copies_alone(input));
  view.set_text("unread_parts", unread_parts(input));
  view.set_list("step_shares", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(share_columns(input), cells_with_shares(input, group));
                }));
  view.set_list("phases", group_tables(input, figures, "breakdown", [&](const Group& group) {
                  return measured_phases(input, group).empty()
                             ? View::List()
                             : one_table(phase_columns(input, group), group.cells);
                }));
}

}  // namespace

Section phases_section() {
  return {Tags{{"copies_alone",
                TagKind::kFlag,
                "a step of one device spends more than 1 % on moving its own shares"},
               {"unread_parts",
                TagKind::kText,
                "parts of the step that a command does not give: update (optimizer_time_s)"}} +
              group_table_tags("step_shares",
                               "cells by what their step is spent on",
                               heads_of(share_columns(empty_input()))) +
              group_table_tags("phases",
                               "cells by phase",
                               heads_of(phase_columns(empty_input(), {})),
                               "breakdown: none, one, or several"),
          fill_phases};
}

}  // namespace scalestudy::report
