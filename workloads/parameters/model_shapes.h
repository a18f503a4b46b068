// What the study parser must know of the models: which `model.*` parameters each has, and which
// values are impossible. tests/workloads/model/model_shapes_test.cc compares with the models.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

// Why the model cannot have this shape, beginning with the parameter at fault; empty when it can.
//   model   one that the table of parameters allows.
//   values  canonical texts, each allowed by itself; only `model.*` are looked at.
std::string check_model_shape(std::string_view model,
                              const std::map<std::string, std::string>& values);

// Whether the model's samples are sequences of tokens; false for an unknown model.
bool has_tokens(std::string_view model);

// Number of layers or blocks that can be divided into stages of a pipeline. What lies before the
// blocks of a transformer or a ResNet counts as one, and what lies after them too. 0 for another
// model.
std::int64_t layer_count(std::string_view model, const std::map<std::string, std::string>& values);

}  // namespace scalestudy::protocol
