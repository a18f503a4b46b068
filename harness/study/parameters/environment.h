// The catalogue of environment variables (data/environment.yaml): which NCCL, MPI and OpenMP
// settings exist, what they may be set to, and whether they matter with one rank only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

struct EnvironmentVariable {
  std::vector<std::string> values;      // legal values; empty: an integer, a selection, or any text
  std::optional<std::int64_t> minimum;  // of integers, like the next three
  std::optional<std::int64_t> maximum;
  std::int64_t multiple_of = 1;
  std::string unit;  // "bytes", "threads"
  // Names for NCCL's list grammar: "Ring,Tree", "^LL", "allreduce:tree".
  std::vector<std::string> selection;
  std::string since;           // version, "" when not stated
  std::string until;           // last version
  std::string effect;          // a few words
  std::string scope;           // node | network | both | host
  bool communication = false;  // matters with two or more ranks only
  std::string parameter;       // parameter of train that replaces it in built-in workloads, or ""
  std::string workload;        // the only built-in workload that reads it; "" for all
  std::string backend;         // the only backend that reads it; "" for all
  std::string source;
};

struct RemovedVariable {
  std::string why;
  std::string instead;  // what to use; "" when nothing takes its place
};

struct EnvironmentCatalogue {
  std::map<std::string, EnvironmentVariable> variables;
  std::map<std::string, RemovedVariable> removed;
};

// The product's catalogue, read once. Throws Error{kMachine} when the file is missing or unsound.
const EnvironmentCatalogue& environment_catalogue();

// Reads a catalogue from YAML text. Throws Error{kMachine} naming line and fault.
EnvironmentCatalogue parse_environment_catalogue(const std::string& text);

// What is wrong with setting `name` (without "env.") at all; empty if nothing is. Names of NCCL and
// Open MPI must be in the catalogue because both silently ignore unknown ones; others are free.
std::string check_environment_name(const EnvironmentCatalogue& catalogue, const std::string& name);

// What is wrong with `value` for that name; empty if nothing is or the catalogue lacks the name.
// "default" (variable not set) is always legal.
std::string check_environment_value(const EnvironmentCatalogue& catalogue,
                                    const std::string& name,
                                    const std::string& value);

// What is surely wrong with giving every trial that value; empty if nothing is. NCCL reads unknown
// words, and numbers with a unit, as something else.
std::string check_fixed_value(const EnvironmentCatalogue& catalogue,
                              const std::string& name,
                              const std::string& value);

// Whether the variable matters only with two or more ranks; false if the catalogue lacks it.
bool is_communication_variable(const std::string& name);

}  // namespace scalestudy
