// Which environment variables are recorded in stores, reports and exports.
#pragma once

#include <string_view>

namespace scalestudy {

// True for variables that change how programs of this kind run: of OpenMP, math libraries, CUDA,
// PyTorch, JAX, TensorFlow, the dynamic linker and Python. False if the name says that the value is
// a secret. If others share a prefix (TF_: Terraform, LD_: LaunchDarkly), only known names count.
bool is_told_variable(std::string_view name);

// How the name of a session's fact about a variable begins: "variable.OMP_NUM_THREADS".
inline constexpr std::string_view kVariableFact = "variable.";

// Whether a stored fact may be shown: older versions stored more variables than they should have.
inline bool is_told_fact(std::string_view fact) {
  return !fact.starts_with(kVariableFact) || is_told_variable(fact.substr(kVariableFact.size()));
}

}  // namespace scalestudy
