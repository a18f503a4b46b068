// Which cells a study has, and which it leaves out.
#include "harness/study/matrix/matrix.h"

#include "harness/base/error.h"
#include "harness/study/parameters/parameter_rules.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::baseline_of;
using test::kSized;
using test::matrix_of;
using test::study_of;

std::vector<std::string> labels(const Matrix& matrix) {
  std::vector<std::string> all;
  for (const Cell& cell : matrix.cells) {
    all.push_back(cell.label);
  }
  return all;
}

// DistributedDataParallel sends buckets while backward goes on.
TEST_CASE("every shipped study overlaps on GPUs with backend cuda alone", "[study]") {
  int studies = 0;
  for (const auto& file : test::yaml_files("studies")) {
    CAPTURE(file.string());
    const std::string text = test::read_file(file.string());
    if (text.find("workload: train") == std::string::npos ||
        text.find("# Of CPU cores alone:") != std::string::npos) {
      continue;
    }
    ++studies;
    for (const Cell& cell : expand(study_of(text, {"parameters.backend=cuda"})).cells) {
      CHECK(cell.effective.at("overlap").value == Value(std::string("stream")));
    }
  }
  CHECK(studies >= 6);
}

TEST_CASE("a cell carries what its trials see, and says what of it is a default", "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {backend: cuda, overlap: stream, env.NCCL_ALGO: Ring}\n"
      "axes: {devices: [2], batch_global: [64], precision: [fp32, bf16]}\ncontrols: [noop]\n");

  const EffectiveParameters& first = matrix.cells.at(0).effective;
  CHECK(first.at("precision").value == Value("fp32"));
  CHECK(first.at("precision").is_default);  // given, and as it is anyway
  CHECK_FALSE(matrix.cells.at(1).effective.at("precision").is_default);
  CHECK(first.at("comm").value == Value("nccl"));  // follows the backend
  CHECK(first.at("comm").is_default);
  CHECK(first.at("model").is_default);
  CHECK_FALSE(first.at("env.NCCL_ALGO").is_default);
  CHECK(effective_value(first, "env.NCCL_PROTO") == Value(kDefaultValue));
  CHECK_FALSE(effective_value(first, "no_such_parameter"));
  const EffectiveParameters& control = matrix.cells.at(2).effective;
  CHECK(control.at("comm").value == Value("noop"));
  CHECK_FALSE(control.at("comm").is_default);
}

TEST_CASE("axes are multiplied in file order, the last one fastest", "[study]") {
  const Matrix matrix = matrix_of("axes: {devices: [1, 2], batch_global: [32, 64]}\n");

  CHECK(labels(matrix) == std::vector<std::string>{"devices=1 batch_global=32",
                                                   "devices=1 batch_global=64",
                                                   "devices=2 batch_global=32",
                                                   "devices=2 batch_global=64"});
}

TEST_CASE("rows of zip move together within every point of the axes", "[study]") {
  const Matrix matrix = matrix_of(
      "axes: {devices: [1, 2]}\nzip: [{model: mlp-258k, batch_global: 8}, {model: mlp-6.9m, "
      "batch_global: 4}]\n");

  CHECK(labels(matrix) == std::vector<std::string>{"devices=1 batch_global=8 model=mlp-258k",
                                                   "devices=1 batch_global=4 model=mlp-6.9m",
                                                   "devices=2 batch_global=8 model=mlp-258k",
                                                   "devices=2 batch_global=4 model=mlp-6.9m"});
}

TEST_CASE("include adds cells, with the fixed parameters and the defaults for the rest",
          "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {model: mlp-6.9m, seed: 3}\naxes: {devices: [1], batch_global: [8]}\n"
      "include: [{devices: 4, batch_global: 64, precision: fp64, seed: 5}]\n");

  REQUIRE(matrix.cells.size() == 2);
  CHECK(matrix.cells[0].label == "devices=1 batch_global=8 precision=fp32 seed=3");
  CHECK(matrix.cells[1].label == "devices=4 batch_global=64 precision=fp64 seed=5");
  CHECK(matrix.cells[1].parameters.at("model") == Value(std::string("mlp-6.9m")));
}

TEST_CASE("excluded cells are kept with the rule that took them out", "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {batch_per_device: 8}\naxes: {devices: [1, 2], env.ALGORITHM: [default, Ring, "
      "Tree]}\n"
      "exclude: [{devices: 2, env.ALGORITHM: Tree}, {devices: 1, env.ALGORITHM: [Ring, Tree]}]\n");

  CHECK(matrix.cells.size() == 3);
  REQUIRE(matrix.excluded.size() == 3);
  CHECK(matrix.excluded[0].cell.label == "devices=1 env.ALGORITHM=Ring");
  CHECK(matrix.excluded[0].reason == "exclude rule 2 (devices=1, env.ALGORITHM=Ring)");
}

TEST_CASE("an exclude rule sees defaults as well as declared values", "[study]") {
  const Matrix matrix = matrix_of(
      "axes: {devices: [1], batch_global: [8], comm: [mpi, noop], env.ALGORITHM: [default, Ring]}\n"
      "exclude: [{comm: mpi, env.ALGORITHM: default}]\n");

  CHECK(matrix.cells.size() == 3);
  CHECK(matrix.excluded.size() == 1);
}

TEST_CASE("defaults are varied but no parameters of the cell", "[study]") {
  const Matrix matrix = matrix_of(
      "axes: {devices: [1], batch_global: [8], bucket_mb: [25], env.NCCL_ALGO: [default]}\n");

  const Cell& cell = matrix.cells.at(0);
  CHECK(cell.varied.size() == 4);
  CHECK(cell.varied.at("env.NCCL_ALGO") == Value(std::string("default")));
  CHECK(cell.parameters ==
        Parameters{{"devices", std::int64_t{1}}, {"batch_global", std::int64_t{8}}});
}

TEST_CASE("scaling and both batches follow from the batch that is declared", "[study]") {
  const Matrix strong = matrix_of("axes: {devices: [2], batch_global: [32]}\n");
  const Matrix weak = matrix_of("parameters: {batch_per_device: 32}\naxes: {devices: [2]}\n");
  const Matrix none = expand(study_of("version: 1\nstudy: a\nworkload: command\ncommand: [a]\n"));

  CHECK(strong.scaling == Scaling::kStrong);
  CHECK(strong.cells[0].batch_per_device == 16);
  CHECK(weak.scaling == Scaling::kWeak);
  CHECK(weak.cells[0].batch_global == 64);
  CHECK(none.scaling == Scaling::kNone);
  CHECK(none.cells[0].label == "the only cell");
  CHECK_FALSE(none.cells[0].batch_global.has_value());
}

TEST_CASE("rows of zip that keep the batch of a device are weak scaling", "[study]") {
  const Matrix matrix = matrix_of(
      "zip: [{devices: 1, batch_global: 64}, {devices: 2, batch_global: 128}, {devices: 1, "
      "batch_global: 256}, {devices: 2, batch_global: 512}]\nanalysis: {baseline: {devices: 1}}\n");

  CHECK(matrix.scaling == Scaling::kWeak);
  CHECK(baseline_of(matrix, "batch_global=128 devices=2") == "batch_global=64 devices=1");
  CHECK(baseline_of(matrix, "batch_global=512 devices=2") == "batch_global=256 devices=1");
}

TEST_CASE("rows of zip that keep the global batch are strong scaling", "[study]") {
  const Matrix matrix = matrix_of(
      "zip: [{devices: 1, batch_per_device: 64}, {devices: 2, batch_per_device: 32}]\n"
      "analysis: {baseline: {devices: 1}}\n");

  CHECK(matrix.scaling == Scaling::kStrong);
  CHECK(baseline_of(matrix, "batch_per_device=32 devices=2") == "batch_per_device=64 devices=1");
}

TEST_CASE("models with batches of their own leave the scaling as it is", "[study]") {
  const Matrix matrix = matrix_of(
      "axes: {devices: [1, 2]}\nzip: [{model: mlp-258k, batch_global: 8}, {model: mlp-6.9m, "
      "batch_global: 32}]\n");

  CHECK(matrix.scaling == Scaling::kStrong);
}

TEST_CASE(
    "without its exact counterpart a cell falls back to the one without settings of communication",
    "[study]") {
  const Matrix matrix = matrix_of(
      "parameters: {batch_per_device: 8}\n"
      "axes: {devices: [1, 2], env.OMPI_MCA_mpi_yield_when_idle: [default, 1], bucket_mb: [25, 1], "
      "threads: [1, 2]}\n"
      "exclude: [{devices: 1, env.OMPI_MCA_mpi_yield_when_idle: 1}, {devices: 1, bucket_mb: 1}]\n"
      "analysis: {baseline: {devices: 1}}\n");

  // The threads matter to one device too, so they stay.
  CHECK(baseline_of(matrix, "devices=2 env.OMPI_MCA_mpi_yield_when_idle=1 bucket_mb=1 threads=2") ==
        "devices=1 env.OMPI_MCA_mpi_yield_when_idle=default bucket_mb=25 threads=2");
}

TEST_CASE("cells that are equal, or none at all, are errors that name them", "[study]") {
  Study study = study_of(std::string(test::kHead) + "axes: {devices: [1, 2], batch_global: [8]}\n");
  study.include = {{{"devices", std::int64_t{2}}, {"batch_global", std::int64_t{8}}}};
  CHECK_THROWS_WITH(expand(study),
                    Catch::Contains("two cells are equal: \"devices=2 batch_global=8\""));

  study.exclude = {{{"batch_global", {std::int64_t{8}}}}};
  CHECK_THROWS_WITH(expand(study), "nothing is left to measure: all 3 cells are excluded");
}

// Left out as the default, it would become the GPU's default in the trial.
TEST_CASE("a default of the CPU that a GPU cannot have is refused where it is given", "[study]") {
  CHECK_NOTHROW(matrix_of("parameters: {backend: cuda}\naxes: {batch_global: [8, 16]}\n"));
  CHECK_THROWS_WITH(
      matrix_of("parameters: {backend: cuda, comm: mpi}\naxes: {batch_global: [8, 16]}\n"),
      Catch::Contains("comm mpi cannot be combined with backend cuda"));
}

TEST_CASE("values that cannot go together are errors with the reason and the cells", "[study]") {
  CHECK_THROWS_WITH(
      matrix_of("axes: {devices: [1, 2], batch_global: [32], overlap: [none, stream]}\n"),
      Catch::Contains(
          "overlap stream cannot be combined with backend cpu: only a GPU has queues; use overlap "
          "poll or "
          "thread (in: devices=1 batch_global=32 overlap=stream; devices=2 batch_global=32 "
          "overlap=stream). Or exclude these cells"));
  CHECK_THROWS_WITH(matrix_of("parameters: {accumulation_steps: 8, batch_global: 32}\n"
                              "axes: {devices: [1, 8]}\n"),
                    Catch::Contains("does not divide 4") && Catch::Contains("in: devices=8)"));
  CHECK_NOTHROW(
      matrix_of("axes: {devices: [1, 2], batch_global: [32], overlap: [none, stream]}\n"
                "exclude: [{overlap: stream}]\n"));
}

TEST_CASE("nodes that nothing in the study knows are refused, and links know them", "[study]") {
  const std::string parameters = "parameters: {batch_global: 8, devices: 4, virtual_node_ranks: 2";
  CHECK_THROWS_WITH(matrix_of(parameters + "}\naxes: {allreduce: [flat, hierarchical]}\n"),
                    Catch::Contains("virtual_node_ranks is 2, but allreduce flat knows no nodes; "
                                    "use allreduce hierarchical, or links between nodes "
                                    "(interconnect.bandwidth) (in: allreduce=flat)"));

  CHECK(labels(matrix_of(parameters +
                         "}\naxes: {interconnect.bandwidth: [none, 1Gbit], allreduce: [flat, "
                         "hierarchical]}\n"))
            .size() == 4);
  CHECK(labels(matrix_of(parameters +
                         ", save_every: 2, failure_step: 3}\naxes: {failure: [none, kill_node]}\n"))
            .size() == 2);
}

TEST_CASE("memory that ranks share goes with one node and without links", "[study]") {
  const std::string parameters = "parameters: {batch_global: 8, devices: 4}\n";
  const std::string comm = "axes: {comm: [mpi, shm]";

  CHECK(labels(matrix_of(parameters + comm + "}\n")).size() == 2);
  CHECK_THROWS_WITH(
      matrix_of("parameters: {batch_global: 8, devices: 4, nodes: 2}\n" + comm + "}\n"),
      Catch::Contains(
          "comm shm cannot be combined with several nodes: ranks share the memory of one; use "
          "mpi (in: comm=shm)"));
  const std::string links =
      "parameters: {batch_global: 8, devices: 4, interconnect.bandwidth: 1Gbit}\n";
  CHECK_THROWS_WITH(
      matrix_of(links + comm + "}\n"),
      Catch::Contains("comm shm cannot be combined with interconnect.bandwidth: nothing "
                      "crosses the links; use mpi (in: comm=shm)"));
}

TEST_CASE("what a trial would refuse is refused with the study", "[study]") {
  CHECK_THROWS_WITH(matrix_of("parameters: {strategy: local_sgd, batch_global: 8}\n"
                              "axes: {sync_every: [1, 4]}\nsteps: {warmup: 8, measured: 30}\n"),
                    Catch::Contains("measured_steps is 30, no multiple of sync_every 4") &&
                        Catch::Contains("in: sync_every=4)"));
  CHECK_THROWS_WITH(
      matrix_of("parameters: {model: gru-250k, batch_global: 8}\naxes: {model.image: [8]}\n"),
      Catch::Contains("model.image is not a parameter of gru-250k; it has model.width"));
  CHECK_THROWS_WITH(
      matrix_of("parameters: {backend: cuda, comm: nccl, deterministic: true, batch_global: 8}\n"
                "axes: {env.NCCL_ALGO: [default, Tree]}\n"),
      Catch::Contains("env.NCCL_ALGO is Tree, but deterministic needs Ring") &&
          Catch::Contains("(in: env.NCCL_ALGO=Tree)"));
  CHECK_THROWS_WITH(
      matrix_of("parameters: {backend: cuda, comm: nccl, precision: tf32, "
                "env.NVIDIA_TF32_OVERRIDE: 0, batch_global: 8}\n"),
      Catch::Contains("precision tf32 cannot be combined with env.NVIDIA_TF32_OVERRIDE 0"));
  CHECK_THROWS_WITH(
      expand(study_of("version: 1\nstudy: example\nworkload: collective\nparameters: {operation: "
                      "all_to_all}\naxes: {devices: [2, 4], message_bytes: [8, 16]}\n")),
      Catch::Contains("message_bytes is 8, too few for all_to_all over 4 devices; give at least "
                      "16 (in: devices=4 message_bytes=8)"));
}

TEST_CASE("a message that names cells stops after five", "[study]") {
  Study study = study_of(std::string(test::kHead) + "axes: {devices: [1], batch_global: [7]}\n");
  study.axes[0].values = {std::int64_t{2}};
  for (std::int64_t batch = 9; batch < 40; batch += 2) {
    study.axes[1].values.emplace_back(batch);
  }

  CHECK_THROWS_WITH(expand(study),
                    Catch::Contains("batch_global=7") && Catch::Contains("; and 12 more"));
}

TEST_CASE("a plan of more than two million trials is refused", "[study]") {
  const std::string text =
      "zip: [{size: 1, other: 1}, {size: 2, other: 2}, {size: 3, other: 3}]\n"
      "axes: {env.MORE: [1, 2, 3, 4, 5, 6, 7]}\n";

  CHECK(test::problems_of(kSized + text + "trials: {count: 90000}\n").empty());
  CHECK_THAT(test::problems_of(kSized + text + "trials: {count: 100000}\n"),
             Catch::Contains("trials: 100000 of each of 21 cells are more than 2000000"));
}

TEST_CASE("excludes that take hours to compare are refused before", "[study]") {
  std::string values;
  std::string rules;
  for (int i = 0; i < 5000; ++i) {
    values += (i == 0 ? "" : ", ") + std::to_string(i);
    rules += "  - {size: " + std::to_string(10'000 + i) + "}\n";
  }

  CHECK_THAT(test::problems_of(kSized + "axes: {size: [" + values + "]}\nexclude:\n" + rules),
             Catch::Contains("exclude has 5000 values to compare with 5000 cells"));
}

}  // namespace

// Stores of others are read leniently: a merge or a run by name came to divide by them.
TEST_CASE("a stored study with a cell of no device or node is refused, not divided by", "[study]") {
  for (const char* axes : {"{devices: [0, 2]}", "{devices: [2], nodes: [0]}", "{devices: [-1]}"}) {
    CAPTURE(axes);
    const Study study = parse_stored_study(
        std::string(test::kHead) + "parameters: {batch_global: 8}\naxes: " + axes + "\n", "s.yaml");
    CHECK_THROWS_WITH(expand(study), Catch::Contains("at least one of each is required"));
  }
}
