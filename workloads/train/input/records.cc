#include "workloads/train/input/records.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "workloads/device/data_type.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/input/samples.h"
#include "workloads/train/input/tokens.h"

namespace scalestudy::train {
namespace {

// Exact in every type: bytes span what synthetic samples do, which is +-2.45.
constexpr float kMiddle = 127.5F;
constexpr float kBytesPerUnit = 51.0F;

void write_integer(std::uint32_t value, std::span<std::uint8_t> to) {
  for (std::uint8_t& byte : to) {
    byte = static_cast<std::uint8_t>(value & 0xFFU);
    value >>= 8U;
  }
}

std::int32_t read_integer(const model::SampleShape& shape, std::span<const std::uint8_t> from) {
  std::uint32_t value = 0;
  for (std::size_t i = from.size(); i > 0; --i) {
    value = value << 8U | from[i - 1];
  }
  if (value >= shape.output_width) {
    throw rank::WorkloadError(
        protocol::kExitFailed,
        std::string("data_path: a sample has the ") + (shape.is_tokens ? "token " : "label ") +
            std::to_string(value) + ", but the model's end at " +
            std::to_string(shape.output_width - 1) + "; give a file made for this model");
  }
  return static_cast<std::int32_t>(value);
}

}  // namespace

std::size_t integer_bytes(const model::SampleShape& shape) {
  if (shape.output_width <= 0x100) {
    return 1;
  }
  return shape.output_width <= 0x10000 ? 2 : 4;
}

std::size_t record_bytes(const model::SampleShape& shape) {
  return shape.is_tokens ? (shape.input_width + 1) * integer_bytes(shape)
                         : integer_bytes(shape) + shape.input_width;
}

void encode_sample(const model::SampleShape& shape,
                   std::uint64_t seed,
                   std::uint32_t sample,
                   std::span<std::uint8_t> record) {
  const std::size_t integer = integer_bytes(shape);
  if (shape.is_tokens) {
    std::vector<std::int32_t> sequence(shape.input_width + 1);
    fill_sequence(sequence, shape.output_width, seed, sample);
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      write_integer(static_cast<std::uint32_t>(sequence[i]), record.subspan(i * integer, integer));
    }
    return;
  }
  std::vector<float> values(shape.input_width);
  write_integer(add_class_sample(std::span(values), shape.output_width, seed, sample),
                record.first(integer));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const long byte = std::lround(kMiddle + kBytesPerUnit * values[i]);
    record[integer + i] = static_cast<std::uint8_t>(std::clamp(byte, 0L, 255L));
  }
}

RecordPart input_part(const model::SampleShape& shape) {
  const std::size_t integer = integer_bytes(shape);
  return shape.is_tokens ? RecordPart{0, shape.input_width * integer}
                         : RecordPart{integer, shape.input_width};
}

RecordPart label_part(const model::SampleShape& shape) {
  const std::size_t integer = integer_bytes(shape);
  return shape.is_tokens ? RecordPart{integer, shape.input_width * integer}
                         : RecordPart{0, integer};
}

RecordPart record_part(const model::SampleShape& shape, SampleParts parts) {
  if (parts.has_input && parts.has_labels) {
    return {0, record_bytes(shape)};
  }
  if (parts.has_input) {
    return input_part(shape);
  }
  return parts.has_labels ? label_part(shape) : RecordPart{};
}

template <typename T>
void decode_values(std::span<const std::uint8_t> bytes, std::span<T> values) {
  using Real = device::Real<T>;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>((static_cast<Real>(bytes[i]) - static_cast<Real>(kMiddle)) /
                               static_cast<Real>(kBytesPerUnit));
  }
}

void decode_integers(const model::SampleShape& shape,
                     std::span<const std::uint8_t> bytes,
                     std::span<std::int32_t> integers) {
  const std::size_t size = integer_bytes(shape);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = read_integer(shape, bytes.subspan(i * size, size));
  }
}

template void decode_values(std::span<const std::uint8_t>, std::span<float>);
template void decode_values(std::span<const std::uint8_t>, std::span<double>);
template void decode_values(std::span<const std::uint8_t>, std::span<device::Bf16>);
template void decode_values(std::span<const std::uint8_t>, std::span<device::Half>);

}  // namespace scalestudy::train
