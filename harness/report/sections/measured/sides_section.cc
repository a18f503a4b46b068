// More devices beside fewer: throughput of both, speedup, efficiency and memory, a row a pair.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The name that all pairs share on a side, else what it is called in general.
std::string side_name(const std::vector<Pair>& pairs,
                      std::string Pair::*name,
                      const std::string& otherwise) {
  const bool is_shared = !pairs.empty() && std::ranges::all_of(pairs, [&](const Pair& pair) {
    return pair.*name == pairs.front().*name;
  });
  return is_shared ? pairs.front().*name : otherwise;
}

Column<Pair> rate_column(const ReportInput& input,
                         const ColumnHead& head,
                         const CellRow* Pair::*side) {
  return {head, [&input, side](const Pair& pair) {
            const EstimateRow* tokens = input.estimate((pair.*side)->id, names::kTokensPerSecond);
            return format_interval(measure_of(
                tokens != nullptr ? tokens : input.estimate((pair.*side)->id, names::kThroughput)));
          }};
}

// "2.1 to 1.4": with fewer and with more devices; "" if either is not known.
std::string from_to(const std::string& from, const std::string& to) {
  return from.empty() || to.empty() ? "" : from == to ? to : from + " to " + to;
}

std::string memory_of(const ReportInput& input, const Pair& pair, const Scale& memory) {
  const auto peak = [&](const CellRow& cell) {
    return memory_text(measure_of(input.estimate(cell.id, names::kPeakBytes)).value, memory);
  };
  return from_to(peak(*pair.base), peak(*pair.cell));
}

// Means without intervals, as many digits as they support: throughputs beside them have intervals.
std::string means_text(const ReportInput& input,
                       const Pair& pair,
                       const char* metric,
                       double factor) {
  const auto mean = [&](const CellRow& cell) {
    return format_value(measure_of(input.estimate(cell.id, metric)), factor);
  };
  return from_to(mean(*pair.base), mean(*pair.cell));
}

constexpr std::size_t kMostWithTimes = 12;  // rows; the details have the times of all cells

std::vector<Column<Pair>> side_columns(const ReportInput& input, const std::vector<Pair>& pairs) {
  using enum Align;
  const bool has_tokens =
      !pairs.empty() && input.estimate(pairs[0].base->id, names::kTokensPerSecond) != nullptr;
  const Scale time = time_scale(input, sides_of(pairs));
  const Scale memory = memory_scale(input);
  const auto rated = [&](const std::string& name) {
    return fmt::format("{} ({}/s)", name, has_tokens ? "tokens" : "samples");
  };
  return {
      {{"batch",
        batch_heading(
            input,
            input.study.scaling == Scaling::kWeak ? names::kBatchPerDevice : names::kBatchGlobal),
        "the batch that the scaling holds fixed",
        kNumber,
        Shown::kPresent},
       [&input](const Pair& pair) { return count_text(fixed_batch(input, *pair.cell)); }},
      {message_head(), [](const Pair& pair) { return message_size_text(*pair.cell); }},
      {{"configuration", "Configuration", "other varied parameters", kText, Shown::kDiffering},
       [&input](const Pair& pair) { return configuration(input, *pair.cell); }},
      {{"base_name", "Fewer", "what sets the base apart: 1 device", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.base_name; }},
      rate_column(input,
                  {"base_rate",
                   rated(side_name(pairs, &Pair::base_name, "Fewer")),
                   "samples, or tokens, a second of the base [interval]"},
                  &Pair::base),
      {{"name", "More", "what sets the cell apart: 2 devices", kText, Shown::kDiffering},
       [](const Pair& pair) { return pair.name; }},
      rate_column(input,
                  {"rate",
                   rated(side_name(pairs, &Pair::name, "More")),
                   "samples, or tokens, a second of the cell [interval]"},
                  &Pair::cell),
      {{"speedup", "Speedup (ratio)", "throughput divided by the base's [interval]"},
       [](const Pair& pair) {
         return format_interval(measure_of(*pair.speedup), {.levels = {1.0}});
       }},
      {{"efficiency",
        "Efficiency (%)",
        "speedup divided by the ratio of devices, % [interval]",
        kNumber,
        Shown::kPresent},
       [&input](const Pair& pair) {
         return compared_share_text(input, *pair.cell, names::kEfficiency);
       }},
      {{"step_time",
        fmt::format("Step time ({})", time.unit),
        "means with fewer and with more devices; in short tables",
        kNumber,
        pairs.size() <= kMostWithTimes ? Shown::kPresent : Shown::kNever},
       [&input, time](const Pair& pair) {
         return means_text(input, pair, names::kStepTime, time.factor);
       }},
      {{"gpu_busy",
        "GPU busy (%)",
        "share of the time with some kernel, with fewer and with more devices",
        kNumber,
        Shown::kPresent},
       [&input](const Pair& pair) { return means_text(input, pair, "gpu_busy_share", 100.0); }},
      {{"memory",
        fmt::format("Memory per device ({})", memory.unit),
        "with fewer and with more devices, by the program's own count",
        kNumber,
        Shown::kPresent},
       [&input, memory](const Pair& pair) { return memory_of(input, pair, memory); }},
      {{"verdict", "Verdict", "of the speedup", kText},
       [](const Pair& pair) { return to_word(pair.speedup->verdict); }},
  };
}

void fill_sides(View& view, const ReportInput& input, const Figures& figures) {
  const std::vector<Pair> all = pairs_of(input);
  view.set_list("sides", group_tables(input, figures, "", [&](const Group& group) {
                  std::vector<Pair> pairs = all;
                  std::erase_if(pairs, [&](const Pair& pair) {
                    return pair.cell->devices <= pair.base->devices ||
                           std::ranges::find(group.cells, pair.cell) == group.cells.end();
                  });
                  return one_table(side_columns(input, pairs), pairs);
                }));
  view.set_flag("has_side_memory", std::ranges::any_of(all, [&](const Pair& pair) {
                  return !memory_of(input, pair, {}).empty();
                }));
}

}  // namespace

Section sides_section() {
  return {group_table_tags("sides",
                           "more devices beside fewer, with the throughput of both",
                           heads_of(side_columns(empty_input(), {}))) +
              Tags{{"has_side_memory", TagKind::kFlag, "some pair knows a device's memory"}},
          fill_sides};
}

}  // namespace scalestudy::report
