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
  std::vector<std::string> values;      // legal values; empty: see below
  std::optional<std::int64_t> minimum;  // integers
  std::optional<std::int64_t> maximum;
  std::int64_t multiple_of = 1;
  std::string unit;  // of integers: "bytes", "threads"
  std::vector<std::string>
      selection;               // names of NCCL's list grammar: "Ring,Tree", "^LL", "allreduce:tree"
  std::string since;           // version, "" when not stated
  std::string until;           // last version
  std::string effect;          // a few words
  std::string scope;           // node | network | both | host
  bool communication = false;  // matters with two or more ranks only
  std::string parameter;       // of train, which built-in workloads go by instead; "" for none
  std::string workload;        // the only built-in one that reads it; "" for all
  std::string backend;         // likewise
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

// What is wrong with setting `name` (without "env.") at all, empty when nothing is. Names of NCCL
// and Open MPI must be in the catalogue because both ignore unknown ones in silence; others are
// free.
std::string check_environment_name(const EnvironmentCatalogue& catalogue, const std::string& name);

// What is wrong with `value` for that name, empty when nothing is or the name is not catalogued.
// "default" (variable not set) is always legal.
std::string check_environment_value(const EnvironmentCatalogue& catalogue,
                                    const std::string& name,
                                    const std::string& value);

// Whether the variable matters only with two or more ranks; false when not catalogued.
bool is_communication_variable(const std::string& name);

}  // namespace scalestudy
