// Which parameters a workload has, and what their values may be: the built-in workloads' own table,
// the harness's axes (devices, nodes, the batches) and environment variables (env.NAME).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

inline constexpr const char* kDefaultValue = "default";  // env.*: the variable is not set
inline constexpr const char* kCompute = "compute";       // parameter of train: "real", "declared"
// Parameter of cells of the control device_match: their one rank runs on the cores, or GPU, that
// this rank of several would have. No study file gives it, no workload sees it.
inline constexpr const char* kOnDevice = "on_device";

// True for names like "env.NCCL_ALGO".
bool is_environment_parameter(const std::string& name);

// The variable that a parameter sets: "NCCL_ALGO" for "env.NCCL_ALGO".
std::string environment_name(const std::string& parameter);

// True for devices, nodes, batch_global and batch_per_device: the harness reads them itself.
bool is_harness_parameter(const std::string& name);

// True for a name that no rank of a built-in workload is given: no parameter of that workload and
// no variable. A study may have such names for setup and cleanup.
bool is_own_parameter(Workload workload, const std::string& name);

// True for other programs' names of the number of devices: "gpus", "world_size".
bool means_devices(const std::string& name);

// True for a name of the trial protocol (protocol::is_name) without a "-".
bool is_parameter_name(const std::string& name);

// What is wrong with setting that environment variable (without "env.") for the workload; empty if
// nothing is. A variable that the workload does not use is refused: comparing it shows no effect.
std::string check_variable_name(Workload workload, const std::string& name);

// What is wrong with that name as a parameter of the workload; empty if nothing is.
std::string check_parameter_name(Workload workload, const std::string& name);

struct ParsedValue {
  std::optional<Value> value;
  std::string problem;  // why there is no value
};

// Reads the text of a study file as a value of that parameter. The table gives its kind; a unit is
// converted to the parameter's own ("25MB" for a parameter in MiB).
// - is_quoted: written in quotes, so text if the parameter has no kind of its own.
ParsedValue parse_parameter_value(Workload workload,
                                  const std::string& name,
                                  const std::string& text,
                                  bool is_quoted);

// Reads a value of a stored study, which was checked when its trials ran: nothing is refused. Text
// that the parameter's kind cannot hold is read as plain YAML.
Value stored_parameter_value(Workload workload,
                             const std::string& name,
                             const std::string& text,
                             bool is_quoted);

struct EffectiveValue {
  Value value;
  bool is_default = false;  // also if the study gives the default itself
};

using EffectiveParameters = std::map<std::string, EffectiveValue>;

// The parameters that trials see: the given ones and all other defaults, which may depend on
// `backend` and `model`. Defaults are resolved here and nowhere else.
EffectiveParameters effective_parameters(Workload workload, const Parameters& given);

// The value of that name, kDefaultValue for an environment variable that is not among them; absent
// if there is none.
std::optional<Value> effective_value(const EffectiveParameters& parameters,
                                     const std::string& name);

// The parameters that distinguish a cell from others of its workload, the same in every version of
// the program: values that were the default in the first version are left out, later defaults kept.
Parameters telling_parameters(Workload workload, const Parameters& parameters);

// Unit of the parameter's values: "samples", "B", "parameters" for names::kParameterCount; empty if
// it has none.
std::string parameter_unit(Workload workload, const std::string& name);

// Whether ranks sleep instead of computing (`compute: declared`, one value for a whole study).
bool has_declared_compute(const Study& study);

// Whether emulated links join the ranks of a built-in workload (interconnect.bandwidth).
bool has_emulated_links(const Study& study);

// Whether the study has declared compute or emulated links: all its times then are emulated.
bool is_emulated(const Study& study);

// Whether the parameter matters only with two or more ranks.
bool is_communication_parameter(Workload workload, const std::string& name);

}  // namespace scalestudy
