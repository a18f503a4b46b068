// A sample in a file: a record of bytes, how it is written and what it decodes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "workloads/model/zoo.h"

namespace scalestudy::train {

// All records of a model have equal sizes.
//   of values  the label, then a byte for each value: value = (byte - 127.5) / 51, within 2.5
//   of tokens  those of the sequence and the one behind it: a token's label is its successor
// A label or token is a number below the model's outputs, in integer_bytes(), the low one first.
std::size_t integer_bytes(const model::SampleShape& shape);  // 1, 2 or 4: the fewest that hold it
std::size_t record_bytes(const model::SampleShape& shape);

// Writes a sample of the synthetic task (dataset.h: classes, or tokens) to `record`, all of it.
// Values are rounded to bytes.
void encode_sample(const model::SampleShape& shape,
                   std::uint64_t seed,
                   std::uint32_t sample,
                   std::span<std::uint8_t> record);

// What a record holds. Throw WorkloadError (failed) for a label or token that the model does not
// have.
//   values          (input width); returns the label
//   tokens, labels  (tokens) each
template <typename T>
std::int32_t decode_values(const model::SampleShape& shape,
                           std::span<const std::uint8_t> record,
                           std::span<T> values);
void decode_tokens(const model::SampleShape& shape,
                   std::span<const std::uint8_t> record,
                   std::span<std::int32_t> tokens,
                   std::span<std::int32_t> labels);

}  // namespace scalestudy::train
