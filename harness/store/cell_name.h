// What sentences, tables and figures call a cell: "2 devices, batch 256, strategy fsdp".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

// Headings of parameters in reports, by name (Study::labels). A parameter without one keeps its
// name.
using ParameterLabels = std::map<std::string, std::string>;

// A value (canonical text) as readers expect it: "64 KiB" for message_bytes, "1 Gbit/s" or "none"
// for interconnect.bandwidth, "0.05 ms" for interconnect.delay; else unchanged.
std::string name_value(const std::string& name, const std::string& value);
std::string name_value(const std::string& name, double value);

// A parameter with its value: "2 devices", "batch 256", "batch 8 per device", "64 KiB", "links of
// 1 Gbit/s", "strategy fsdp", "first bucket 1 MiB" (first_bucket_mb); "lr_scale=linear" where the
// name is no word; of `command` the value alone. With a label "label=value".
std::string name_parameter(const CellRow::Parameter& parameter, const ParameterLabels& labels = {});

// A parameter's name without its unit, and the unit that follows its values: "first bucket" and
// " MiB" of first_bucket_mb; "lr_scale" and "".
struct SettingWords {
  std::string name;
  std::string unit;
};
SettingWords setting_words(const std::string& name);

// The name of a parameter as an axis, without its unit: "global batch", "message size",
// "bucket_mb"; its label if it has one.
std::string name_axis(const std::string& name, const ParameterLabels& labels = {});

// A curve's name for readers, from a stored group_label: "devices=2 batch_global=64" becomes
// "2 devices, batch 64". A label that is not made of parameters is returned unchanged.
// - left_out: a parameter that the name does not say; "" where nothing else is left.
std::string name_curve(const std::string& group_label,
                       const ParameterLabels& labels = {},
                       const std::string& left_out = "");

// Names the varied parameters of `cell` for which `is_named` is true, devices first; "" for none.
std::string name_parameters(const CellRow& cell,
                            const std::function<bool(const CellRow::Parameter&)>& is_named,
                            const ParameterLabels& labels = {});

// Names a cell by its varied parameters (its devices if none vary) and its control: "2 devices,
// control noop".
std::string describe_cell(const CellRow& cell, const ParameterLabels& labels = {});

// Names `named` by its differences from `other`: "1 device", "env.NCCL_ALGO=default". Parameters
// for which follows_devices() holds do not count. Without a difference the name is its devices;
// "device 0" for the cell that a control device_match repeats elsewhere.
std::string describe_against(const CellRow& named,
                             const CellRow& other,
                             const ParameterLabels& labels = {});

// Whether the parameter changes with the devices of the cells and is no setting of its own: nodes,
// if as many devices always have as many nodes, or a batch, if the other batch stays the same.
// - cells: one or more.
bool follows_devices(const std::string& name, const std::vector<const CellRow*>& cells);

// "1 to 2" by the id of each cell whose nodes follow from how many devices fit a node. Cells on one
// number of nodes that has all numbers of devices have none.
// - alike: cells by what sets them apart besides devices and nodes.
std::map<std::int64_t, std::string> spans_of_nodes(
    const std::map<std::string, std::vector<const CellRow*>>& alike);

// The cell's value on an axis: the number of its parameter of that name (Parameter::number), or its
// devices, nodes or batch, which every cell has. Absent if that is no number.
std::optional<double> axis_number(const CellRow& cell, const std::string& name);

// The varied parameter of that name; nullptr if the cell has none.
const CellRow::Parameter* find_varied(const CellRow& cell, const std::string& name);

}  // namespace scalestudy
