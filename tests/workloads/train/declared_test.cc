// Declared work: which unit takes how much of it, what a pass of it tells, and how long it is.
#include "workloads/model/declared.h"

#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/named_models.h"
#include "workloads/comm/comm.h"
#include "workloads/rank/clock.h"
#include "workloads/train/layout/declared_times.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/run_model.h"
#include "workloads/train/memory/memory.h"

using namespace scalestudy;

namespace {

train::Options options_of(const std::string& model) {
  train::Options options;
  options.model = model::find_model(model);
  options.batch_per_device = 8;
  options.batch_global = 8;
  options.declared = train::Declared{.step_s = 0.004, .sample_s = 0.001};
  return options;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

// By hand for mlp-258k: multiply-adds 64*192, 128*64, 256*128 and 799*256 from the last layer on, 6
// flop each, of the first layer 4.
TEST_CASE("flop of every model are told by unit", "[model]") {
  CHECK(model::flop_by_unit(model::find_model("mlp-258k")) ==
        std::vector<double>{73'728.0, 49'152.0, 196'608.0, 818'176.0});
  for (const std::string& name : test::named_models()) {
    CAPTURE(name);
    const train::Options options = options_of(name);
    CHECK(model::flop_by_unit(options.model).size() == train::plan_units(options).size());
  }
}

// 4 ms a step and 8 ms of its samples, in two micro-steps.
TEST_CASE("what is declared of a step is spread over micro-steps and units by their flop",
          "[train]") {
  train::Options options = options_of("mlp-258k");
  CHECK(options.declared_step_s() == Approx(0.012));
  options.accumulation_steps = 2;

  const std::vector<double> unit_s = train::declared_unit_times(options);

  CHECK(sum(unit_s) == Approx(0.006));
  CHECK(unit_s.at(0) == Approx(0.006 * 73'728.0 / 1'137'664.0));
  CHECK(unit_s.at(3) == Approx(0.006 * 818'176.0 / 1'137'664.0));
}

TEST_CASE("a pass that sleeps tells of its units as one that computes", "[model]") {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const std::vector<model::Unit> units = {
      {.tensors = 32, .elements = 32, .offset = 0, .is_kept = true},
      {.tensors = 96, .elements = 96, .offset = 32, .is_kept = false}};
  const auto model = model::make_declared_model<float>(units, {0.010, 0.020}, {}, arena);
  std::vector<std::size_t> told;
  model->set_hooks({.before_forward = [&](std::size_t unit) { told.push_back(unit); },
                    .before_backward = [&](std::size_t unit) { told.push_back(10 + unit); }});

  const double begin_s = rank::now_s();
  model->forward({}, {});
  const double middle_s = rank::now_s();
  model->backward({}, [&](std::size_t elements) { told.push_back(elements); });
  const double end_s = rank::now_s();

  CHECK(told == std::vector<std::size_t>{1, 0, 10, 32, 11, 96});
  CHECK(middle_s - begin_s >= 0.010);
  CHECK(end_s - begin_s >= 0.030);
  CHECK(model->parameters().size() == 128);
  CHECK(model->gradients().size() == 128);
}

// By hand: 3 ranks, 12 bytes at 1 s a byte and 10 s a hop; an all-reduce is 4 hops of 4 bytes.
TEST_CASE("a declared link takes what a ring takes", "[comm]") {
  const comm::DeclaredLink link{.hop_s = 10.0, .s_per_byte = 1.0};

  CHECK(link.time_s(comm::Operation::kAllReduce, 12.0, 3) == 4.0 * (10.0 + 4.0));
  CHECK(link.time_s(comm::Operation::kReduceScatter, 12.0, 3) == 2.0 * (10.0 + 4.0));
  CHECK(link.time_s(comm::Operation::kAllGather, 12.0, 3) == 2.0 * (10.0 + 4.0));
  CHECK(link.time_s(comm::Operation::kAllReduce, 12.0, 1) == 0.0);
  CHECK(comm::DeclaredLink{}.time_s(comm::Operation::kAllReduce, 12.0, 3) == 0.0);
  CHECK(link.message_s(12.0) == 10.0 + 12.0);
}

TEST_CASE("a link takes what comes while it is busy afterwards", "[comm]") {
  comm::LinkQueue queue;

  CHECK(queue.end_s(100.0, 10.0) == 110.0);
  CHECK(queue.end_s(103.0, 10.0) == 120.0);
  CHECK(queue.end_s(125.0, 10.0) == 135.0);
}

TEST_CASE("ranks that sleep keep parameters and gradients, and neither data nor activations",
          "[train]") {
  train::Options options = options_of("mlp-258k");
  const train::Memory asleep = train::estimate_memory(options);
  options.declared.reset();
  const train::Memory awake = train::estimate_memory(options);

  CHECK(asleep.parameters == awake.parameters);
  CHECK(asleep.gradients == awake.gradients);
  CHECK(asleep.activations == 0);
  CHECK(awake.activations > 0);
  CHECK(asleep.data < awake.data);
}
