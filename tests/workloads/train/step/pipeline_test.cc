// Training whose ranks are the stages of one model, against one rank with all of it; and the
// bubble of emulated stages, whose answer is known.
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/stepped_trial.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::stage_parameters;
using test::with;

namespace {

const Flags kFiveStepsOf24 = {"--batch-global=24", "--measured-steps=5"};

// Four layers, with dropout.
const test::Model kFourLayers = {"24,40,17,12,8", "0.2"};

std::vector<Probe> train_stages(int stages,
                                const std::string& model,
                                const Flags& flags,
                                const std::string& strategy = "pipeline") {
  return test::train(
      stages,
      model == "mlp" ? kFourLayers : test::network_of(model),
      with(with(test::flags_of(model), kFiveStepsOf24), with(flags, {"--strategy=" + strategy})));
}

}  // namespace

TEST_CASE("stages end with the parameters and losses of one rank in fp64", "[train]") {
  const std::string model = GENERATE("mlp", "llama-7b", "resnet50-cifar", "lstm-332k");
  const auto* parts = GENERATE("1", "8");
  const Flags flags = {"--precision=fp64", "--accumulation-steps=" + std::string(parts)};
  const Probe one = train_stages(1, model, flags, "ddp").front();

  for (const int stages : {2, 4}) {
    if (model == "lstm-332k" && stages > 2) {
      continue;  // it has two layers
    }
    CAPTURE(model, parts, stages);
    const std::vector<Probe> probes = train_stages(stages, model, flags);
    test::check_stages(one, probes);
    CHECK(probes.front().losses == std::vector<double>(5, 0.0));
    for (const Probe& probe : probes) {
      CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
    }
  }
}

TEST_CASE("stages end as one rank with other optimizers, clipping and checkpointing", "[train]") {
  const auto [model, more] = GENERATE(table<std::string, Flags>(
      {{"mlp", {"--optimizer=adamw", "--precision=fp64", "--weight-decay=0.1"}},
       {"mlp", {"--clip-norm=0.05", "--precision=fp64"}},
       {"llama-7b", {"--checkpoint-every=1", "--precision=fp64"}},
       {"mlp", {"--timing=light", "--precision=fp64"}},
       {"mlp", {"--precision=fp64", "--straggler-rank=0", "--straggler-ms=2"}}}));
  const Flags flags = with(more, {"--accumulation-steps=4"});
  const std::vector<double> one = train_stages(1, model, flags, "ddp").front().parameters;

  for (const int stages : {2, 3}) {
    CAPTURE(model, more, stages);
    const std::vector<Probe> probes = train_stages(stages, model, flags);
    CHECK(relative_difference(one, stage_parameters(probes)) <= 1e-12);
    for (const Probe& probe : probes) {
      CHECK(probe.memory == probe.calculated);
      CHECK(probe.allocations == 0);
    }
  }
}

namespace {

// Of 16 words, which are padded to 64.
constexpr std::ptrdiff_t kTable = 64 * 32;

}  // namespace

TEST_CASE("stages of a GPT model end as one rank, with equal tables on the first and the last",
          "[train][slow]") {
  const auto* parts = GENERATE("--accumulation-steps=1", "--accumulation-steps=4");
  const auto more = GENERATE(Flags{},
                             Flags{"--clip-norm=0.05"},
                             Flags{"--optimizer=adamw", "--weight-decay=0.1"},
                             Flags{"--checkpoint-every=1"});
  const Flags flags = with(more, {"--precision=fp64", parts});
  const Probe one = train_stages(1, "gpt-tiny", flags, "ddp").front();

  for (const int stages : {2, 3}) {
    CAPTURE(parts, more, stages);
    std::vector<Probe> probes = train_stages(stages, "gpt-tiny", flags);
    CHECK(take_table_copy(probes, kTable) == table_of(probes, kTable));
    test::check_stages(one, probes);
  }
}

TEST_CASE("clipping counts in a GPT model of stages", "[train]") {
  const auto run = [](const Flags& flags) {
    return train_stages(2, "gpt-tiny", with(flags, {"--precision=fp64"})).back().parameters;
  };
  const std::vector<double> plain = run({});

  CHECK(relative_difference(plain, run({"--clip-norm=0.05"})) > 1e-5);
  CHECK(relative_difference(plain, run({"--learning-rate=0"})) > 1e-3);
}

// By hand: 24 samples of 16 x 32 numbers cross each border both ways, in 4 messages, and between
// the ends the table's gradient, in each of the four steps counted. A micro-batch is 3072 numbers:
// the first of two stages hands on two at a time and receives the table, the last has its input
// twice, both gradients' one, and the table.
TEST_CASE("the ends of a GPT model send each other the gradient of its table", "[train]") {
  const Flags flags = {"--precision=fp64", "--accumulation-steps=4"};
  constexpr int border = 24 * 16 * 32;
  const std::vector<Probe> two = train_stages(2, "gpt-tiny", flags);
  const std::vector<Probe> three = train_stages(3, "gpt-tiny", flags);

  for (const Probe& probe : two) {
    CHECK(probe.bytes == 4 * (border + kTable) * 8);
    CHECK(probe.calls == 4 * (4 + 1));
    CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
  }
  CHECK(three[0].bytes == 4 * (border + kTable) * 8);
  CHECK(three[1].bytes == 4 * 2 * border * 8);
  CHECK(three[2].bytes == 4 * (border + kTable) * 8);
  CHECK(two[0].memory.at("buffers") == (2 * 3072 + kTable) * 8);
  CHECK(two[1].memory.at("buffers") == (3 * 3072 + kTable) * 8);
}

// By hand: a block has 12 x 32^2 weights, 9 x 32 biases and 4 x 32 of norms; 4 positions and 4
// words of 32, of which the table is 64 rows where it travels; the last norm has 64.
TEST_CASE("a trial of a GPT model counts the table on both ends", "[train]") {
  const test::Trial trial = test::run_trial(
      2,
      R"({"model": "gpt-tiny", "model.layers": 2, "model.width": 32, "model.heads": 2, )"
      R"("model.sequence": 4, "model.vocabulary": 4, "strategy": "pipeline", )"
      R"("warmup_steps": 0, "measured_steps": 2, "batch_global": 24})");
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  const auto facts = test::events_of<protocol::Start>(trial.record).at(0).facts;

  const double block = 12 * 1024 + 13 * 32;
  CHECK(facts.at("parameter_count") == 2 * block + 64 + 2 * 128);
  CHECK(facts.at("stage.0.parameter_count") == block + 2 * 128);
  CHECK(facts.at("stage.1.parameter_count") == block + 64 + 128);
  CHECK(facts.at("wire_bytes") == 2 * 4 * (24 * 4 * 32 + 64 * 32));
  CHECK(facts.at("traffic_bytes") == 4 * (24 * 4 * 32 + 64 * 32));
}

TEST_CASE("what is compared has moved, and clipping and dropout count", "[train]") {
  const auto run = [](const Flags& flags) {
    return stage_parameters(
        train_stages(2, "mlp", with(flags, {"--precision=fp64", "--accumulation-steps=4"})));
  };
  const std::vector<double> plain = run({});

  CHECK(relative_difference(plain, run({"--learning-rate=0"})) > 1e-3);
  CHECK(relative_difference(plain, run({"--clip-norm=0.05"})) > 1e-5);
  CHECK(relative_difference(plain, run({"--seed=2"})) > 1e-3);
}

TEST_CASE("a pipeline of one stage has the bits of one rank", "[train]") {
  const Flags flags = {"--accumulation-steps=4"};
  const Probe pipeline = train_stages(1, "mlp", flags).front();
  const Probe plain = train_stages(1, "mlp", flags, "ddp").front();

  CHECK(pipeline.parameters == plain.parameters);
  CHECK(pipeline.losses == plain.losses);
  CHECK(pipeline.peak_bytes == plain.peak_bytes);
}

// By hand: of 24-40-17-12-8, 2 x 960 FLOP, then 3 x 680, 204 and 96 a sample: the first layer and
// the other three. 24 samples of 40 numbers of 8 bytes cross the border each way, in 4 messages, in
// each of the four steps counted.
TEST_CASE("activations cross a border forward and as many gradients back", "[train]") {
  const std::vector<Probe> probes =
      train_stages(2, "mlp", {"--precision=fp64", "--accumulation-steps=4"});

  for (const Probe& probe : probes) {
    CHECK(probe.bytes == 4 * 24 * 40 * 8);
    CHECK(probe.calls == 4 * 4);
  }
  CHECK(probes[0].parameters.size() == 24 * 40 + 48);  // its bias takes whole 128 bytes
}

// Twenty-fold what MPI sends eagerly: such messages need both sides.
TEST_CASE("large messages hold no stage up", "[train]") {
  const test::Model wide = {"16,1024,1024,8", "0"};
  const auto* parts = GENERATE("--accumulation-steps=1", "--accumulation-steps=4");
  const Flags flags = {"--batch-global=96", "--measured-steps=3", parts};
  const Probe one = test::train(1, wide, flags).front();

  const std::vector<Probe> probes = test::train(3, wide, with(flags, {"--strategy=pipeline"}));

  CHECK(relative_difference(one.parameters, stage_parameters(probes)) <= 1e-5);
}

namespace {

// Eight equal blocks; what lies around them is under 1 % of one's FLOP.
const std::string kBlocks =
    R"("model": "llama-7b", "model.layers": 8, "model.width": 32, "model.heads": 2, )"
    R"("model.sequence": 4, "model.vocabulary": 4, "compute": "declared", )"
    R"("strategy": "pipeline", "batch_global": 16)";

// Embedding and output are a part of the first and the last stage.
constexpr double kBesideBlocks = 3e-3;

test::SteppedSteps step_blocks(int stages, const std::string& more) {
  return {stages, kBlocks + more};
}

}  // namespace

// source: Narayanan et al., SC 2021, section 2.2.1: (p - 1) / m of the ideal time, so that it is
// (p - 1) / (m + p - 1) of the step. 16 samples of 30 ms over p stages; a stage's micro-batch takes
// 480 / p / m ms, and a step m + p - 1 of these; blocks are not all of a stage.
TEST_CASE("the bubble of equal stages is (p - 1) / (m + p - 1) of the step", "[train]") {
  const auto [stages, parts] = GENERATE(table<int, int>({{2, 1}, {2, 4}, {4, 2}, {4, 8}}));
  CAPTURE(stages, parts);
  const auto trial = step_blocks(
      stages, R"(, "declared_sample_ms": 30, "accumulation_steps": )" + std::to_string(parts));

  const double ideal = (stages - 1.0) / (parts + stages - 1.0);
  const double step_s = 0.480 / stages / parts * (parts + stages - 1);
  CHECK(trial.start().facts.at("pipeline_bubble_ideal") == Approx(ideal));
  CHECK(trial.value("pipeline_bubble") == Approx(ideal).epsilon(kBesideBlocks));
  CHECK(trial.value("step_time_s") == Approx(step_s).epsilon(kBesideBlocks));
  for (int stage = 0; stage < stages; ++stage) {
    CHECK(trial.value("forward_time_s", stage) == Approx(0.160 / stages).epsilon(kBesideBlocks));
  }
  // What the first stage does not work it waits.
  CHECK(trial.value("exposed_communication_time_s", 0) + trial.value("forward_time_s", 0) +
            trial.value("backward_time_s", 0) ==
        Approx(trial.value("step_time_s", 0)).epsilon(1e-6));
}

// By hand, of two stages and two micro-batches, forward f and backward b of each, hops of h: the
// first stage has gradients of the second micro-batch at 3 f + 2 b + 2 h, and takes b more.
TEST_CASE("hops of a declared link are in the way of the first and the last micro-batch",
          "[train]") {
  const auto trial = step_blocks(
      2, R"(, "declared_sample_ms": 30, "accumulation_steps": 2, "declared_hop_ms": 40)");

  CHECK(trial.value("step_time_s") == Approx(3 * 0.120 + 2 * 0.040).epsilon(kBesideBlocks));
}

// 16 samples of 10 ms are 80 ms of each half of the model, and each stage takes 60 ms besides.
TEST_CASE("each stage takes what is declared of a step beside its samples", "[train]") {
  const auto trial = step_blocks(
      2, R"(, "declared_sample_ms": 10, "declared_step_ms": 60, "accumulation_steps": 1)");

  CHECK(trial.start().facts.at("declared_computation_s") == Approx(0.140).epsilon(kBesideBlocks));
  CHECK(trial.ms("step_time_s") == test::exactly(280.0));
}

// Of 512 bytes a sample: 16 samples over each of three borders and back; stages in the middle send
// both ways. Of each of eight blocks 4 x 32^2 + 3 x 32 x 256 + 2 x 32 parameters; embedding and
// output weights are 4 x 32 each, the last norm 32.
TEST_CASE("a trial of stages tells how the model is divided and what travels", "[train]") {
  const auto trial = step_blocks(4, R"(, "declared_step_ms": 1, "accumulation_steps": 4)");
  const auto& facts = trial.start().facts;

  CHECK(facts.at("wire_bytes") == 2 * 3 * 16 * 512);
  CHECK(facts.at("traffic_bytes") == 2 * 16 * 512);
  CHECK(facts.at("stage.0.layers") == 3);
  CHECK(facts.at("stage.1.layers") == 2);
  CHECK(facts.at("stage.1.parameter_count") == 2 * (4 * 1024 + 3 * 32 * 256 + 64));
  CHECK(facts.at("stage.0.parameter_count") == facts.at("stage.1.parameter_count") + 128);
  CHECK(facts.at("stage.3.parameter_count") == facts.at("stage.1.parameter_count") + 128 + 32);
  CHECK(facts.at("parameter_count") == 4 * facts.at("stage.1.parameter_count") + 2 * 128 + 32);
  CHECK(facts.at("batch_global") == 16);
  CHECK_FALSE(facts.contains("bucket_count"));
  CHECK_FALSE(facts.contains("gradient_bytes"));
  CHECK(test::find_series(trial.samples(), "communication_time_s") == nullptr);
  CHECK(test::find_series(trial.samples(), "collective_skew_time_s") == nullptr);
}

// The first stage keeps activations of four micro-batches, the last of one, and its logits.
TEST_CASE("memory is told of the stage that takes the most", "[train]") {
  const std::string model =
      R"({"model": "mlp-6.9m", "batch_global": 32, "accumulation_steps": 4, "warmup_steps": 0, )"
      R"("measured_steps": 2, "devices": 2, "strategy": "pipeline"})";
  const test::Trial trial = test::run_trial(2, model);
  REQUIRE(trial.result.exit_code == 0);
  const auto facts = test::events_of<protocol::Start>(trial.record).at(0).facts;
  double sum = 0.0;
  for (const char* part :
       {"parameters", "gradients", "optimizer", "activations", "buffers", "data"}) {
    const std::string name = std::string(part) + "_bytes";
    CHECK(facts.at("memory_" + name) == facts.at("calculated_" + name));
    sum += facts.at("memory_" + name);
  }
  CHECK(facts.at("peak_bytes") == sum);
  const double most =
      std::max(facts.at("stage.0.parameter_count"), facts.at("stage.1.parameter_count"));
  CHECK(facts.at("memory_parameters_bytes") == Approx(4.0 * most).epsilon(0.001));
  CHECK(facts.at("memory_gradients_bytes") == 2.0 * facts.at("memory_parameters_bytes"));
  CHECK(most < facts.at("parameter_count"));
  for (const protocol::Check& check : test::events_of<protocol::Check>(trial.record)) {
    CHECK(check.passed);
    CHECK(check.name != "replicas_equal");
  }
}
