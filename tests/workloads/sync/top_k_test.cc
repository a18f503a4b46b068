// Top-k with error feedback: what travels, what stays behind, and that it learns.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/probe.h"
#include "workloads/ops/philox.h"
#include "workloads/sync/top_k_wire.h"

using namespace scalestudy;
using test::Probe;
using test::relative_difference;
using Flags = std::vector<std::string>;

namespace {

const std::vector<sync::Bucket> kBuckets = {{0, 40 * sizeof(double), 1},
                                            {40 * sizeof(double), 25 * sizeof(double), 1}};

// A rank alone, whose own part is all that arrives.
struct Alone {
  explicit Alone(double share) : wire(*ops, arena, gradients, kBuckets, share, 0, 1) {}

  // Returns what arrived for each gradient.
  std::vector<double> travel(const std::vector<double>& values) {
    gradients.assign(values.begin(), values.end());
    for (std::size_t bucket = 0; bucket < kBuckets.size(); ++bucket) {
      wire.pack(bucket);
      wire.unpack(bucket);
    }
    return gradients;
  }

  std::unique_ptr<device::Device> device = device::make_cpu_device();
  device::Arena arena{*device};
  std::unique_ptr<ops::Ops<double>> ops = ops::make_cpu_ops<double>(1);
  std::vector<double> gradients = std::vector<double>(65);
  sync::TopKWire<double> wire;
};

std::vector<double> numbers(std::uint32_t step) {
  std::vector<double> values;
  for (std::uint32_t i = 0; i < 65; ++i) {
    const ops::PhiloxBlock words = ops::philox4x32_10({{i, step, 0, 0}}, {{7, 0}});
    values.push_back(ops::symmetric_uniform(words.word[0]));
  }
  return values;
}

std::vector<Probe> train(int ranks, const Flags& more) {
  Flags flags = {"--batch-global=32", "--bucket-mb=0.001", "--first-bucket-mb=0.001"};
  flags.insert(flags.end(), more.begin(), more.end());
  return test::train(ranks, {"16,32,4", "0"}, flags);
}

}  // namespace

TEST_CASE("what travels and what stays is every gradient that ever was, bit for bit", "[sync]") {
  Alone alone(0.1);
  std::vector<double> residuals(65);

  for (std::uint32_t step = 0; step < 20; ++step) {
    const std::vector<double> values = numbers(step);
    const std::vector<double> sent = alone.travel(values);

    for (std::size_t i = 0; i < values.size(); ++i) {
      // Of the two one is zero.
      CHECK(sent[i] + alone.wire.residuals()[i] == residuals[i] + values[i]);
      CHECK((sent[i] == 0.0 || alone.wire.residuals()[i] == 0.0));
    }
    residuals.assign(alone.wire.residuals().begin(), alone.wire.residuals().end());
  }
}

// By hand: 4 of 40 and 3 of 25, whose share of 0.1 is 2.5.
TEST_CASE("the largest of each bucket travel", "[sync]") {
  Alone alone(0.1);
  std::vector<double> values(65);
  std::iota(values.begin(), values.end(), -50.0);  // -50 .. -11, and -10 .. 14
  std::vector<double> largest(65);
  for (const double value : {-50.0, -49.0, -48.0, -47.0, 12.0, 13.0, 14.0}) {
    largest[static_cast<std::size_t>(value + 50.0)] = value;
  }

  CHECK(alone.travel(values) == largest);
}

TEST_CASE("of equal gradients the first travel, and one at least", "[sync]") {
  Alone alone(0.001);

  const std::vector<double> sent = alone.travel(std::vector<double>(65, 1.0));

  CHECK(sent[0] == 1.0);
  CHECK(sent[40] == 1.0);
  CHECK(std::accumulate(sent.begin(), sent.end(), 0.0) == 2.0);
}

// The sum of two is the same in either order.
TEST_CASE("all of the gradients sent by top-k are their sum, on two ranks to the bit", "[train]") {
  const std::string overlap = GENERATE("none", "poll", "thread");
  const Flags flags = {"--measured-steps=5", "--precision=fp64", "--overlap=" + overlap};
  Flags all = flags;
  all.emplace_back("--topk=100");

  CHECK(train(2, flags)[0].parameters == train(2, all)[1].parameters);
  CHECK(relative_difference(train(4, flags)[0].parameters, train(4, all)[3].parameters) <= 1e-12);
}

// A value of 4 bytes and an index of 4 for each that travels, to each of the others. The network's
// gradients are padded to 544 and 160 elements, each a bucket: 6 and 2 of them are a hundredth.
TEST_CASE("top-k sends a value and an index of each gradient that travels", "[train]") {
  const int ranks = GENERATE(2, 4);
  const Probe all = train(ranks, {"--measured-steps=3"}).front();
  const std::vector<Probe> probes = train(ranks, {"--measured-steps=3", "--topk=1"});

  for (const Probe& probe : probes) {
    CHECK(probe.parameters == probes.front().parameters);
    CHECK(probe.traffic == Approx(2.0 * (ranks - 1) * 8.0 * (6 + 2)));  // of two steps
    CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
    CHECK(probe.memory == probe.calculated);
    CHECK(probe.allocations == all.allocations);
  }
}

// Of tensors of 32 numbers, which their padding makes of 2 to 12, a hundredth is one.
TEST_CASE("ranks that send their largest gradients end with the bits of a plain loop", "[train]") {
  const auto [widths, ranks, share, overlap] =
      GENERATE(table<std::string, int, std::string, std::string>({{"16,32,4", 2, "5", "none"},
                                                                  {"16,32,4", 4, "30", "thread"},
                                                                  {"3,4,2", 2, "1", "thread"},
                                                                  {"3,4,2", 4, "1", "none"},
                                                                  {"3,4,2", 4, "10", "poll"}}));
  CAPTURE(widths, ranks, share, overlap);

  const std::vector<Probe> probes = test::train(ranks,
                                                {widths, "0.2"},
                                                {"--batch-global=32",
                                                 "--bucket-mb=0.0001",
                                                 "--first-bucket-mb=0.0001",
                                                 "--measured-steps=20",
                                                 "--topk=" + share,
                                                 "--overlap=" + overlap},
                                                {"SCALESTUDY_PROBE_REFERENCE=1"});

  for (const Probe& probe : probes) {
    REQUIRE_FALSE(probe.parameters.empty());
    CHECK(probe.parameters == probe.reference_parameters);
    CHECK(probe.losses == probe.reference_losses);
  }
}

TEST_CASE("with a hundredth of its gradients a network learns what it learns with all", "[train]") {
  const Flags flags = {"--measured-steps=800", "--momentum=0", "--learning-rate=0.1"};
  Flags sparse = flags;
  sparse.emplace_back("--topk=1");

  const Probe all = train(2, flags).front();
  const Probe some = train(2, sparse).front();

  CHECK(all.losses.back() < 0.05 * all.losses.front());
  CHECK(some.losses.back() < 0.05 * some.losses.front());
  CHECK(some.losses.at(10) > 1.2 * all.losses.at(10));  // it is slower at first
}

TEST_CASE("the controls without gradients leave top-k's own alone", "[train]") {
  const std::string control = GENERATE("--comm=noop", "--payload=element");

  const std::vector<Probe> probes = train(2, {"--measured-steps=20", "--topk=10", control});

  for (const double loss : probes[0].losses) {
    CHECK(loss < 10.0);
  }
}

// Sizes whose leading bits are the same, and of either sign.
TEST_CASE("of gradients that are nearly equal the largest travel", "[sync]") {
  Alone alone(0.1);
  std::vector<double> values(65);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = (i % 2 == 0 ? 1.0 : -1.0) * (1.0 + 1e-6 * static_cast<double>(i * 7 % 65));
  }
  std::vector<double> expected(65);
  for (const auto& [first, count, most] :
       {std::array<std::size_t, 3>{0, 40, 4}, std::array<std::size_t, 3>{40, 25, 3}}) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), first);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::abs(values[a]) > std::abs(values[b]);
    });
    for (std::size_t i = 0; i < most; ++i) {
      expected[order[i]] = values[order[i]];
    }
  }

  CHECK(alone.travel(values) == expected);
}
