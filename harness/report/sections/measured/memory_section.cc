// What each part of training takes of a device's memory, as taken and as calculated, and what a
// GPU's driver counts beside it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

struct Part {
  const char* name;
  const char* heading;
  const char* meaning;
};
constexpr std::array<Part, 6> kParts = {
    {{"parameters", "Parameters", "in all their precisions"},
     {"gradients", "Gradients", "and what is accumulated of them"},
     {"optimizer", "Optimizer", "its state"},
     {"activations", "Activations", "with workspaces"},
     {"buffers", "Buffers", "of what travels"},
     {"data", "Data", "samples and losses"}}};

constexpr const char* kLargestLayers = "largest_layers";

// In bytes; nothing where no trial told it.
std::optional<double> part_bytes(const ReportInput& input,
                                 const Row& cell,
                                 const char* source,
                                 const Part& part) {
  return measure_of(input.estimate(cell->id, fmt::format("{}_{}_bytes", source, part.name))).value;
}

// Of all parts; nothing where one of them was not told.
std::optional<double> sum_bytes(const ReportInput& input, const Row& cell, const char* source) {
  std::optional<double> sum = 0.0;
  for (const Part& part : kParts) {
    const std::optional<double> bytes = part_bytes(input, cell, source, part);
    sum = sum && bytes ? std::optional(*sum + *bytes) : std::nullopt;
  }
  return sum;
}

// "7.5", or "7.5 (7.2)" where it was calculated otherwise.
std::string beside(std::optional<double> taken,
                   std::optional<double> calculated,
                   const Scale& memory) {
  const std::string text = memory_text(taken, memory);
  const std::string other = memory_text(calculated, memory);
  return text.empty() || other.empty() || text == other ? text
                                                        : fmt::format("{} ({})", text, other);
}

std::optional<double> peak_bytes(const ReportInput& input, std::int64_t cell_id) {
  return measure_of(input.estimate(cell_id, names::kPeakBytes)).value;
}

std::optional<double> driver_bytes(const ReportInput& input, std::int64_t cell_id) {
  return measure_of(input.estimate(cell_id, "driver_memory_bytes")).value;
}

// Whether some trial's count is what its GPU's memory in use grew by.
bool is_of_gpu(const ReportInput& input, const Row& cell) {
  const auto share = measure_of(input.estimate(cell->id, "driver_memory_of_process")).value;
  return share && *share < 1.0;
}

// "1234", "1234 ‡".
std::string driver_text(const ReportInput& input, const Row& cell, const Scale& memory) {
  const std::string text = memory_text(driver_bytes(input, cell->id), memory);
  return text.empty() || !is_of_gpu(input, cell) ? text : text + " ‡";
}

// What the driver counts beyond what the program does.
std::string rest_text(const ReportInput& input, const Row& cell, const Scale& memory) {
  const auto driver = driver_bytes(input, cell->id);
  const auto peak = peak_bytes(input, cell->id);
  return driver && peak ? memory_text(*driver - *peak, memory) : "";
}

// Peak over that of the cell that its speedup is of.
std::string ratio_text(const ReportInput& input, const Row& cell) {
  const ComparisonRow* row = input.comparison(cell->id, names::kSpeedup);
  const auto peak = peak_bytes(input, cell->id);
  const auto base = row == nullptr ? std::nullopt : peak_bytes(input, row->baseline_cell_id);
  return peak && base && *base > 0.0 ? format_plain(*peak / *base) : "";
}

// "5 (2.45 M)", "at least 64 (13,100 M)", "none" of the run's model; "" where it was not
// calculated.
std::string largest_text(const ReportInput& input, const Row& cell) {
  constexpr double most_layers = 64.0;  // of model.layers
  constexpr double million = 1e6;
  const auto layers = measure_of(input.estimate(cell->id, kLargestLayers)).value;
  const auto parameters = measure_of(input.estimate(cell->id, "largest_parameter_count")).value;
  if (!layers || !parameters) {
    return "";
  }
  // The run itself may have more layers than are tried.
  const auto own = measure_of(input.estimate(cell->id, names::kParameterCount)).value;
  if (*layers >= most_layers && own && *own > *parameters) {
    return fmt::format("at least its own ({} M)", format_plain(*own / million));
  }
  return *layers < 1.0 ? "none"
                       : fmt::format("{}{:.0f} ({} M)",
                                     *layers < most_layers ? "" : "at least ",
                                     *layers,
                                     format_plain(*parameters / million));
}

std::vector<Column<Row>> memory_columns(const ReportInput& input) {
  const Scale memory = memory_scale(input);
  const auto headed = [&](const char* name) { return fmt::format("{} ({})", name, memory.unit); };
  std::vector<Column<Row>> columns;
  for (const Part& part : kParts) {
    columns.push_back(
        {{part.name, headed(part.heading), part.meaning}, [&input, part, memory](const Row& cell) {
           return beside(part_bytes(input, cell, "memory", part),
                         part_bytes(input, cell, "calculated", part),
                         memory);
         }});
  }
  columns.push_back({{"sum", headed("Sum"), "of these parts"}, [&input, memory](const Row& cell) {
                       return beside(sum_bytes(input, cell, "memory"),
                                     sum_bytes(input, cell, "calculated"),
                                     memory);
                     }});
  columns.push_back(
      {{"peak", headed("Peak"), "as the program counted it"}, [&input, memory](const Row& cell) {
         return memory_text(peak_bytes(input, cell->id), memory);
       }});
  columns.push_back({{"of_device",
                      "Of the device (%)",
                      "peak over the memory of a device, as declared or as the GPU tells",
                      Align::kNumber,
                      Shown::kPresent},
                     [&input](const Row& cell) {
                       const auto share = device_memory_share(input, *cell);
                       return share ? format_plain(100.0 * *share) : "";
                     }});
  columns.push_back(
      {{"driver",
        headed("Driver"),
        "held by the process, as the GPU's driver counts; ‡ as its memory grew",
        Align::kNumber,
        Shown::kPresent},
       [&input, memory](const Row& cell) { return driver_text(input, cell, memory); }});
  columns.push_back({{"rest",
                      headed("Rest"),
                      "of the driver's count beyond the peak",
                      Align::kNumber,
                      Shown::kPresent},
                     [&input, memory](const Row& cell) { return rest_text(input, cell, memory); }});
  columns.push_back({{"ratio",
                      "Of the base's (ratio)",
                      "peak over that of the cell that the speedup is of",
                      Align::kNumber,
                      Shown::kPresent},
                     [&input](const Row& cell) { return ratio_text(input, cell); }});
  columns.push_back({{"verdict",
                      "Verdict",
                      "of that ratio, where analysis.metrics asks for peak_bytes",
                      Align::kText,
                      Shown::kPresent},
                     [&input](const Row& cell) {
                       const ComparisonRow* row = input.comparison(cell->id, names::kPeakBytes);
                       return row == nullptr ? "" : to_word(row->verdict);
                     }});
  columns.push_back({{"largest",
                      "Largest model, calculated (layers, parameters)",
                      "the most layers that fit a device's memory, all else unchanged",
                      Align::kText,
                      Shown::kPresent},
                     [&input](const Row& cell) { return largest_text(input, cell); }});
  return with_cell_columns<Row>(input, columns);
}

}  // namespace

Section memory_section() {
  return {group_table_tags("memory_parts",
                           "what each part takes of a device's memory",
                           heads_of(memory_columns(empty_input()))) +
              Tags{{"largest_models",
                    TagKind::kFlag,
                    "the largest model that fits a device was calculated"},
                   {"driver_memory", TagKind::kFlag, "a GPU's driver told what a rank held"},
                   {"driver_memory_of_gpu",
                    TagKind::kFlag,
                    "some of it as what the GPU's memory in use grew by"}},
          [](View& view, const ReportInput& input, const Figures& figures) {
            view.set_list("memory_parts", group_tables(input, figures, "", [&](const Group& group) {
                            return one_table(memory_columns(input),
                                             cells_with(input, group, "memory_parameters_bytes"));
                          }));
            const auto& cells = input.cells;
            view.set_flag("largest_models", std::ranges::any_of(cells, [&](const CellRow& cell) {
                            return input.estimate(cell.id, kLargestLayers) != nullptr;
                          }));
            view.set_flag("driver_memory", std::ranges::any_of(cells, [&](const CellRow& cell) {
                            return driver_bytes(input, cell.id).has_value();
                          }));
            view.set_flag("driver_memory_of_gpu",
                          std::ranges::any_of(
                              cells, [&](const CellRow& cell) { return is_of_gpu(input, &cell); }));
          }};
}

}  // namespace scalestudy::report
