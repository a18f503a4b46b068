// Stages of a pipeline that train on the samples of a file: the first reads inputs, the last
// labels, and what they end with, wait for and keep in memory.
#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using Catch::Contains;
using test::events_of;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::stage_parameters;
using test::Trial;
using test::values_of;
using test::with;

namespace {

const test::Model kLayers = {"24,40,17,12,8", "0.2"};

const Flags kSteps = {
    "--batch-global=24", "--warmup-steps=0", "--measured-steps=5", "--precision=fp64"};

// Of 40 samples a step makes an epoch, so that each has them in another order.
std::vector<Probe> train_on_file(int ranks,
                                 const std::string& model,
                                 Flags flags,
                                 const std::vector<std::string>& environment = {}) {
  flags = with(std::move(flags), {"--data=file", "--data-samples=40"});
  return test::train(ranks,
                     model == "mlp" ? kLayers : test::network_of(model),
                     with(with(test::flags_of(model), kSteps), flags),
                     environment);
}

// Of 16 words, which are padded to 64.
constexpr std::ptrdiff_t kTable = 64 * 32;

}  // namespace

TEST_CASE("stages end where one rank does that reads the same file, however far ahead",
          "[train][slow]") {
  const auto [model, parts] = GENERATE(table<std::string, std::string>(
      {{"mlp", "1"}, {"mlp", "8"}, {"resnet50-cifar", "4"}, {"gpt-tiny", "4"}, {"llama-7b", "1"}}));
  const std::string of_parts = "--accumulation-steps=" + parts;
  const Probe one = train_on_file(1, model, {of_parts}).front();

  for (const auto& [stages, depth] : {std::pair(2, "2"), std::pair(3, "0"), std::pair(3, "2")}) {
    CAPTURE(model, parts, stages, depth);
    std::vector<Probe> probes = train_on_file(
        stages, model, {of_parts, "--strategy=pipeline", "--data-prefetch=" + std::string(depth)});
    if (model == "gpt-tiny") {
      CHECK(take_table_copy(probes, kTable) == table_of(probes, kTable));
    }
    test::check_stages(one, probes);
  }
}

TEST_CASE("what is compared has moved", "[train]") {
  const auto run = [](const std::string& rate) {
    return stage_parameters(
        train_on_file(2, "mlp", {"--strategy=pipeline", "--learning-rate=" + rate}));
  };

  CHECK(relative_difference(run("0"), run("0.01")) > 1e-3);
}

// By hand, of three batches of 24 in fp64: the first stage has 24 values of each sample, and reads
// as many bytes; the last a label of 4 bytes, and reads one. A token is read as one byte, and has 4
// bytes, on both ends of a GPT model. The loss of five steps has 8 bytes each.
TEST_CASE("each end of a pipeline has the batches that it reads, and a stage between none",
          "[train]") {
  const auto data_of = [](const std::string& model, const Flags& flags) {
    std::vector<double> bytes;
    for (const Probe& probe : train_on_file(3, model, with(flags, {"--strategy=pipeline"}))) {
      bytes.push_back(static_cast<double>(probe.memory.at("data")));
    }
    return bytes;
  };
  using Bytes = std::vector<double>;

  CHECK(data_of("mlp", {"--data-prefetch=2"}) ==
        Bytes{3 * 24 * 24 * 8 + 24 * 24 + 40, 40, 3 * 24 * 4 + 24 + 40});
  CHECK(data_of("mlp", {"--data-prefetch=0", "--accumulation-steps=4"}) ==
        Bytes{24 * 24 * 8 + 24 * 24 + 40, 40, 24 * 4 + 24 + 40});
  constexpr double tokens = 24 * 16;
  CHECK(data_of("gpt-tiny", {"--data-prefetch=2"}) ==
        Bytes{3 * tokens * 4 + tokens + 40, 40, 3 * tokens * 4 + tokens + 40});
}

// Four synthetic batches, of the same parts.
TEST_CASE("synthetic samples are kept where they are read as well", "[train]") {
  const std::vector<Probe> probes =
      test::train(3, kLayers, with(kSteps, {"--strategy=pipeline", "--accumulation-steps=4"}));

  CHECK(probes[0].memory.at("data") == 4 * 24 * 24 * 8 + 40);
  CHECK(probes[1].memory.at("data") == 40);
  CHECK(probes[2].memory.at("data") == 4 * 24 * 4 + 40);
}

// A machine is what the probe says; all of them have one folder. The stage between reads nothing,
// alone on one or the first of it.
TEST_CASE("a file is written once on each machine that reads it", "[train]") {
  const Probe one = train_on_file(1, "mlp", {}).front();

  using Syncs = std::vector<long>;
  for (const auto& [machines, files] : {std::pair("0,0,0", Syncs{1, 0, 0}),
                                        std::pair("0,1,0", Syncs{1, 0, 0}),
                                        std::pair("0,1,1", Syncs{1, 0, 1}),
                                        std::pair("0,1,2", Syncs{1, 0, 1})}) {
    CAPTURE(machines);
    const test::TemporaryFolder folder;
    const std::vector<Probe> probes =
        train_on_file(3,
                      "mlp",
                      {"--strategy=pipeline", "--data-path=" + folder.path().string()},
                      {std::string("SCALESTUDY_PROBE_MACHINES=") + machines});
    CHECK(relative_difference(one.parameters, stage_parameters(probes)) <= 1e-12);
    CHECK(Syncs{probes[0].syncs, probes[1].syncs, probes[2].syncs} == files);
    CHECK(std::filesystem::is_empty(folder.path()));
  }
}

namespace {

// Of mlp-258k, whose samples are a byte of label and 799 of values, on three stages.
Trial run_stages(const std::string& more) {
  return test::run_trial(
      3,
      R"({"strategy": "pipeline", "batch_global": 24, "warmup_steps": 1, "measured_steps": 4, )"
      R"("data": "file", "data_samples": 64, )" +
          more + "}");
}

double least(const Trial& trial, const std::string& metric, int rank) {
  const auto all = events_of<protocol::Samples>(trial.record);
  const std::vector<double>& values = values_of(all, metric, rank);
  return *std::min_element(values.begin(), values.end());
}

}  // namespace

// 24 samples of 500 us are 12 ms of CPU time, on the first stage alone.
TEST_CASE("what reading took is told of stages, of which the first waits for inputs", "[train]") {
  const Trial trial = run_stages(R"("accumulation_steps": 4, "decode_us": 500)");
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  const auto start = events_of<protocol::Start>(trial.record).at(0).facts;
  const auto end = events_of<protocol::End>(trial.record).at(0).facts;

  CHECK(start.at("data_file_bytes") == 64 * 800);
  CHECK_FALSE(start.contains("data_thread_cores"));
  CHECK(end.at("data_read_bytes") == 5 * 24 * 800);
  CHECK(end.at("loading_cpu_s") > 0.0);
  CHECK(end.at("preprocessing_cpu_s") >= 5 * 12e-3);
  CHECK(end.at("preprocessing_cpu_s") < 1.5 * 5 * 12e-3);
  CHECK(least(trial, "data_time_s", 0) >= 0.98 * 12e-3);
  CHECK(least(trial, "data_time_s", 1) < 6e-3);
  CHECK(least(trial, "data_time_s", 2) < 6e-3);
  for (const int rank : {0, 1, 2}) {
    CHECK(least(trial, "step_time_s", rank) >= least(trial, "data_time_s", rank));
  }
}

// 5 steps at least, and no more than the two batches that can be read ahead by then.
TEST_CASE("stages read ahead by a thread on each end", "[train]") {
  const Trial trial = run_stages(R"("data_prefetch": 2)");
  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  const auto end = events_of<protocol::End>(trial.record).at(0).facts;

  CHECK(events_of<protocol::Start>(trial.record).at(0).facts.contains("data_thread_cores"));
  CHECK(end.at("data_read_bytes") >= 5 * 24 * 800);
  CHECK(end.at("data_read_bytes") <= 7 * 24 * 800);
}

// 192 outputs. Labels are the last stage's, which is not the one that writes the record.
TEST_CASE("a file that stages cannot be trained on ends the trial with the reason", "[train]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("samples");
  const auto failure = [&](int exit_code, const std::string& more) {
    return test::failure_of(run_stages(more + R"("data_path": ")" + path + "\""), exit_code);
  };

  CHECK_THAT(failure(2, ""), Contains("No such file or directory"));
  test::write_file(path, std::string(64 * 800, '\xFF'));
  for (const std::string ahead : {"", R"("data_prefetch": 2, )"}) {
    CHECK_THAT(failure(1, ahead), Contains("a sample has the label 255, but the model's end at"));
  }
}
