// Values of parameters, as a study file gives them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace scalestudy {

// One parameter value. Numbers keep their kind so that the trial gets the JSON the user meant.
using Value = std::variant<bool, std::int64_t, double, std::string>;

// Canonical text: "true", "4096", "0.2" (shortest form that reads back equal), "Ring".
std::string format_value(const Value& value);

// The number that a value is; absent for a flag and for text, "4" in quotes among them: that is
// what the study file asks for.
std::optional<double> number_of(const Value& value);

// Parameters by name, e.g. {"devices": 2, "model": "mlp-4096", "env.NCCL_ALGO": "Ring"}.
using Parameters = std::map<std::string, Value>;

}  // namespace scalestudy
