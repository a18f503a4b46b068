// What sentences, tables and figures call a cell: "2 devices, batch 256, env.NCCL_ALGO=Ring".
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/store/rows/rows.h"

namespace scalestudy {

// What a report calls a parameter, by its name (Study::labels); one without a label keeps its name.
using ParameterLabels = std::map<std::string, std::string>;

// A value as canonical text with what a reader needs to it: "64 KiB" of message_bytes, "1 Gbit/s"
// or "none" of interconnect.bandwidth, "0.05 ms" of interconnect.delay; else as it stands.
std::string name_value(const std::string& name, const std::string& value);

// "2 devices", "batch 256", "batch 8 per device", "64 KiB", "links of 1 Gbit/s",
// "env.NCCL_ALGO=Ring"; "label=value" of one with a label, without a unit where the label has one
// in parentheses.
std::string name_parameter(const CellRow::Parameter& parameter, const ParameterLabels& labels = {});

// A parameter as an axis, without its unit: "global batch", "message size", "bucket_mb"; its label
// where it has one.
std::string name_axis(const std::string& name, const ParameterLabels& labels = {});

// What curves differ in, of a stored group_label: "devices=2 batch_global=64" is
// "2 devices, batch 64"; a name that is none of parameters as it stands.
std::string name_curve(const std::string& group_label, const ParameterLabels& labels = {});

// The varied parameters of `cell` that `is_named`, devices first; "" for none.
std::string name_parameters(const CellRow& cell,
                            const std::function<bool(const CellRow::Parameter&)>& is_named,
                            const ParameterLabels& labels = {});

// What varies, devices where nothing does, and the control that it is: "2 devices, control noop".
std::string describe_cell(const CellRow& cell, const ParameterLabels& labels = {});

// `named` by what sets it apart from `other`: "1 device", "env.NCCL_ALGO=default". A batch or nodes
// that follow from other devices set nothing apart. Its devices where nothing does; "device 0" of
// what a control device_match repeats elsewhere.
std::string describe_against(const CellRow& named,
                             const CellRow& other,
                             const ParameterLabels& labels = {});

// Whether a parameter of that name may change with the devices without being a setting of its own.
bool follows_devices(const std::string& name);

// The varied parameter of that name; nullptr where the cell has none.
const CellRow::Parameter* find_varied(const CellRow& cell, const std::string& name);

}  // namespace scalestudy
