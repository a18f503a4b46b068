// What a trial on GPUs tells of itself: over the stand-in for GPUs (tests/cuda).
#include "tests/workloads/cuda_record.h"

#include <algorithm>
#include <utility>

#include "tests/support/catch.h"
#include "tests/workloads/probe_output.h"
#include "tests/workloads/saved_run.h"
#include "tests/workloads/stepped_trial.h"

using namespace scalestudy;
using test::record_of;

namespace {

// The start event of one on GPUs.
protocol::Start start_of(int ranks, std::vector<std::string> flags) {
  flags.insert(
      flags.begin(),
      {"--backend=cuda", "--batch-per-device=2", "--warmup-steps=0", "--measured-steps=1"});
  return test::events_of<protocol::Start>(record_of(ranks, std::move(flags))).at(0);
}

protocol::Start residual(const std::string& flag) {
  return start_of(1,
                  {"--model=resnet50-cifar",
                   "--model-layers=1",
                   "--model-width=8",
                   "--model-image=8",
                   "--comm=noop",
                   flag});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

// The stem: 2 images of 8 x 8 x 3, 8 kernels of 3 x 3.
TEST_CASE("algorithms are told of what runs, and none was asked for what never does", "[train]") {
  const std::string algorithms = residual("--seed=1").versions.at("algorithms");

  CHECK(contains(algorithms, "convolution forward 2 8 8 3 8 3 1 1: algorithm"));
  CHECK(contains(algorithms, "convolution backward weights 2 8 8 3 8 3 1 1: algorithm"));
  CHECK_FALSE(contains(algorithms, "convolution backward input 2 8 8 3 8 3 1 1"));
  CHECK(contains(algorithms, "convolution backward input 2 8 8 8 8 3 1 1: algorithm"));
  CHECK(contains(algorithms, "matmul 2x10x256 nn bias, aligned to"));
}

TEST_CASE("fp32 on a GPU rounds nothing unless it is asked to, and says so", "[train]") {
  const protocol::Start plain = residual("--precision=fp32");
  const protocol::Start rounded = residual("--cudnn-math=tf32");

  CHECK(plain.versions.at("math") == "products as stored, cuDNN as stored");
  CHECK(contains(plain.versions.at("algorithms"), " fma"));
  CHECK_FALSE(contains(plain.versions.at("algorithms"), "tensor cores"));
  CHECK_FALSE(contains(plain.versions.at("algorithms"), "tf32"));
  CHECK(rounded.versions.at("math") == "products as stored, cuDNN tf32");
  CHECK(contains(rounded.versions.at("algorithms"), "tensor cores"));
  CHECK_FALSE(contains(rounded.versions.at("algorithms"), " fma"));
}

// Of the stand-in's two algorithms the first needs a workspace.
TEST_CASE("no algorithm is taken that needs more than the workspace", "[train]") {
  const std::string stem = "convolution forward 2 8 8 3 8 3 1 1: algorithm ";

  CHECK(contains(residual("--algorithms=heuristic").versions.at("algorithms"), stem + "0"));
  CHECK(contains(residual("--workspace-mb=0.001").versions.at("algorithms"), stem + "1"));
}

// 9 x 9 x 3 floats are no multiple of 16 bytes, which cuDNN's operands are aligned to.
TEST_CASE("micro-steps of odd images run on a GPU", "[train]") {
  const protocol::Start start = start_of(1,
                                         {"--model=resnet50-cifar",
                                          "--model-layers=1",
                                          "--model-width=8",
                                          "--model-image=9",
                                          "--accumulation-steps=2",
                                          "--comm=noop"});

  CHECK(start.facts.at("peak_bytes") > 0.0);
}

TEST_CASE("two ranks on GPUs overlap, time algorithms and send what they were asked to",
          "[train]") {
  const protocol::Start start = start_of(2, {"--comm-dtype=bf16"});

  CHECK(start.parameters.at("comm") == "nccl");
  CHECK(start.parameters.at("overlap") == "stream");
  CHECK(start.parameters.at("algorithms") == "timed");
  CHECK(start.facts.at("wire_bytes") == 0.5 * start.facts.at("gradient_bytes"));
}

// mlp-258k has 258,432 gradients in one bucket, of which a hundredth is 2585: a value and a place
// of 4 bytes each, to the other rank. Beside the residuals of all are what both send, and of each
// gradient its place and its size before and after they are sorted.
TEST_CASE("top-k on GPUs tells what it sends and the memory that it takes", "[train]") {
  const protocol::Start start = start_of(2, {"--topk=1"});

  CHECK(start.facts.at("wire_bytes") == 2585 * 8);
  CHECK(start.facts.at("traffic_bytes") == 2585 * 8);
  CHECK(start.facts.at("memory_buffers_bytes") >= 258432 * (4 + 4 * 4) + 2 * 2585 * 8);
  // Parts that never came, or one element of them.
  for (const char* control : {"--comm=noop", "--payload=element"}) {
    CHECK(start_of(2, {"--topk=1", control}).facts.at("peak_bytes") > 0.0);
  }
}

TEST_CASE("GPUs that sum by nodes tell what leaves these", "[train]") {
  const protocol::Start start = start_of(2, {"--allreduce=hierarchical", "--virtual-node-ranks=1"});

  CHECK(start.parameters.at("comm") == "nccl");
  CHECK(start.parameters.at("overlap") == "stream");
  CHECK(start.facts.at("node_traffic_bytes") == start.facts.at("gradient_bytes"));
}

// Networks with dropout, which evaluation leaves out, and with running statistics of batches, which
// it takes in place of a batch's own. Two epochs of eight small steps in fp32, which the two sum
// in other orders.
TEST_CASE("a GPU predicts held-out samples as CPU cores do", "[train]") {
  using Flags = std::vector<std::string>;
  const Flags small_residual = {
      "--model=resnet50-cifar", "--model-layers=1", "--model-width=8", "--model-image=8"};
  for (const Flags& model : {Flags{"--model=mlp-258k"}, small_residual}) {
    const auto series_on = [&](int ranks, Flags flags) {
      flags.insert(flags.begin(), model.begin(), model.end());
      flags.insert(flags.end(),
                   {"--batch-global=8",
                    "--train-samples=64",
                    "--held-out-samples=32",
                    "--learning-rate=0.0005",
                    "--warmup-steps=1",
                    "--epochs=2",
                    "--evaluate=epochs"});
      return test::events_of<protocol::Samples>(record_of(ranks, std::move(flags)));
    };
    const auto on_cores = series_on(1, {"--backend=cpu"});
    const auto on_gpu = series_on(1, {"--backend=cuda"});
    INFO(model.front());
    for (const char* metric : {"epoch_loss", "epoch_held_out_loss", "held_out_loss"}) {
      const std::vector<double>& expected = test::values_of(on_cores, metric);
      REQUIRE(test::values_of(on_gpu, metric).size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(test::values_of(on_gpu, metric)[i] == Approx(expected[i]).epsilon(1e-3));
      }
    }
    CHECK(test::values_of(on_gpu, "accuracy").size() == 1);
  }
}

TEST_CASE("stages on GPUs predict held-out samples as CPU cores do", "[train][slow]") {
  const auto series_on = [](int ranks, const std::vector<std::string>& more) {
    std::vector<std::string> flags = {"--model=mlp-258k",
                                      "--batch-global=12",
                                      "--accumulation-steps=4",
                                      "--train-samples=96",
                                      "--held-out-samples=48",
                                      "--learning-rate=0.0005",
                                      "--warmup-steps=1",
                                      "--epochs=2",
                                      "--evaluate=epochs"};
    flags.insert(flags.end(), more.begin(), more.end());
    return test::events_of<protocol::Samples>(
        record_of(ranks, std::move(flags), {"CUDA_VISIBLE_DEVICES=0,1,2"}));
  };
  const auto on_cores = series_on(1, {});
  for (const std::string comm : {"nccl", "mpi_staged"}) {
    CAPTURE(comm);
    const auto on_gpus = series_on(3, {"--backend=cuda", "--strategy=pipeline", "--comm=" + comm});
    for (const char* metric : {"epoch_held_out_loss", "epoch_loss"}) {
      const std::vector<double>& expected = test::values_of(on_cores, metric);
      REQUIRE(test::values_of(on_gpus, metric).size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(test::values_of(on_gpus, metric)[i] == Approx(expected[i]).epsilon(1e-3));
      }
    }
  }
}

// 4 samples of 5 ms are decoded in a step, or meanwhile. In pinned memory are three batches of 4
// rows of 799 values, 799 to 800 with the gap that aligns four of them, and labels of 4 bytes, and
// 4 records of 800 bytes.
TEST_CASE("what a GPU waits for its samples is told, and what the host keeps for it", "[train]") {
  const auto trained = [](const std::string& depth) {
    return record_of(1,
                     {"--backend=cuda",
                      "--comm=noop",
                      "--batch-per-device=4",
                      "--warmup-steps=0",
                      "--measured-steps=6",
                      "--data=file",
                      "--data-samples=16",
                      "--decode-us=5000",
                      "--straggler-ms=60",
                      "--data-prefetch=" + depth});
  };
  const auto waits_of = [](const protocol::Record& record) {
    return test::values_of(test::events_of<protocol::Samples>(record), "data_time_s", 0);
  };
  const protocol::Record in_step = trained("0");
  const protocol::Record ahead = trained("2");

  const std::vector<double> waits_s = waits_of(in_step);
  CHECK(*std::min_element(waits_s.begin(), waits_s.end()) >= 0.02);
  const std::vector<double> less_s = waits_of(ahead);
  CHECK(*std::min_element(less_s.begin() + 1, less_s.end()) < 0.01);
  const auto facts = test::events_of<protocol::Start>(ahead).at(0).facts;
  CHECK(facts.at("host_memory_bytes") == 3 * 4 * (799 * 4 + 4) + 4 * 800);
  CHECK(facts.at("memory_data_bytes") == facts.at("calculated_data_bytes"));
  CHECK(facts.at("data_file_bytes") == 16 * 800);
  CHECK(test::events_of<protocol::End>(ahead).at(0).facts.at("preprocessing_cpu_s") >= 6 * 0.02);
}

TEST_CASE("a GPU that comes late is read as skew", "[train]") {
  const test::SteppedSteps slowed(record_of(2,
                                            {"--backend=cuda",
                                             "--batch-per-device=2",
                                             "--warmup-steps=2",
                                             "--measured-steps=3",
                                             "--straggler-rank=1",
                                             "--straggler-ms=200"},
                                            test::by_stepped_clock()));

  CHECK(slowed.ms("collective_skew_time_s", 0) == test::exactly(200.0));
  CHECK(slowed.ms("collective_skew_time_s", 1) == test::exactly(0.0));
}

// Parameters and the state of the optimizer go to the host and come back to the GPU.
TEST_CASE("a GPU goes on from a checkpoint with the bits that it had", "[train][slow]") {
  using Flags = std::vector<std::string>;
  for (const auto& [ranks, flags] :
       {std::pair(1, Flags{"--optimizer=adamw"}),
        std::pair(1, Flags{"--offload=optimizer", "--precision=bf16"}),
        std::pair(2, Flags{"--precision=fp16"}),
        std::pair(2, Flags{"--strategy=zero2"}),
        std::pair(2, Flags{"--strategy=fsdp"}),
        std::pair(
            2,
            Flags{"--strategy=pipeline", "--data=file", "--data-samples=10", "--data-prefetch=2"}),
        std::pair(3,
                  Flags{"--strategy=pipeline",
                        "--comm=mpi_staged",
                        "--accumulation-steps=2",
                        "--precision=bf16"})}) {
    INFO(flags.front());
    const auto train = [&ranks = ranks, &flags = flags](const test::TemporaryFolder& folder,
                                                        const std::string& steps) {
      Flags all = flags;
      all.insert(all.end(),
                 {"--backend=cuda",
                  "--batch-per-device=2",
                  "--warmup-steps=1",
                  "--measured-steps=" + steps,
                  "--save-every=3",
                  "--save-dir=" + folder.path().string()});
      return test::events_of<protocol::Samples>(record_of(ranks, std::move(all)));
    };
    const test::TemporaryFolder whole;
    const test::TemporaryFolder parts;
    const auto undisturbed = train(whole, "5");
    train(parts, "2");
    const auto after = train(parts, "5");

    const auto state = test::state_of(whole.path(), 6);
    REQUIRE_FALSE(state.empty());
    CHECK((test::state_of(parts.path(), 6) == state));
    CHECK(test::values_of(after, "loss") == test::values_of(undisturbed, "loss"));
    CHECK(test::values_of(after, "checkpoint_save_time_s").size() == 1);
  }
}

// mlp-258k is 784-256-128-64-10: its first layer is a stage, and 128 samples of 256 numbers cross
// the border each way. Each device's share of the batch is half of it.
TEST_CASE("a trial of stages on GPUs tells what CPU cores tell", "[train]") {
  const protocol::Record record = record_of(2,
                                            {"--backend=cuda",
                                             "--strategy=pipeline",
                                             "--batch-per-device=64",
                                             "--accumulation-steps=4",
                                             "--offload=optimizer",
                                             "--warmup-steps=0",
                                             "--measured-steps=3"});
  const protocol::Start start = test::events_of<protocol::Start>(record).at(0);

  CHECK(start.parameters.at("comm") == "nccl");
  CHECK(start.parameters.at("overlap") == "none");
  CHECK(start.facts.at("pipeline_bubble_ideal") == Approx(0.2));
  CHECK(start.facts.at("stage.0.layers") == 1);
  CHECK(start.facts.at("stage.1.layers") == 3);
  CHECK(start.facts.at("wire_bytes") == 2 * 128 * 256 * 4);
  CHECK(start.facts.at("traffic_bytes") == 128 * 256 * 4);
  CHECK(start.facts.at("offload_bytes") > 0.0);
  const auto samples = test::events_of<protocol::Samples>(record);
  for (const double bubble : test::values_of(samples, "pipeline_bubble")) {
    CHECK(bubble > 0.0);
    CHECK(bubble < 1.0);
  }
  for (const char* metric : {"exposed_communication_time_s", "forward_time_s", "backward_time_s"}) {
    for (const int rank : {0, 1}) {
      for (const double time_s : test::values_of(samples, metric, rank)) {
        CHECK(time_s > 0.0);
      }
    }
  }
  CHECK(test::find_series(samples, "communication_time_s") == nullptr);
  for (const double loss : test::values_of(samples, "loss")) {
    CHECK(loss > 0.0);
  }
}

// The host waits 30 ms for each of four copies from the GPU.
TEST_CASE("copies of what stages send by the host are waits and no computation", "[train]") {
  const auto samples = test::events_of<protocol::Samples>(record_of(2,
                                                                    {"--backend=cuda",
                                                                     "--strategy=pipeline",
                                                                     "--comm=mpi_staged",
                                                                     "--batch-per-device=8",
                                                                     "--accumulation-steps=4",
                                                                     "--warmup-steps=1",
                                                                     "--measured-steps=2"},
                                                                    {"SCALESTUDY_SLOW_GPU_MS=30"}));

  for (const double time_s : test::values_of(samples, "exposed_communication_time_s", 0)) {
    CHECK(time_s >= 4 * 0.030);
  }
  for (const double time_s : test::values_of(samples, "forward_time_s", 0)) {
    CHECK(time_s < 4 * 0.030);
  }
}

// As in cuda_pipeline_test.cc, where NCCL is not: two steps of 4 messages each way.
TEST_CASE("NCCL carries each activation and each gradient once", "[train]") {
  const test::TemporaryFolder folder;
  const test::ProgramResult result = test::mpirun(2,
                                                  {SCALESTUDY_CUDA_HOST "/tests/training_probe",
                                                   folder.file("probe"),
                                                   "24,40,17,12,8",
                                                   "0.2",
                                                   "--backend=cuda",
                                                   "--strategy=pipeline",
                                                   "--batch-global=24",
                                                   "--accumulation-steps=4",
                                                   "--warmup-steps=0",
                                                   "--measured-steps=3"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  for (const char* rank : {"probe.0", "probe.1"}) {
    const test::Probe probe = test::read_probe(folder.file(rank));
    CHECK(probe.bytes == 2 * 24 * 40 * 4);
    CHECK(probe.planned_traffic == probe.bytes);
    CHECK(probe.calls == 2 * 4);
  }
}

// Each rank's, of three steps of 8 samples.
std::vector<test::Probe> train_on_four_gpus(const std::vector<std::string>& flags) {
  const test::TemporaryFolder folder;
  std::vector<std::string> program = {SCALESTUDY_CUDA_HOST "/tests/training_probe",
                                      folder.file("probe"),
                                      "24,40,17,8",
                                      "0",
                                      "--backend=cuda",
                                      "--batch-global=8",
                                      "--bucket-mb=0.001",
                                      "--warmup-steps=0",
                                      "--measured-steps=3"};
  program.insert(program.end(), flags.begin(), flags.end());
  const test::ProgramResult result = test::mpirun(4, program, {"CUDA_VISIBLE_DEVICES=0,1,2,3"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return test::read_probes(folder.file("probe"), 4);
}

// n nodes of g ranks: 2 (g-1)/g of S bytes within a node, 2 (n-1)/n of S/g over nodes, which is as
// much together as 2 (N-1)/N of S. Here n = g = 2, S is all gradients in two steps, in fp32, of
// tensors that are padded to 128 bytes.
TEST_CASE("of two nodes of two GPUs half a gradient leaves each GPU for the other node",
          "[train]") {
  const double bytes = 2 * 4.0 * (24 * 40 + 64 + 40 * 17 + 24 + 32 + 17 * 8 + 24 + 32);
  const auto [flags, leaves] = GENERATE(table<std::vector<std::string>, double>(
      {{{"--allreduce=flat"}, 0.0},
       {{"--allreduce=hierarchical", "--virtual-node-ranks=2"}, 0.5}}));
  CAPTURE(leaves);
  for (const test::Probe& probe : train_on_four_gpus(flags)) {
    CHECK(probe.traffic == 1.5 * bytes);
    CHECK(probe.planned_traffic == probe.traffic);
    CHECK(probe.node_traffic == leaves * bytes);
  }
}

// Of a bucket's first four elements each rank of a node has two, and sums them over nodes.
TEST_CASE("on GPUs the control of single elements makes all operations of a sum over nodes",
          "[train]") {
  for (const test::Probe& probe : train_on_four_gpus(
           {"--allreduce=hierarchical", "--virtual-node-ranks=2", "--payload=element"})) {
    CHECK(probe.node_traffic > 0.0);
  }
}
