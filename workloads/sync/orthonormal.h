// Orthonormal columns.
#pragma once

#include <cstddef>
#include <span>

namespace scalestudy::sync {

// Makes the columns of `matrix` (rows, columns), row-major, columns <= rows, orthonormal: column i
// stays within the span of the first i + 1. A column that adds nothing to those before it, such as
// a zero column, is replaced by a direction of a fixed pseudo-random sequence, so that the number
// of columns stays and the same input gives the same bits. Columns that are not finite are left
// unchanged. Modified Gram-Schmidt, twice, in double precision.
// source: Giraud, Langou, Rozloznik, Comput. Math. Appl. 50 (2005): twice is enough.
template <typename T>
void orthonormalize(std::span<T> matrix, std::size_t columns);

extern template void orthonormalize(std::span<float>, std::size_t);
extern template void orthonormalize(std::span<double>, std::size_t);

}  // namespace scalestudy::sync
