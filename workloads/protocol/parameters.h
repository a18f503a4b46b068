// The parameters of the built-in workloads, once: the study parser checks against this table, the
// workloads make their flags and defaults from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy::protocol {

enum class ParameterKind { kInteger, kReal, kText, kFlag };

struct ParameterInfo {
  std::string_view name;            // "bucket_mb"; flag "--bucket-mb" ('.' and '_' become '-')
  ParameterKind kind;
  std::string_view default_value;   // canonical text; empty: required
  std::string_view allowed;         // text: "a|b|c", empty for any; numbers: "[1, 64]" or "(0, inf)"
  std::string_view unit;            // "MB", "samples", "" for none
  std::string_view help;            // one sentence
  bool communication = false;       // matters only with two or more ranks
};

// All parameters of a workload ("train"); empty for one that is not built in.
std::span<const ParameterInfo> workload_parameters(std::string_view workload);

// The entry with that name, nullptr when there is none.
const ParameterInfo* find_parameter(std::string_view workload, std::string_view name);

// What is wrong with `text` as a value of `parameter`, empty when nothing is.
std::string check_parameter(const ParameterInfo& parameter, std::string_view text);

// Names of the built-in workloads of this version.
std::vector<std::string> builtin_workloads();

}  // namespace scalestudy::protocol
