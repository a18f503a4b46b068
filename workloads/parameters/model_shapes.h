// Which `model.*` parameters each model has, and which of their values cannot be: what the study
// parser must know of the models. Held to them by tests/workloads/model/model_shapes_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

// Why the model cannot have this shape, beginning with the parameter at fault; empty when it can.
//   model   one that the table of parameters allows.
//   values  canonical texts, each allowed by itself; others than `model.*` are not looked at.
std::string check_model_shape(std::string_view model,
                              const std::map<std::string, std::string>& values);

// Layers or blocks that stages of a pipeline can be made of; what lies before and behind the blocks
// of a transformer, or of a ResNet, is one each. 0 for another model.
std::int64_t layer_count(std::string_view model, const std::map<std::string, std::string>& values);

}  // namespace scalestudy::protocol
