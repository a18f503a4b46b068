// Embedding: looks up tokens in a table and adds learned positions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "workloads/device/interface.h"

namespace scalestudy::ops {

struct EmbeddingShape {
  std::size_t batch = 0;
  std::size_t tokens = 0;
  std::size_t width = 0;
  std::size_t vocabulary = 0;
  bool has_positions = false;
  bool is_tied = false;  // backward adds to the table's gradient, which holds the output weights'
};

//   tokens (B, tokens) in [0, vocabulary); table (vocabulary, width); positions (tokens, width),
//   nullptr when there are none; y (B, tokens, width)
template <typename T>
class Embedding : public device::Interface {
 public:
  virtual void forward(const std::int32_t* tokens, const T* table, const T* positions, T* y) = 0;
  // The gradients of rows with the same token are added in their order: the same bits every time.
  virtual void backward(const std::int32_t* tokens, const T* dy, T* dtable, T* dpositions) = 0;
};

}  // namespace scalestudy::ops
