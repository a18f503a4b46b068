// Strategies that share what is kept of a model among ranks, against ddp, which shares nothing.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::with;

namespace {

const Flags kFiveStepsInBuckets = {
    "--batch-global=16", "--measured-steps=5", "--bucket-mb=0.02", "--first-bucket-mb=0.01"};

// Each of the trainings, whose flags come on top of those of all, in one launch.
std::vector<std::vector<Probe>> train_each_shared(int ranks,
                                                  const std::string& model,
                                                  const Flags& of_all,
                                                  const std::vector<Flags>& trainings) {
  std::vector<Flags> flags;
  for (const Flags& more : trainings) {
    flags.push_back(with(with(with(test::flags_of(model), kFiveStepsInBuckets), of_all), more));
  }
  return test::train_each(ranks, test::network_of(model), flags);
}

std::vector<Probe> train_shared(int ranks, const std::string& model, const Flags& flags) {
  return train_each_shared(ranks, model, flags, {{}}).front();
}

}  // namespace

// Five steps on 2 and 4 ranks; what differs is the order of sums.
TEST_CASE("a shared model ends where replicas do in fp64", "[train][slow]") {
  const std::string model = GENERATE(from_range(test::kSmallModels));
  const std::string overlap = model == "mlp" || model == "gpt-tiny"
                                  ? GENERATE("none", "poll", "start_wait", "thread")
                                  : GENERATE(take(1, values({"none"})));
  const int ranks = GENERATE(2, 4);
  // Without AdamW in transformers: the gradient of a key's bias is zero but for rounding, which it
  // would make a whole step of.
  const Flags flags = {"--precision=fp64",
                       "--overlap=" + overlap,
                       model == "mlp" ? "--optimizer=adamw" : "--weight-decay=0.01"};
  const std::vector<std::vector<Probe>> ends = train_each_shared(
      ranks, model, flags, {{}, {"--strategy=zero1"}, {"--strategy=zero2"}, {"--strategy=fsdp"}});
  const std::vector<Probe>& replicas = ends.front();

  for (std::size_t strategy = 1; strategy < ends.size(); ++strategy) {
    CAPTURE(strategy, model, overlap, ranks);
    for (std::size_t rank = 0; rank < replicas.size(); ++rank) {
      const Probe& probe = ends[strategy][rank];
      CHECK(relative_difference(replicas[rank].parameters, probe.parameters) <= 1e-12);
      CHECK(relative_difference(replicas[rank].losses, probe.losses) <= 1e-12);
      CHECK(probe.peak_bytes == probe.estimate_bytes);
      CHECK(probe.memory == probe.calculated);
      CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
      CHECK(probe.allocations == 0);
    }
  }
}

TEST_CASE("one rank alone ends with the bits of ddp under every strategy", "[train]") {
  const std::string model = GENERATE("mlp", "gpt-tiny");

  const std::vector<std::vector<Probe>> ends = train_each_shared(
      1, model, {}, {{}, {"--strategy=zero1"}, {"--strategy=zero2"}, {"--strategy=fsdp"}});

  const Probe& alone = ends.front().front();
  for (std::size_t strategy = 1; strategy < ends.size(); ++strategy) {
    CAPTURE(strategy, model);
    const Probe& probe = ends[strategy].front();
    CHECK(probe.parameters == alone.parameters);
    CHECK(probe.losses == alone.losses);
    CHECK(probe.traffic == 0.0);
  }
}

// By hand: 258,432 parameters of fp32 in 4 layers, each padded to a multiple of ranks * 128 bytes.
// AdamW keeps two numbers for each that a rank updates.
TEST_CASE("zero1 keeps 1/N of the optimizer's state and moves what ddp moves", "[train]") {
  const test::Model mlp = {"mlp-258k", "-"};
  const Flags flags = with(kFiveStepsInBuckets, {"--optimizer=adamw"});
  const int ranks = GENERATE(2, 4);

  const Probe replica = test::train(ranks, mlp, flags).front();
  const Probe probe = test::train(ranks, mlp, with(flags, {"--strategy=zero1"})).front();

  const double state = 2.0 * 4.0 * 258432.0;
  const double padding = 4.0 * 128.0 * ranks;
  CHECK(std::abs(replica.peak_bytes - probe.peak_bytes - state * (ranks - 1) / ranks) <=
        4.0 * padding);
  CHECK(replica.traffic == Approx(4.0 * 2.0 * (ranks - 1) / ranks * 4.0 * 258432.0).epsilon(1e-9));
  CHECK(std::abs(probe.traffic - replica.traffic) <= 4.0 * 2.0 * padding);
}

// By hand, in bytes of gpt-tiny's blocks and what is around them: N ranks keep shares of 1/N, and
// what computes: what is around the blocks and one of these, of parameters and of gradients. zero2
// sends what zero1 does; fsdp gathers blocks twice, what is around them once.
TEST_CASE("zero2 and fsdp keep shares and what computes, and send what the formula says",
          "[train]") {
  const int ranks = GENERATE(2, 4);
  const Flags flags = {"--optimizer=adamw", "--precision=fp64"};
  const double block = 8.0 * (12.0 * 32 * 32 + 13.0 * 32);
  const double around = 8.0 * (16.0 * 32 + 64.0 * 32 + 2 * 32);  // the vocabulary is padded to 64
  const double all = 3.0 * block + around;

  const Probe zero1 = train_shared(ranks, "gpt-tiny", with(flags, {"--strategy=zero1"})).front();
  const Probe zero2 = train_shared(ranks, "gpt-tiny", with(flags, {"--strategy=zero2"})).front();
  const Probe fsdp = train_shared(ranks, "gpt-tiny", with(flags, {"--strategy=fsdp"})).front();
  const Probe whole =
      train_shared(
          ranks, "gpt-tiny", with(flags, {"--strategy=fsdp", "--reshard-after-forward=false"}))
          .front();
  const Probe ahead =
      train_shared(ranks,
                   "gpt-tiny",
                   with(flags, {"--strategy=fsdp", "--overlap=thread", "--fsdp-prefetch=2"}))
          .front();

  const double slack = 0.02 * all;
  const double saved = all - all / ranks - around - block;
  CHECK(zero1.peak_bytes - zero2.peak_bytes == Approx(saved).margin(slack));
  CHECK(zero2.peak_bytes - fsdp.peak_bytes == Approx(saved).margin(slack));
  CHECK(whole.peak_bytes - fsdp.peak_bytes == Approx(2.0 * 2.0 * block).margin(slack));
  CHECK(ahead.peak_bytes - fsdp.peak_bytes == Approx((2.0 + 1.0) * block).margin(slack));
  const double sent = 4.0 * (ranks - 1) / ranks;  // of four steps
  CHECK(zero2.traffic == Approx(sent * 2.0 * all).epsilon(0.02));
  CHECK(fsdp.traffic == Approx(sent * (2.0 * all + 3.0 * block)).epsilon(0.02));
  CHECK(whole.traffic == Approx(sent * 2.0 * all).epsilon(0.02));
  for (const Probe& probe : {zero2, fsdp, whole, ahead}) {
    CHECK(probe.peak_bytes == probe.estimate_bytes);
    CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
    CHECK(relative_difference(zero1.losses, probe.losses) <= 1e-9);
  }
}

// A gradient is rounded once by its rank, and again in each sum: at most `ranks` times, by 2^-9 of
// bf16's 8 bits and 2^-12 of fp16's 11. SGD moves parameters by as much more or less. Gradients
// travel once, in half of their bytes, and parameters once.
TEST_CASE("gradients of a shared model may travel in 16 bits", "[train][slow]") {
  const std::string model = GENERATE("mlp", "gpt-tiny");
  const Flags shared = {"--strategy=zero1"};
  const Probe one = train_shared(1, model, {}).front();
  const Probe still = train_shared(1, model, {"--learning-rate=0"}).front();
  const double moved = relative_difference(one.parameters, still.parameters);
  for (const int ranks : {2, 4}) {
    const Probe plain = train_shared(ranks, model, shared).front();
    for (const auto& [type, rounding] :
         {std::pair("bf16", std::ldexp(1.0, -9)), std::pair("fp16", std::ldexp(1.0, -12))}) {
      CAPTURE(model, ranks, type);

      const std::vector<Probe> probes =
          train_shared(ranks, model, with(shared, {std::string("--comm-dtype=") + type}));

      const double error = relative_difference(one.parameters, probes[0].parameters) / moved;
      CHECK(error <= ranks * rounding);
      CHECK(error > 0.05 * rounding);
      for (const Probe& probe : probes) {
        CHECK(probe.parameters == probes[0].parameters);
        CHECK(probe.traffic == Approx(0.75 * plain.traffic).epsilon(1e-9));
        CHECK(probe.memory == probe.calculated);
      }
    }
  }
}

TEST_CASE("gradients of a shared model may be accumulated", "[train]") {
  const Flags flags = {"--strategy=zero1", "--precision=fp32"};

  const Probe plain = train_shared(2, "mlp", flags).front();
  const Probe parts = train_shared(2, "mlp", with(flags, {"--accumulation-steps=4"})).front();

  CHECK(relative_difference(plain.parameters, parts.parameters) <= 1e-5);
  CHECK(parts.peak_bytes == parts.estimate_bytes);
}

TEST_CASE("without communication, or with single elements, shared models part ways", "[train]") {
  const std::string strategy = GENERATE("zero1", "zero2", "fsdp");
  const std::string overlap = GENERATE("none", "poll", "thread");
  CAPTURE(strategy, overlap);

  const std::vector<std::vector<Probe>> ends =
      train_each_shared(2,
                        "mlp",
                        {"--strategy=" + strategy, "--overlap=" + overlap},
                        {{}, {"--comm=noop"}, {"--payload=element"}});

  const Probe& plain = ends[0].front();
  CHECK(ends[1].front().calls == 0);
  CHECK(ends[2].front().calls == plain.calls);
  for (const Probe& probe : {ends[1].front(), ends[2].front()}) {
    CHECK(probe.parameters != plain.parameters);
    for (const double loss : probe.losses) {
      CHECK(loss < 10.0);
    }
  }
}
