// Loops of the CPU backend over one part of the data, one thread each; vectorised for the CPU at
// hand.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/ops/ops.h"

namespace scalestudy::ops {

// y[0, columns) = dropout(relu(y)) for one sample of the step.
template <typename T>
void relu_dropout_row(T* y,
                      std::size_t columns,
                      const ReluDropout<T>& function,
                      const DropoutKey& key,
                      std::uint32_t sample);

// Columns [begin, end): dy = gradient before relu and dropout; sums = column sums of it.
template <typename T>
void relu_dropout_backward_columns(Matrix<T> dy,
                                   const T* y,
                                   const ReluDropout<T>& function,
                                   T* sums,
                                   std::size_t begin,
                                   std::size_t end);

// Columns [begin, end): sums = column sums of dy.
template <typename T>
void sum_columns(Matrix<T> dy, T* sums, std::size_t begin, std::size_t end);

// row[0, columns) becomes (softmax(row) - onehot(label)) * scale. Returns -log softmax(row)[label].
template <typename T>
double softmax_cross_entropy_row(T* row, std::size_t columns, std::int32_t label, double scale);

// row[0, columns) becomes 2 (row - target) / columns * scale. Returns the mean of (row - target)^2.
template <typename T>
double mean_squared_error_row(T* row, const T* target, std::size_t columns, double scale);

template <typename T>
void sgd_range(const Sgd<T>& rule, T* p, const T* g, T* velocity, std::size_t count);
template <typename T>
void adamw_range(const AdamW<T>& rule, T* p, const T* g, T* m, T* v, std::size_t count);

}  // namespace scalestudy::ops
