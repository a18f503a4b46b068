// Which variables of the environment are told of: in stores, reports, exports.
#pragma once

#include <string_view>

namespace scalestudy {

// Those that change what programs of this kind do: of OpenMP, math libraries, CUDA, PyTorch, JAX,
// TensorFlow, the dynamic linker and Python. None whose name says that its value is a secret; of
// prefixes that others use, too (TF_: Terraform, LD_: LaunchDarkly), only those that are known.
bool is_told_variable(std::string_view name);

// The name of the fact of a session that tells it: "variable.OMP_NUM_THREADS".
inline constexpr std::string_view kVariableFact = "variable.";

// Whether a fact may be told: older versions stored more variables than they should have.
inline bool is_told_fact(std::string_view fact) {
  return !fact.starts_with(kVariableFact) || is_told_variable(fact.substr(kVariableFact.size()));
}

}  // namespace scalestudy
