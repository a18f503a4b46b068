// A sample in a file: a record of bytes, how it is written and what it decodes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/model/shape/zoo.h"

namespace scalestudy::train {

// All records of a model have equal sizes.
// - of values: the label, then a byte for each value: value = (byte - 127.5) / 51, within 2.5.
// - of tokens: those of the sequence and the one after it: a token's label is its successor.
// A label or token is a number below the model's outputs, in integer_bytes(), the low byte first.
std::size_t integer_bytes(const model::SampleShape& shape);  // 1, 2 or 4: the fewest that hold it
std::size_t record_bytes(const model::SampleShape& shape);

// Writes a sample of the synthetic task (dataset.h: classes, or tokens) to the whole of `record`.
// Values are rounded to bytes.
void encode_sample(const model::SampleShape& shape,
                   std::uint64_t seed,
                   std::uint32_t sample,
                   std::span<std::uint8_t> record);

// Which parts of a sample are read.
struct SampleParts {
  bool has_input = false;
  bool has_labels = false;

  bool are_any() const { return has_input || has_labels; }
};

// Bytes of a record from `first` on.
struct RecordPart {
  std::size_t first = 0;
  std::size_t bytes = 0;
};

// Where a sample's input and its labels lie in its record (for tokens they overlap), and the
// smallest part that holds those that are read; no bytes if neither is.
RecordPart input_part(const model::SampleShape& shape);
RecordPart label_part(const model::SampleShape& shape);
RecordPart record_part(const model::SampleShape& shape, SampleParts parts);

// Decode the bytes of an input or of labels. decode_integers() throws WorkloadError (failed) for a
// label or token that the model does not have.
// - values: (input width).
// - integers: a label, or (tokens) of an input or of its labels.
template <typename T>
void decode_values(std::span<const std::uint8_t> bytes, std::span<T> values);
void decode_integers(const model::SampleShape& shape,
                     std::span<const std::uint8_t> bytes,
                     std::span<std::int32_t> integers);

}  // namespace scalestudy::train
