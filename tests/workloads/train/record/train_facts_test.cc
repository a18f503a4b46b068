// What a trial of train reports is what its parameters ask for.
#include "tests/support/catch.h"
#include "tests/workloads/stepped_trial.h"

using namespace scalestudy;
using test::events_of;
using test::exactly;
using test::find_series;
using test::values_of;

namespace {

// Of one rank.
protocol::Record run(const std::string& parameters) {
  const test::Trial trial = test::run_trial(
      1, R"({"batch_per_device": 16, "warmup_steps": 1, "measured_steps": 3, )" + parameters + "}");
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  return trial.record;
}

std::map<std::string, double> facts(const std::string& parameters) {
  return events_of<protocol::Start>(run(parameters)).at(0).facts;
}

constexpr double kParameters = 258432.0;  // of mlp-258k

}  // namespace

TEST_CASE("peak memory counts what optimizer, precision and micro-steps need", "[train]") {
  const double sgd = facts(R"("optimizer": "sgd")").at("peak_bytes");
  const double adamw = facts(R"("optimizer": "adamw")").at("peak_bytes");
  const auto fp64 = facts(R"("precision": "fp64")");

  CHECK(adamw - sgd == 4.0 * kParameters);  // the second moment
  CHECK(fp64.at("gradient_bytes") == 8.0 * kParameters);
  CHECK(fp64.at("peak_bytes") > sgd + 3.0 * 4.0 * kParameters);
  // Another gradient buffer, but half the activations.
  const double accumulating = facts(R"("accumulation_steps": 2)").at("peak_bytes");
  CHECK(accumulating > sgd + 3.0 * kParameters);
  CHECK(accumulating < sgd + 4.0 * kParameters);
}

TEST_CASE("memory is told by what it is for, measured and calculated", "[train]") {
  const auto adamw = facts(R"("optimizer": "adamw")");

  CHECK(adamw.at("memory_parameters_bytes") == 4.0 * kParameters);
  CHECK(adamw.at("memory_gradients_bytes") == 4.0 * kParameters);
  CHECK(adamw.at("memory_optimizer_bytes") == 2.0 * 4.0 * kParameters);
  CHECK(adamw.at("memory_buffers_bytes") == 0.0);
  double sum = 0.0;
  for (const char* part :
       {"parameters", "gradients", "optimizer", "activations", "buffers", "data"}) {
    const std::string name = std::string(part) + "_bytes";
    CHECK(adamw.at("memory_" + name) == adamw.at("calculated_" + name));
    sum += adamw.at("memory_" + name);
  }
  CHECK(adamw.at("peak_bytes") == sum);
}

// Rank 1 has 48 samples in place of 32, rank 0, whose record it is, 16.
TEST_CASE("of unequal shares the memory told is that of the largest", "[train]") {
  const auto facts_with = [](const std::string& shares) {
    const test::Trial trial = test::run_trial(
        2,
        R"({"batch_per_device": 32, "warmup_steps": 1, "measured_steps": 1, "shares": ")" + shares +
            "\"}");
    INFO(trial.result.err);
    REQUIRE(trial.result.exit_code == 0);
    return events_of<protocol::Start>(trial.record).at(0).facts;
  };
  const auto equal = facts_with("equal");
  const auto unequal = facts_with("1:3");

  CHECK(unequal.at("peak_bytes") > equal.at("peak_bytes"));
  CHECK(unequal.at("memory_activations_bytes") > equal.at("memory_activations_bytes"));
  CHECK(unequal.at("memory_activations_bytes") == unequal.at("calculated_activations_bytes"));
}

// The other rank's collectives last as much longer as the slow one comes later.
TEST_CASE("a straggler is read as skew of what it was declared", "[train]") {
  const auto* strategy = GENERATE("ddp", "ddp_serial", "zero1");
  const test::SteppedSteps slowed(
      2,
      R"("batch_per_device": 16, "straggler_rank": 1, "straggler_ms": 60, "strategy": ")" +
          std::string(strategy) + "\"");

  CHECK(slowed.ms("collective_skew_time_s", 0) == exactly(60.0));
  CHECK(slowed.ms("collective_skew_time_s", 1) == exactly(0.0));
  CHECK(slowed.ms("exposed_communication_time_s", 0) == exactly(60.0));
  CHECK(slowed.ms("step_time_s", 1) == exactly(60.0));
}

// Four ranks that really train.
TEST_CASE("each of three real ranks reads the skew of a fourth that was declared", "[train]") {
  const std::string work = R"("batch_per_device": 1, "straggler_rank": 2, "straggler_ms": 100)";
  const test::SteppedSteps slowed(4, work);

  for (const int rank : {0, 1, 3}) {
    CAPTURE(rank);
    CHECK(slowed.ms("collective_skew_time_s", rank) == exactly(100.0));
  }
  CHECK(slowed.ms("collective_skew_time_s", 2) == exactly(0.0));
  CHECK(find_series(slowed.samples(), "loss") != nullptr);

  const test::Trial by_system_clock =
      test::run_sound(4, R"("warmup_steps": 1, "measured_steps": 1, )" + work);
  const auto samples = events_of<protocol::Samples>(by_system_clock.record);
  CHECK(values_of(samples, "step_time_s", 2).at(1) >= 0.100);
}

TEST_CASE("denormals count as zero in a trial", "[train]") {
  CHECK(facts(R"("threads": 2)").at("denormals_flushed") == 1.0);
}

TEST_CASE("what travels is counted in the type it travels in", "[train]") {
  const auto start = [](int ranks, const std::string& parameters) {
    const test::Trial trial = test::run_trial(
        ranks,
        R"({"batch_per_device": 4, "warmup_steps": 0, "measured_steps": 1)" + parameters + "}");
    INFO(trial.result.err);
    REQUIRE(trial.result.exit_code == 0);
    return events_of<protocol::Start>(trial.record).at(0);
  };
  const protocol::Start plain = start(2, "");
  const protocol::Start rounded = start(2, R"(, "comm_dtype": "bf16")");

  CHECK(plain.facts.at("wire_bytes") == plain.facts.at("gradient_bytes"));
  CHECK(plain.facts.at("traffic_bytes") == plain.facts.at("gradient_bytes"));  // of 2 ranks
  CHECK(rounded.facts.at("traffic_bytes") == 0.5 * plain.facts.at("gradient_bytes"));
  CHECK(rounded.facts.at("gradient_bytes") == plain.facts.at("gradient_bytes"));
  CHECK(rounded.facts.at("wire_bytes") == 2.0 * kParameters);
  CHECK(rounded.parameters.at("comm_dtype") == "bf16");
  // One rank sends nothing, and rounds nothing.
  const protocol::Start alone = start(1, R"(, "comm_dtype": "bf16")");
  CHECK(alone.facts.at("wire_bytes") == alone.facts.at("gradient_bytes"));
}

// flop_per_sample is 1,137,664 and the batch 16.
TEST_CASE("utilization is reported against a declared peak only", "[train]") {
  const auto declared = events_of<protocol::Samples>(run(R"("device_peak_flops": 1e9)"));
  const auto silent = events_of<protocol::Samples>(run(R"("seed": 1)"));

  const auto& utilization = values_of(declared, "model_flop_utilization");
  const auto& step_s = values_of(declared, "step_time_s");
  REQUIRE(utilization.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(utilization[i] == Approx(1'137'664.0 * 16.0 / 1e9 / step_s[i]).epsilon(1e-12));
  }
  CHECK(find_series(silent, "model_flop_utilization") == nullptr);
}

TEST_CASE("light timing reports steps and no phases", "[train]") {
  const auto all = events_of<protocol::Samples>(run(R"("timing": "light")"));

  CHECK(values_of(all, "step_time_s").size() == 4);
  CHECK(values_of(all, "loss").size() == 4);
  CHECK(values_of(all, "window_time_s").size() == 1);
  CHECK(all.size() == 4);  // and the steps of rank 0
}

TEST_CASE("a rate and a seed change the loss, and the same ones repeat it", "[train]") {
  const auto loss = [](const std::string& parameters) {
    return values_of(events_of<protocol::Samples>(run(parameters)), "loss");
  };
  const std::vector<double> usual = loss(R"("deterministic": true)");

  CHECK(loss(R"("deterministic": true)") == usual);
  for (const auto* changed : {R"("seed": 2)",
                              R"("learning_rate": 0.1)",
                              R"("momentum": 0.5)",
                              R"("weight_decay": 0.1)",
                              R"("optimizer": "adamw")"}) {
    INFO(changed);
    CHECK(loss(changed) != usual);
  }
}

// By hand from the same program: a layer of gpt-tiny with width 16 has 12 * 16^2 + 13 * 16 = 3280
// parameters, and the largest count of layers is that of largest_models() (largest_model_test.cc).
TEST_CASE("with a declared memory a trial tells the largest model that fits it", "[train]") {
  const std::string model =
      R"("model": "gpt-tiny", "model.width": 16, "model.heads": 2, "model.sequence": 8, )"
      R"("model.vocabulary": 16, "optimizer": "adamw")";
  CHECK_FALSE(facts(model).contains("largest_layers"));

  const auto small = facts(model + R"(, "model.layers": 1, "device_memory_gb": 0.001)");
  const auto large = facts(model + R"(, "model.layers": 1, "device_memory_gb": 0.002)");
  const auto kept =
      facts(model + R"(, "model.layers": 1, "device_memory_gb": 0.001, "checkpoint_every": 1)");
  CHECK(small.at("largest_layers") >= 1.0);
  CHECK(large.at("largest_layers") > small.at("largest_layers"));
  CHECK(kept.at("largest_layers") > small.at("largest_layers"));
  CHECK(large.at("largest_parameter_count") - small.at("largest_parameter_count") ==
        3280.0 * (large.at("largest_layers") - small.at("largest_layers")));
  const auto emulated =
      facts(model + R"(, "device_memory_gb": 1, "compute": "declared", "declared_sample_ms": 1)");
  CHECK_FALSE(emulated.contains("largest_layers"));
  CHECK_FALSE(emulated.contains("device_memory_bytes"));
  // A family without layers has no such model.
  CHECK_FALSE(facts(R"("model": "lstm-332k", "device_memory_gb": 1)").contains("largest_layers"));
}
