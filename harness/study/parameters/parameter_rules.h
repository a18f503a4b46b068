// Which parameters a workload has, and what their values may be: the built-in workloads' own table,
// the harness's axes (devices, nodes, the batches) and environment variables (env.NAME).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

inline constexpr const char* kDefaultValue = "default";  // env.*: the variable is not set
inline constexpr const char* kCompute = "compute";       // of train: "real" or "declared"
// Of the control device_match: the rank of several whose cores, or GPU, the one rank runs on. No
// study file gives it, no workload sees it.
inline constexpr const char* kOnDevice = "on_device";

// True for "env.NCCL_ALGO".
bool is_environment_parameter(const std::string& name);

// "NCCL_ALGO" of "env.NCCL_ALGO".
std::string environment_name(const std::string& parameter);

// True for devices, nodes, batch_global and batch_per_device: the harness reads them itself.
bool is_harness_parameter(const std::string& name);

// True for what other programs call the number of devices: "gpus", "world_size".
bool means_devices(const std::string& name);

// True when `name` is an identifier: [A-Za-z_][A-Za-z0-9_.]*, at most 200 characters.
bool is_parameter_name(const std::string& name);

// What is wrong with setting that environment variable (without "env.") for the workload, empty
// when nothing is: a variable that it does not go by would be compared without effect.
std::string check_variable_name(Workload workload, const std::string& name);

// What is wrong with that name as a parameter of the workload, empty when nothing is.
std::string check_parameter_name(Workload workload, const std::string& name);

struct ParsedValue {
  std::optional<Value> value;
  std::string problem;  // when there is no value
};

// The text of a study file as a value of that parameter: its kind from the table, a unit converted
// to the parameter's own ("25MB" for a parameter in MiB), text as it stands for free parameters.
//   is_quoted  written in quotes: text, where the parameter has no kind of its own.
ParsedValue parse_parameter_value(Workload workload,
                                  const std::string& name,
                                  const std::string& text,
                                  bool is_quoted);

// The same of a study that was checked when its trials ran: nothing is refused now, and what its
// kind cannot hold is what plain YAML means by it.
Value stored_parameter_value(Workload workload,
                             const std::string& name,
                             const std::string& text,
                             bool is_quoted);

struct EffectiveValue {
  Value value;
  bool is_default = false;  // also where it was given
};

using EffectiveParameters = std::map<std::string, EffectiveValue>;

// What trials of these parameters see: they, and the default of every other one that has a default,
// which may depend on `backend` and `model`. The only place that says what a parameter is when
// nothing is said.
EffectiveParameters effective_parameters(Workload workload, const Parameters& given);

// The value of that name; of an environment variable that is not named kDefaultValue; else absent.
std::optional<Value> effective_value(const EffectiveParameters& parameters,
                                     const std::string& name);

// What tells the cell with these parameters from others of its workload, in all versions of the
// program: no value that was the default in the first one, and those that are the default since.
Parameters telling_parameters(Workload workload, const Parameters& parameters);

// Unit of its values: "samples", "B", "parameters" of kParameterCount; empty where it has none.
std::string parameter_unit(Workload workload, const std::string& name);

// Whether ranks sleep in place of computing (`compute: declared`, which is one value in a study).
bool has_declared_compute(const Study& study);

// Whether cells of a built-in workload have ranks joined by emulated links
// (interconnect.bandwidth).
bool has_emulated_links(const Study& study);

// One of the two: what trials then tell is emulated, of all cells of the study.
bool is_emulated(const Study& study);

// Whether it matters only with two or more ranks.
bool is_communication_parameter(Workload workload, const std::string& name);

}  // namespace scalestudy
