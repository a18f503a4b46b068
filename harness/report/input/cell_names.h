// What cells, and the parameters that set them apart, are called in tables, figures and sentences.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/input.h"
#include "harness/store/cell_name.h"

namespace scalestudy::report {

// The cell's name among cells of several groups: describe_cell() with the study's labels, or
// short_name() where all cells have a common base.
std::string cell_name(const ReportInput& input, const CellRow& cell);

// The cell's name within its group: "2 devices, batch 256, env.NCCL_ALGO=Ring". It says the devices
// only where they vary, or where there is nothing else to say.
std::string short_name(const ReportInput& input, const CellRow& cell);

// The cell's varied parameters without those that have columns of their own (model, operation,
// devices, nodes, batch, message size): "env.NCCL_ALGO=Ring"; "" for none. Where all cells have a
// common base, only those in which the cell differs from it, and "base" for the base itself.
// - labels: of parameters; without them those of the study.
std::string configuration(const ReportInput& input, const CellRow& cell);
std::string configuration(const ReportInput& input,
                          const CellRow& cell,
                          const ParameterLabels& labels);

// What sets the cell apart besides its devices: "batch 256, 64 KiB, env.NCCL_ALGO=Ring".
std::string setting_name(const ReportInput& input, const CellRow& cell);

// The cell as its curve over devices has it: with "1 to 2" nodes if they follow from its devices.
CellRow on_device_curve(const ReportInput& input, CellRow cell);

// configuration() without what moves together with the message size (zip), since that does not
// distinguish curves over the sizes.
std::string curve_configuration(const ReportInput& input,
                                const CellRow& cell,
                                const ParameterLabels& labels);

// The cell's batch that the scaling holds fixed: "batch 256", "batch 256 per device". "" without a
// batch, and where all cells have the same one and differ in their configuration.
std::string batch_name(const ReportInput& input, const CellRow& cell);

// Whether the parameter is batch_global or batch_per_device.
bool is_batch(const std::string& name);

// The batch that the study's scaling mode holds fixed, in samples: global for strong scaling, per
// device for weak scaling.
std::optional<std::int64_t> fixed_batch(const ReportInput& input, const CellRow& cell);

// The varied size of a collective's message, in bytes; absent where it is fixed or no number.
std::optional<std::int64_t> message_bytes(const CellRow& cell);

// The varied numbers whose value follows from the message size in all measured cells and changes
// with it. Texts, such as a mode, are choices: they make other curves. For make_index().
std::set<std::string> find_with_message_bytes(const std::vector<CellRow>& cells);

// spans_of_nodes() of the measured cells that are not excluded; for make_index().
std::map<std::int64_t, std::string> find_node_spans(const ReportInput& input);

// The study's label of the parameter, or the parameter's own name.
std::string label_of(const ReportInput& input, const std::string& name);

// The names that the study's author chose, as sentences have them: "sleep 0.6", "dtype float32",
// "my_loss"; for make_index().
std::set<std::string> find_own_names(const ReportInput& input);

// A heading or a line that begins with a name, with a capital: "Bucket 1 MiB against bucket 25
// MiB". What find_own_names() found stays as typed: "sleep 0.6 against sleep 0.05".
std::string begin_line(const ReportInput& input, const std::string& text);

// The stored label of a curve in the words of the study: "env.NCCL_ALGO=Ring batch_global=8"
// becomes "algorithm=Ring, batch 8".
std::string curve_label(const ReportInput& input, const std::string& label);

// A law as tables call it: "Amdahl", "USL", "communication added".
std::string name_of_law(Law law);

}  // namespace scalestudy::report
