// Parameters of a workload program: SCALESTUDY_PARAMETERS, overridden by flags.
#pragma once

#include <map>
#include <span>
#include <string>

namespace scalestudy::flags {

using Texts = std::map<std::string, std::string>;  // parameter -> canonical text

// What the help says about a program, besides its parameters.
struct Program {
  std::string workload;  // "train": whose table of parameters the flags are made from
  std::string name;      // "scalestudy-train"
  std::string summary;   // one sentence
  std::string examples;  // whole lines
};

// Whether --help or -h is among the arguments.
bool asks_for_help(std::span<const char* const> arguments);

// The text of --help.
std::string help_text(const Program& program);

// The parameters in SCALESTUDY_PARAMETERS, none when it is not set.
// Throws WorkloadError (usage) when it is not a JSON object of texts, numbers and booleans.
Texts environment();

// The parameters given as flags, "--bucket-mb 25" or "--bucket-mb=25".
// Throws WorkloadError (usage) for an unknown flag.
Texts parse_flags(const Program& program, std::span<const char* const> arguments);

// The table's defaults (without `devices`), overridden by `environment`, overridden by `flags`.
Texts merge(const std::string& workload, const Texts& environment, const Texts& flags);

// `merged` with `devices` filled in. Throws WorkloadError (usage) for an unknown name, a bad value,
// or `devices` other than `rank_count`.
Texts check(const Program& program, const Texts& merged, int rank_count);

// Throws WorkloadError (usage) with the message.
[[noreturn]] void refuse(const std::string& message);

}  // namespace scalestudy::flags
