// Tells the tensors of a model's flat buffers from the padding between and inside them.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

#include "workloads/model/shape/zoo.h"

namespace scalestudy::test {

// Where the model's parameters lie in a flat buffer, in the order of tensor_elements(); all other
// elements are padding.
inline std::vector<std::size_t> places_of_parameters(const model::ModelSpec& spec,
                                                     std::size_t element_bytes) {
  const std::vector<std::size_t> elements = model::tensor_elements(spec);
  const std::vector<std::size_t> padded = model::padded_elements(spec, element_bytes);
  const auto* transformer = std::get_if<model::TransformerSpec>(&spec.shape);
  std::vector<std::size_t> places;
  std::size_t begin = 0;
  for (std::size_t tensor = 0; tensor < elements.size(); ++tensor) {
    // Output weights (d, V) of LLaMA are padded row by row, all others behind their last element.
    const bool is_head = transformer != nullptr && transformer->is_llama && tensor == 0;
    for (std::size_t i = 0; i < elements[tensor]; ++i) {
      const std::size_t inside =
          is_head ? i / transformer->vocabulary * transformer->padded_vocabulary() +
                        i % transformer->vocabulary
                  : i;
      places.push_back(begin + inside);
    }
    begin += padded[tensor];
  }
  return places;
}

// Those elements of `flat`.
template <typename T>
std::vector<T> parameters_of(const model::ModelSpec& spec,
                             std::size_t element_bytes,
                             const std::vector<T>& flat) {
  std::vector<T> values;
  for (const std::size_t place : places_of_parameters(spec, element_bytes)) {
    values.push_back(flat.at(place));
  }
  return values;
}

}  // namespace scalestudy::test
