// Trains on a GPU with the real programs: against the CPU, and on two ranks that share one GPU.
#include <chrono>

#include "tests/support/catch.h"
#include "tests/workloads/gpu_programs.h"

using namespace scalestudy;
using test::Flags;
using test::joined;
using test::neighbour;
using test::Probe;
using test::require_gpu_and_mpirun;
using test::run_on_virtual_nodes;

namespace {

enum class Nodes { kOne, kVirtual };

// What rank 0 of the training probe wrote. `network` is "16,32,4" with its dropout, or a model.
Probe train(int ranks, Nodes nodes, const Flags& network, const Flags& flags) {
  return test::train(ranks, nodes == Nodes::kVirtual, joined(network, flags)).front();
}

const Flags kSmallMlp = {"24,40,17,8", "0.2"};
const Flags kGpu = {"--backend=cuda", "--comm=nccl"};
const Flags kThreeSteps = {"--batch-global=8", "--warmup-steps=0", "--measured-steps=3"};

}  // namespace

TEST_CASE("three steps on a GPU end where three steps on the CPU do", "[gpu][slow]") {
  require_gpu_and_mpirun();
  const auto model = GENERATE(
      Flags{"mlp-258k", "0"},
      Flags{"lstm-332k", "0", "--model-width=32", "--model-sequence=8"},
      Flags{"gru-250k", "0", "--model-width=32", "--model-sequence=8"},
      Flags{"gpt-tiny",
            "0",
            "--model-layers=2",
            "--model-width=32",
            "--model-heads=2",
            "--model-sequence=16",
            "--model-vocabulary=16"},
      Flags{"gpt-tiny",
            "0",
            "--model-layers=3",
            "--model-width=32",
            "--model-heads=2",
            "--model-sequence=16",
            "--model-vocabulary=16",
            "--checkpoint-every=2"},
      Flags{"llama-7b",
            "0",
            "--model-layers=2",
            "--model-width=32",
            "--model-heads=2",
            "--model-sequence=16",
            "--model-vocabulary=16"},
      Flags{"resnet50-cifar", "0", "--model-width=8", "--model-layers=1", "--model-image=16"});
  const Flags network(model.begin(), model.begin() + 2);
  const Flags flags = joined({model.begin() + 2, model.end()},
                             joined(kThreeSteps, {"--model=" + model[0], "--deterministic=true"}));
  CAPTURE(model[0]);

  const Probe cpu = train(1, Nodes::kOne, network, flags);
  const Probe gpu = train(1, Nodes::kOne, network, joined(flags, kGpu));

  CHECK(test::relative_difference(gpu.losses, cpu.losses) <= 1e-4);
  CHECK(test::relative_difference(gpu.parameters, cpu.parameters) <= 1e-5);
}

// Of 40 samples two steps of 16 make an epoch; the slots of three batches are filled twice.
TEST_CASE("a GPU trains on the samples of a file as CPU cores do, however far ahead",
          "[gpu][slow]") {
  require_gpu_and_mpirun();
  const auto model = GENERATE(Flags{"24,40,17,8"},
                              Flags{"gpt-tiny",
                                    "--model=gpt-tiny",
                                    "--model-layers=1",
                                    "--model-width=32",
                                    "--model-heads=2",
                                    "--model-sequence=16",
                                    "--model-vocabulary=16"});
  const std::string depth = GENERATE("0", "2");
  const Flags network = {model[0], "0"};
  const Flags flags = joined({model.begin() + 1, model.end()},
                             {"--data=file",
                              "--data-samples=40",
                              "--batch-global=16",
                              "--accumulation-steps=2",
                              "--warmup-steps=0",
                              "--measured-steps=7"});
  CAPTURE(model[0], depth);

  const Probe cpu = train(1, Nodes::kOne, network, flags);
  const Probe gpu =
      train(1, Nodes::kOne, network, joined(flags, joined(kGpu, {"--data-prefetch=" + depth})));

  CHECK(test::relative_difference(gpu.losses, cpu.losses) <= 1e-4);
  CHECK(test::relative_difference(gpu.parameters, cpu.parameters) <= 1e-5);
  CHECK(cpu.losses[0] != cpu.losses[1]);
}

TEST_CASE("two ranks that share a GPU end where one rank does", "[gpu]") {
  require_gpu_and_mpirun();
  // Several buckets of this small network, in flight during backward or not.
  const auto how = GENERATE(Flags{"--comm=nccl", "--overlap=stream"},
                            Flags{"--comm=nccl", "--strategy=ddp_serial"},
                            Flags{"--comm=nccl", "--strategy=zero1"},
                            Flags{"--comm=nccl", "--strategy=zero2"},
                            Flags{"--comm=nccl", "--strategy=fsdp"},
                            Flags{"--comm=nccl", "--strategy=local_sgd"},
                            Flags{"--comm=mpi_staged", "--strategy=local_sgd"},
                            // all columns: what they sum is all of the gradients
                            Flags{"--comm=nccl", "--strategy=powersgd", "--powersgd-rank=40"},
                            Flags{"--comm=mpi_staged", "--strategy=powersgd", "--powersgd-rank=40"},
                            Flags{"--comm=mpi_staged", "--strategy=zero1"},
                            Flags{"--comm=mpi_staged", "--strategy=fsdp"},
                            Flags{"--comm=mpi_staged"});
  const Flags flags = joined(kThreeSteps, {"--backend=cuda", "--bucket-mb=0.001"});
  CAPTURE(how[0], how.back());

  const Probe one = train(1, Nodes::kOne, kSmallMlp, joined(flags, {"--comm=nccl"}));
  const Probe two = train(2, Nodes::kVirtual, kSmallMlp, joined(flags, how));

  CHECK(test::relative_difference(two.parameters, one.parameters) <= 1e-5);
}

TEST_CASE("ranks of a GPU with shares of fp16 gradients end as ranks with all of them", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string strategy = GENERATE("zero1", "zero2", "fsdp");
  const std::string rate = GENERATE("0.05", "300");  // at 300 a gradient overflows
  const Flags flags =
      joined(kThreeSteps,
             {"--backend=cuda", "--comm=nccl", "--precision=fp16", "--learning-rate=" + rate});
  CAPTURE(strategy, rate);

  const Probe all = train(2, Nodes::kVirtual, kSmallMlp, flags);
  const Probe shares =
      train(2, Nodes::kVirtual, kSmallMlp, joined(flags, {"--strategy=" + strategy}));

  CHECK(test::relative_difference(shares.parameters, all.parameters) <= 1e-6);
}

TEST_CASE("two ranks of a GPU send two columns as two ranks of CPU cores do", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string comm = GENERATE("nccl", "mpi_staged");
  const Flags flags = joined(kThreeSteps, {"--strategy=powersgd", "--powersgd-rank=2"});

  const Probe cpu = train(2, Nodes::kOne, kSmallMlp, flags);
  const Probe gpu =
      train(2, Nodes::kVirtual, kSmallMlp, joined(flags, {"--backend=cuda", "--comm=" + comm}));

  CHECK(test::relative_difference(gpu.parameters, cpu.parameters) <= 1e-5);
  const Probe plain = train(2, Nodes::kOne, kSmallMlp, kThreeSteps);
  CHECK(test::relative_difference(plain.parameters, cpu.parameters) > 1e-4);
}

// Both have to find the same gradients largest. The sum of two is the same in either order.
TEST_CASE("two ranks of a GPU send their largest gradients as CPU cores do", "[gpu]") {
  require_gpu_and_mpirun();
  const auto how = GENERATE(Flags{"--comm=nccl", "--overlap=stream"},
                            Flags{"--comm=nccl", "--overlap=none", "--precision=bf16"},
                            Flags{"--comm=mpi_staged"});
  const Flags flags = joined(kThreeSteps, {"--bucket-mb=0.001"});
  const Flags on_gpu = joined(joined(flags, {"--backend=cuda"}), how);
  CAPTURE(how[0], how.back());

  const Probe plain = train(2, Nodes::kVirtual, kSmallMlp, on_gpu);
  const Probe all = train(2, Nodes::kVirtual, kSmallMlp, joined(on_gpu, {"--topk=100"}));
  const Probe some = train(2, Nodes::kVirtual, kSmallMlp, joined(on_gpu, {"--topk=5"}));

  CHECK(all.parameters == plain.parameters);
  CHECK(test::relative_difference(some.parameters, plain.parameters) > 1e-4);
  if (how.back() != "--precision=bf16") {
    const Probe cpu = train(2, Nodes::kOne, kSmallMlp, joined(flags, {"--topk=5"}));
    CHECK(test::relative_difference(some.parameters, cpu.parameters) <= 1e-5);
  }
}

TEST_CASE("a GPU clips gradients as one CPU core does, whoever has which share", "[gpu]") {
  require_gpu_and_mpirun();
  const auto how =
      GENERATE(Flags{"--comm=nccl", "--overlap=stream"},
               Flags{"--comm=nccl", "--strategy=zero1"},
               Flags{"--comm=nccl", "--strategy=zero2"},
               Flags{"--comm=nccl", "--strategy=fsdp"},
               Flags{"--comm=mpi_staged", "--strategy=zero1"},
               Flags{"--comm=nccl", "--allreduce=hierarchical", "--virtual-node-ranks=1"},
               Flags{"--comm=nccl", "--allreduce=hierarchical", "--virtual-node-ranks=2"},
               Flags{"--comm=mpi_staged", "--allreduce=hierarchical", "--virtual-node-ranks=1"},
               Flags{"--comm=mpi_staged", "--allreduce=hierarchical", "--virtual-node-ranks=2"});
  const Flags flags = joined(kThreeSteps, {"--bucket-mb=0.001"});
  const Flags clipped = joined(flags, {"--clip-norm=0.05"});
  CAPTURE(how[0], how.back());

  const Probe one = train(1, Nodes::kOne, kSmallMlp, clipped);
  const Probe two =
      train(2, Nodes::kVirtual, kSmallMlp, joined(joined(clipped, {"--backend=cuda"}), how));

  CHECK(test::relative_difference(two.parameters, one.parameters) <= 1e-5);
  const Probe plain = train(1, Nodes::kOne, kSmallMlp, flags);
  CHECK(test::relative_difference(plain.parameters, one.parameters) > 1e-3);
}

TEST_CASE("gradients travel between GPUs in 16 bits", "[gpu]") {
  require_gpu_and_mpirun();
  const auto* type = GENERATE("--comm-dtype=bf16", "--comm-dtype=fp16");
  const Flags flags = joined(kThreeSteps, joined(kGpu, {"--bucket-mb=0.001"}));

  const Probe plain = train(2, Nodes::kVirtual, kSmallMlp, flags);
  const Probe rounded = train(2, Nodes::kVirtual, kSmallMlp, joined(flags, {type}));

  const double difference = test::relative_difference(rounded.parameters, plain.parameters);
  CHECK(difference <= 1e-3);
  CHECK(difference > 1e-7);
}

TEST_CASE("a deterministic run on a GPU repeats bit for bit", "[gpu]") {
  require_gpu_and_mpirun();
  const auto [model, precision] = GENERATE(table<std::string, std::string>({
      {"", "bf16"},
      {"lstm-332k", "fp32"},
      {"gru-250k", "fp32"},
      {"resnet50-cifar", "fp32"},
  }));
  CAPTURE(model);
  const Flags network = model.empty() ? kSmallMlp : Flags{model, "0"};
  Flags flags =
      joined(joined(kThreeSteps, kGpu), {"--deterministic=true", "--precision=" + precision});
  if (!model.empty()) {
    flags.push_back("--model=" + model);
  }

  const Probe first = train(1, Nodes::kOne, network, flags);
  const Probe second = train(1, Nodes::kOne, network, flags);

  CHECK(first.losses == second.losses);
  CHECK(first.parameters == second.parameters);
}

// Made of the CPU's operations; on a GPU a rank has 72 MiB of workspaces besides.
TEST_CASE("the estimate of memory is near what a GPU takes", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string precision = GENERATE("fp32", "bf16");
  const Probe training = train(1,
                               Nodes::kOne,
                               {"gpt2-124m", "0"},
                               joined(joined(kThreeSteps, kGpu),
                                      {"--model=gpt2-124m",
                                       "--model-layers=4",
                                       "--model-sequence=512",
                                       "--precision=" + precision}));

  constexpr double workspaces = 72.0 * 1048576.0;
  CHECK(training.peak_bytes == Approx(training.estimate_bytes + workspaces).epsilon(0.1));
}

TEST_CASE("a network learns on a GPU in every precision", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string precision = GENERATE("fp32", "tf32", "bf16", "fp16");
  CAPTURE(precision);

  const Probe training = train(1,
                               Nodes::kOne,
                               {"24,64,32,8", "0"},
                               joined(kGpu,
                                      {"--precision=" + precision,
                                       "--batch-global=16",
                                       "--warmup-steps=0",
                                       "--measured-steps=100",
                                       "--learning-rate=0.05"}));

  REQUIRE(training.losses.size() == 100);
  CHECK(training.losses.back() < 0.1 * training.losses.front());
}

TEST_CASE("sums over two ranks on a GPU are exact", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string transport = GENERATE("nccl", "staged");

  const test::ProgramResult result =
      run_on_virtual_nodes({neighbour("cuda_comm_probe"), "sums", transport});

  INFO(transport << ": " << result.out << result.err);
  CHECK(result.exit_code == 0);
}

// An odd number of elements.
TEST_CASE("sums over two nodes of two ranks on a GPU are exact", "[gpu]") {
  require_gpu_and_mpirun();
  const test::ProgramResult result =
      run_on_virtual_nodes({neighbour("cuda_comm_probe"), "sums", "nodes"}, {}, 4);

  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("ranks of GPUs that sum by nodes end where one CPU core does", "[gpu]") {
  require_gpu_and_mpirun();
  // Three ranks of a node cannot share tensors of whole 128 bytes evenly.
  const auto [ranks, node_ranks] =
      GENERATE(table<int, std::string>({{3, "3"}, {4, "0"}, {4, "1"}, {4, "2"}, {4, "4"}}));
  const auto more = GENERATE(Flags{"--overlap=stream", "--bucket-mb=0.001"},
                             Flags{"--strategy=ddp_serial", "--comm-dtype=bf16"});
  CAPTURE(ranks, node_ranks, more);
  const Probe one = test::train_three_steps(1, kSmallMlp, {}, false).front();

  const std::vector<Probe> probes = test::train_three_steps(
      ranks,
      kSmallMlp,
      joined(more,
             {"--comm=nccl", "--allreduce=hierarchical", "--virtual-node-ranks=" + node_ranks}));

  const double tolerance = more[0] == "--overlap=stream" ? 1e-5 : 1e-2;
  for (const Probe& probe : probes) {
    CHECK(test::relative_difference(probe.parameters, one.parameters) <= tolerance);
    CHECK(probe.parameters == probes.front().parameters);
  }
}

// Batch norm takes the statistics of each rank's own samples, so that four CPU cores are compared.
TEST_CASE("four ranks of GPUs end where four CPU cores do, whatever they train", "[gpu][slow]") {
  require_gpu_and_mpirun();
  const Flags gpt = {"-",
                     "-",
                     "--model=gpt-tiny",
                     "--model-layers=1",
                     "--model-width=16",
                     "--model-heads=2",
                     "--model-sequence=4",
                     "--model-vocabulary=16"};
  Flags llama = gpt;
  llama[2] = "--model=llama-7b";
  const Flags lstm = {"-", "-", "--model=lstm-332k", "--model-width=32", "--model-sequence=8"};
  Flags gru = lstm;
  gru[2] = "--model=gru-250k";
  const Flags resnet = {
      "-", "-", "--model=resnet50-cifar", "--model-width=8", "--model-layers=1", "--model-image=8"};
  const auto [network, how] = GENERATE_COPY(
      table<Flags, Flags>({{kSmallMlp, {"--comm=nccl", "--strategy=zero2"}},
                           {kSmallMlp, {"--comm=nccl", "--strategy=powersgd", "--powersgd-rank=2"}},
                           {kSmallMlp, {"--comm=nccl", "--topk=5"}},
                           {gpt, {"--comm=nccl", "--strategy=fsdp"}},
                           {gpt, {"--comm=mpi_staged", "--strategy=zero1"}},
                           {llama, {"--comm=nccl", "--strategy=zero2"}},
                           {lstm, {"--comm=nccl", "--overlap=stream", "--bucket-mb=0.01"}},
                           {gru, {"--comm=nccl", "--strategy=zero1"}},
                           {resnet, {"--comm=nccl", "--strategy=fsdp"}}}));
  CAPTURE(network, how);
  const Flags on_cores =
      how[1].starts_with("--overlap") ? Flags{} : Flags{how.begin() + 1, how.end()};
  const Probe cores = test::train_three_steps(4, network, on_cores, false).front();

  const std::vector<Probe> probes = test::train_three_steps(4, network, how);

  for (const Probe& probe : probes) {
    CHECK(test::relative_difference(probe.parameters, cores.parameters) <= 1e-5);
    CHECK(probe.parameters == probes.front().parameters);
  }
  CHECK(test::relative_difference(probes.front().losses, cores.losses) <= 1e-4);
}

// The host's operations round a last place otherwise than the GPU's.
TEST_CASE("shares of an optimizer's state that are offloaded are those on the GPUs",
          "[gpu][slow]") {
  require_gpu_and_mpirun();
  const auto [ranks, strategy, precision] =
      GENERATE(table<int, std::string, std::string>({{2, "ddp", "fp32"},
                                                     {2, "zero1", "fp32"},
                                                     {2, "zero2", "bf16"},
                                                     {2, "fsdp", "fp32"},
                                                     {4, "zero2", "fp32"},
                                                     {4, "fsdp", "bf16"}}));
  CAPTURE(ranks, strategy, precision);
  const Flags flags = {"--comm=nccl",
                       "--optimizer=adamw",
                       "--clip-norm=0.05",
                       "--strategy=" + strategy,
                       "--precision=" + precision};
  const Probe still =
      test::train_three_steps(ranks, kSmallMlp, joined(flags, {"--learning-rate=0"})).front();
  const std::vector<Probe> plain = test::train_three_steps(ranks, kSmallMlp, flags);

  const std::vector<Probe> offloaded =
      test::train_three_steps(ranks, kSmallMlp, joined(flags, {"--offload=optimizer"}));

  const double moved = test::relative_difference(plain[0].parameters, still.parameters);
  CHECK(moved > 1e-3);
  for (std::size_t rank = 0; rank < offloaded.size(); ++rank) {
    CHECK(test::relative_difference(offloaded[rank].parameters, plain[rank].parameters) <=
          (precision == "fp32" ? 1e-5 : 1e-2) * moved);
    CHECK(offloaded[rank].memory.at("optimizer") == offloaded[rank].calculated.at("optimizer"));
    CHECK(plain[rank].memory.at("optimizer") > 1000.0 / ranks);
    CHECK(offloaded[rank].memory.at("optimizer") < 100.0);
  }
}

TEST_CASE("NCCL refuses two ranks on one GPU of one node", "[gpu]") {
  require_gpu_and_mpirun();
  const test::ProgramResult result = test::mpirun(2,
                                                  {neighbour("cuda_comm_probe"), "sums", "nccl"},
                                                  {"CUDA_VISIBLE_DEVICES=0", "NCCL_DEBUG=WARN"});

  INFO(result.err);
  CHECK(result.exit_code != 0);
  CHECK((result.out + result.err).find("Duplicate GPU") != std::string::npos);
}

TEST_CASE("training on two ranks and one GPU says what to do instead", "[gpu]") {
  require_gpu_and_mpirun();
  const test::ProgramResult result =
      test::mpirun(2,
                   joined({neighbour("training_probe"), "/dev/null"},
                          joined(kSmallMlp, joined(kThreeSteps, kGpu))),
                   {"CUDA_VISIBLE_DEVICES=0"});

  CHECK(result.exit_code == protocol::kExitUnsupported);
  CHECK(result.err.find("ranks 0 and 1 share GPU") != std::string::npos);
}

TEST_CASE("a rank that waits for a lost one ends and says so", "[gpu]") {
  require_gpu_and_mpirun();
  const auto begin = std::chrono::steady_clock::now();

  const test::ProgramResult result = run_on_virtual_nodes({neighbour("cuda_comm_probe"), "late"});

  INFO(result.err);
  CHECK(result.exit_code != 0);
  CHECK(result.err.find("did not finish in time") != std::string::npos);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(40));
}
