// Orthonormal columns.
#pragma once

#include <cstddef>
#include <span>

namespace scalestudy::sync {

// Makes the columns of `matrix` (rows, columns), row-major, columns <= rows, orthonormal: column i
// stays within the span of the first i + 1 as long as that grows. In place of a column that adds
// nothing to those before it, as where all are zero, comes a direction of a fixed pseudo-random
// sequence, so that as many columns are left and the same numbers give the same bits. Columns that
// are not finite are left as they are. Modified Gram-Schmidt, twice, in double precision.
// source: Giraud, Langou, Rozloznik, Comput. Math. Appl. 50 (2005): twice is enough.
template <typename T>
void orthonormalize(std::span<T> matrix, std::size_t columns);

extern template void orthonormalize(std::span<float>, std::size_t);
extern template void orthonormalize(std::span<double>, std::size_t);

}  // namespace scalestudy::sync
