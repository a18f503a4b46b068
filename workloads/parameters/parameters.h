// The one table of the built-in workloads' parameters: the study parser checks against it, the
// workloads make their flags and defaults from it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy::protocol {

enum class ParameterKind {
  kInteger,
  kReal,
  kText,
  kFlag,
  kIntegers,  // ascending, from 1: "30,60,80"
};

// The default of a parameter while another one has a certain value.
struct OtherDefault {
  std::string_view parameter;  // "backend"
  std::string_view value;      // "cuda"
  std::string_view default_value;
};

// A value that a parameter cannot have beside a value of another one.
struct Refusal {
  std::string_view value;
  std::string_view other;        // "backend", "env.NVIDIA_TF32_OVERRIDE"
  std::string_view other_value;  // "cuda"
  std::string_view reason;       // and what to use instead
};

// What reads a parameter: a value of another one.
struct Reader {
  std::string_view other;  // "data"
  std::string_view value;  // "file"; "!none": any other
};

struct ParameterInfo {
  std::string_view name{};  // "bucket_mb"; flag "--bucket-mb" ('.' and '_' become '-')
  ParameterKind kind = ParameterKind::kText;
  std::string_view default_value{};  // canonical text; empty: required, or absent when `optional`
  std::string_view allowed{};  // text: "a|b|c", empty for any; numbers: "[1, 64]" or "(0, inf)"
  std::string_view unit{};     // "MB", "samples", "" for none
  std::string_view help{};     // one sentence
  bool communication = false;  // matters only with two or more ranks
  bool takes_memory = false;   // of communication, but decides what memory such a rank needs
  bool slows_alone = false;    // of communication, but slows a rank that is alone, too
  bool optional = false;       // has no default and may be left out
  bool condition = false;      // is not chosen but met: failures, slow ranks, links, inputs, seeds
  std::span<const OtherDefault> other_defaults = {};  // the first that applies replaces the default
  // The default when cells were first hashed, if it has changed since. A cell's hash names every
  // value that differs from it, so that trials of the old and the new default are never pooled.
  std::string_view first_default_value = {};
  std::span<const Refusal> refusals = {};
  std::span<const Reader> readers = {};  // it matters with one of them alone; empty: always
};

// The most steps of a phase that a floor in time may add: their results are kept in memory.
inline constexpr std::size_t kMostSteps = 10'000;

// All parameters of a workload ("train"); empty for one that is not built in.
std::span<const ParameterInfo> workload_parameters(std::string_view workload);

// The entry with that name, nullptr when there is none.
const ParameterInfo* find_parameter(std::string_view workload, std::string_view name);

// The value of `parameter` when it is not given.
//   beside  the values that are given: a default may depend on them.
std::string_view default_value(const ParameterInfo& parameter,
                               const std::map<std::string, std::string>& beside);

// What is wrong with `text` as a value of `parameter`, empty when nothing is: what was found, what
// is allowed, and for a list of words the closest one.
std::string check_parameter(const ParameterInfo& parameter, std::string_view text);

// Names of the built-in workloads of this version.
std::vector<std::string> builtin_workloads();

}  // namespace scalestudy::protocol
