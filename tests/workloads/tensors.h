// Tells the tensors of a model's flat buffers from the padding between and inside them; numbers to
// move them by.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "workloads/model/shape/zoo.h"
#include "workloads/ops/philox.h"

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

// In (-1, 1), the same in every run; each row has other numbers.
inline double number(std::size_t index, std::uint32_t row) {
  const auto counter =
      ops::philox_counter(static_cast<std::uint32_t>(index), row, 0, ops::Purpose::kInput, 9);
  return ops::symmetric_uniform(ops::philox4x32_10(counter, ops::philox_key(1)).word[0]);
}

// The largest error of a tensor, as |found - expected| / |expected| (2-norms); a norm below a
// thousandth of the largest counts as that.
inline double worst_tensor_error(const model::ModelSpec& spec,
                                 const std::vector<double>& found,
                                 const std::vector<double>& expected) {
  std::vector<double> errors;
  std::vector<double> sizes;
  std::size_t next = 0;
  for (const std::size_t elements : model::tensor_elements(spec)) {
    double error = 0.0;
    double size = 0.0;
    for (const std::size_t end = next + elements; next < end; ++next) {
      error += std::pow(found.at(next) - expected.at(next), 2);
      size += std::pow(expected.at(next), 2);
    }
    errors.push_back(std::sqrt(error));
    sizes.push_back(std::sqrt(size));
  }
  const double least = 1e-3 * *std::max_element(sizes.begin(), sizes.end());
  double worst = 0.0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    worst = std::max(worst, errors[i] / std::max(sizes[i], least));
  }
  return worst;
}

// The largest magnitude.
inline double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) {
    result = std::max(result, std::abs(value));
  }
  return result;
}

}  // namespace scalestudy::test
