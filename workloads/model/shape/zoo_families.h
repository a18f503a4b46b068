// The functions of zoo.h for each family of models; zoo.cc chooses among them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/model/shape/zoo.h"

namespace scalestudy::model {

// The `model.*` parameters of a run: a family takes those it has.
class ShapeParameters {
 public:
  explicit ShapeParameters(const Overrides& overrides) : overrides_(overrides) {}

  // The value given for `name`; `own`, the model's own value, if none is given.
  std::size_t take(std::string_view name, std::size_t own);

  // Throws std::invalid_argument for a parameter that was not taken.
  void check_all_taken(std::string_view model) const;

 private:
  const Overrides& overrides_;
  std::vector<std::string> known_;
};

// The model of the family with that name; nullopt if there is none. Throws as find_model().
std::optional<MlpSpec> find_mlp(std::string_view name, ShapeParameters& parameters);
std::optional<TransformerSpec> find_transformer(std::string_view name, ShapeParameters& parameters);
std::optional<ResidualSpec> find_residual(std::string_view name, ShapeParameters& parameters);
std::optional<RecurrentSpec> find_recurrent(std::string_view name, ShapeParameters& parameters);

// For each family what zoo.h says about a ModelSpec.
SampleShape sample_shape(const MlpSpec& spec);
SampleShape sample_shape(const TransformerSpec& spec);
SampleShape sample_shape(const ResidualSpec& spec);
SampleShape sample_shape(const RecurrentSpec& spec);
std::vector<double> flop_by_unit(const MlpSpec& spec);
std::vector<double> flop_by_unit(const TransformerSpec& spec);
std::vector<double> flop_by_unit(const ResidualSpec& spec);
std::vector<double> flop_by_unit(const RecurrentSpec& spec);
std::vector<TensorShape> tensor_shapes(const MlpSpec& spec);
std::vector<TensorShape> tensor_shapes(const TransformerSpec& spec);
std::vector<TensorShape> tensor_shapes(const ResidualSpec& spec);
std::vector<TensorShape> tensor_shapes(const RecurrentSpec& spec);

}  // namespace scalestudy::model
