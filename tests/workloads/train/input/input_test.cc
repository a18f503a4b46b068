// The parts that reading samples from a file is made of.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/device/data_type.h"
#include "workloads/rank/error.h"
#include "workloads/train/input/read_ahead.h"
#include "workloads/train/input/records.h"
#include "workloads/train/input/samples.h"
#include "workloads/train/input/shuffle.h"
#include "workloads/train/input/tokens.h"

using namespace scalestudy;
using namespace scalestudy::train;

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<std::uint64_t> epoch_of(std::uint64_t count, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<std::uint64_t> samples;
  for (std::uint64_t i = 0; i < count; ++i) {
    samples.push_back(shuffled(i, count, seed, epoch));
  }
  return samples;
}

Bytes part_of(const Bytes& record, const RecordPart& part) {
  const auto first = record.begin() + static_cast<std::ptrdiff_t>(part.first);
  return {first, first + static_cast<std::ptrdiff_t>(part.bytes)};
}

Bytes of_input(const model::SampleShape& shape, const Bytes& record) {
  return part_of(record, input_part(shape));
}

Bytes of_labels(const model::SampleShape& shape, const Bytes& record) {
  return part_of(record, label_part(shape));
}

std::int32_t label_of(const model::SampleShape& shape, const Bytes& record) {
  std::int32_t label = 0;
  decode_integers(shape, of_labels(shape, record), std::span(&label, 1));
  return label;
}

// Whether `count` comes to be `wanted` within 10 s.
bool reaches(const std::atomic<std::size_t>& count, std::size_t wanted) {
  for (int i = 0; i < 10'000 && count.load() != wanted; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return count.load() == wanted;
}

}  // namespace

TEST_CASE("an epoch has every sample once, in an order of its own", "[train]") {
  for (const std::uint64_t count : {1, 2, 3, 4, 5, 17, 64, 65, 1000}) {
    CAPTURE(count);
    for (const std::uint64_t epoch : {0, 1, 7}) {
      const auto samples = epoch_of(count, 1, epoch);
      const std::set<std::uint64_t> distinct(samples.begin(), samples.end());
      CHECK(distinct.size() == count);
      CHECK(*distinct.rbegin() == count - 1);
    }
  }
  CHECK(epoch_of(64, 1, 0) == epoch_of(64, 1, 0));
  CHECK(epoch_of(64, 1, 0) != epoch_of(64, 1, 1));
  CHECK(epoch_of(64, 1, 0) != epoch_of(64, 2, 0));
}

// Binomial: of 8,000 epochs 1,000 are expected, the standard deviation is 29.6; five of it.
TEST_CASE("each sample comes first as often as any other", "[train]") {
  std::vector<int> first(8);
  for (std::uint64_t epoch = 0; epoch < 8000; ++epoch) {
    ++first.at(shuffled(0, 8, 1, epoch));
  }

  for (const int count : first) {
    CHECK(count == Approx(1000.0).margin(148.0));
  }
}

// By hand: (0 - 127.5) / 51, (255 - 127.5) / 51 and (127 - 127.5) / 51.
TEST_CASE("a record of values is its label and a byte a value", "[train]") {
  const model::SampleShape shape{.input_width = 3, .output_width = 8};
  std::vector<double> values(3);

  CHECK(record_bytes(shape) == 4);
  CHECK(label_of(shape, {2, 0, 255, 127}) == 2);
  decode_values(of_input(shape, {2, 0, 255, 127}), std::span(values));
  CHECK(values[0] == Approx(-2.5));
  CHECK(values[1] == Approx(2.5));
  CHECK(values[2] == Approx(-0.00980392157));
  std::vector<device::Bf16> rounded(3);
  decode_values(of_input(shape, {7, 0, 255, 127}), std::span(rounded));
  CHECK(static_cast<float>(rounded[0]) == -2.5F);
}

TEST_CASE("labels and tokens take as many bytes as the outputs need", "[train]") {
  CHECK(record_bytes({.input_width = 10, .output_width = 256}) == 11);
  CHECK(record_bytes({.input_width = 10, .output_width = 257}) == 12);
  CHECK(record_bytes({.input_width = 10, .output_width = 65536}) == 12);
  CHECK(record_bytes({.input_width = 10, .output_width = 65537}) == 14);
  CHECK(record_bytes({.is_tokens = true, .input_width = 4, .output_width = 300}) == 10);
}

TEST_CASE("a token's label is the one behind it", "[train]") {
  const model::SampleShape shape{.is_tokens = true, .input_width = 4, .output_width = 300};
  std::vector<std::int32_t> tokens(4);
  std::vector<std::int32_t> labels(4);

  const Bytes record = {2, 1, 3, 0, 255, 0, 0, 1, 5, 0};
  decode_integers(shape, of_input(shape, record), tokens);
  decode_integers(shape, of_labels(shape, record), labels);

  CHECK(tokens == std::vector<std::int32_t>{258, 3, 255, 256});
  CHECK(labels == std::vector<std::int32_t>{3, 255, 256, 5});
}

TEST_CASE("the least part of a record is read that holds what is wanted of it", "[train]") {
  const model::SampleShape values{.input_width = 10, .output_width = 300};
  const model::SampleShape text{.is_tokens = true, .input_width = 4, .output_width = 300};
  const auto part = [](const model::SampleShape& shape, bool has_input, bool has_labels) {
    const RecordPart found = record_part(shape, {has_input, has_labels});
    return std::pair(found.first, found.bytes);
  };
  using Part = std::pair<std::size_t, std::size_t>;

  CHECK(part(values, true, true) == Part{0, 12});
  CHECK(part(values, true, false) == Part{2, 10});
  CHECK(part(values, false, true) == Part{0, 2});
  CHECK(part(values, false, false) == Part{0, 0});
  CHECK(part(text, true, true) == Part{0, 10});
  CHECK(part(text, true, false) == Part{0, 8});
  CHECK(part(text, false, true) == Part{2, 8});
}

TEST_CASE("what is written of a synthetic sample is read back", "[train]") {
  const model::SampleShape values{.input_width = 50, .output_width = 8};
  const model::SampleShape text{.is_tokens = true, .input_width = 20, .output_width = 300};
  for (std::uint32_t sample = 0; sample < 50; ++sample) {
    Bytes record(record_bytes(values));
    std::vector<float> exact(50);
    std::vector<float> decoded(50);
    encode_sample(values, 3, sample, record);
    decode_values(of_input(values, record), std::span(decoded));
    CHECK(label_of(values, record) ==
          static_cast<std::int32_t>(add_class_sample(std::span(exact), 8, 3, sample)));
    for (std::size_t i = 0; i < 50; ++i) {
      CHECK(decoded[i] == Approx(exact[i]).margin(0.5 / 51.0 + 1e-6));
    }

    Bytes line(record_bytes(text));
    std::vector<std::int32_t> sequence(21);
    std::vector<std::int32_t> tokens(20);
    std::vector<std::int32_t> labels(20);
    encode_sample(text, 3, sample, line);
    decode_integers(text, of_input(text, line), tokens);
    decode_integers(text, of_labels(text, line), labels);
    fill_sequence(sequence, 300, 3, sample);
    CHECK(std::equal(tokens.begin(), tokens.end(), sequence.begin()));
    CHECK(std::equal(labels.begin(), labels.end(), sequence.begin() + 1));
  }
}

TEST_CASE("a label that the model does not have is an error", "[train]") {
  const model::SampleShape shape{.input_width = 1, .output_width = 8};

  CHECK(label_of(shape, {7, 0}) == 7);
  CHECK_THROWS_WITH(label_of(shape, {8, 0}),
                    Catch::Contains("has the label 8") && Catch::Contains("end at 7"));
}

TEST_CASE("without a depth each step fills its own batch", "[train]") {
  std::vector<std::size_t> filled;
  ReadAhead ahead(0, {}, [&](std::size_t step) { filled.push_back(step); });

  CHECK(filled.empty());
  ahead.wait_for(0);
  CHECK(filled == std::vector<std::size_t>{0});
  ahead.wait_for(1);
  CHECK(filled == std::vector<std::size_t>{0, 1});
}

// The batch of step s may be filled once step s - depth is asked for: until then its slot is read.
TEST_CASE("a thread fills as many batches ahead as it is deep, and no more", "[train]") {
  std::atomic<std::size_t> count{0};
  std::atomic<bool> is_in_order{true};
  ReadAhead ahead(2, {}, [&](std::size_t step) {
    is_in_order = is_in_order && step == count;
    ++count;
  });

  for (std::size_t step = 0; step < 6; ++step) {
    ahead.wait_for(step);
    CHECK(count.load() > step);
    CHECK(reaches(count, step + 3));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(count.load() == step + 3);
  }
  CHECK(is_in_order.load());
}

TEST_CASE("nothing is filled once it is stopped", "[train]") {
  std::atomic<std::size_t> count{0};
  ReadAhead ahead(1, {}, [&](std::size_t) { ++count; });
  ahead.wait_for(0);
  ahead.stop();
  const std::size_t stopped = count.load();

  std::this_thread::sleep_for(std::chrono::milliseconds(5));

  CHECK(count.load() == stopped);
}

TEST_CASE("what filling throws reaches the step that needs it", "[train]") {
  const std::size_t depth = GENERATE(0, 1, 4);
  ReadAhead ahead(depth, {}, [](std::size_t step) {
    if (step == 2) {
      throw std::runtime_error("no such sample");
    }
  });

  ahead.wait_for(0);
  ahead.wait_for(1);
  CHECK_THROWS_WITH(ahead.wait_for(2), "no such sample");
  CHECK_THROWS_WITH(ahead.wait_for(2), "no such sample");
}
