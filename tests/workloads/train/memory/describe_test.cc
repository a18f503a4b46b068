// What --describe prints, and how a run that cannot fit ends.
#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "workloads/train/memory/file_systems.h"

using namespace scalestudy;

namespace {

test::ProgramResult run(const std::vector<std::string>& flags) {
  std::vector<std::string> program = {SCALESTUDY_TEST_BIN "/scalestudy-train"};
  program.insert(program.end(), flags.begin(), flags.end());
  return test::mpirun(1, program);
}

}  // namespace

// 148 tensors and 13 buckets, the last of 168.3 MiB, are what PyTorch's rule makes of GPT-2; the
// parameters take 124,439,808 * 4 bytes and the padding of the vocabulary, 47 * 768 * 4, of which
// the last bucket has all; AdamW's state takes twice that.
TEST_CASE("a run can be described before it takes memory", "[train]") {
  const test::ProgramResult result =
      run({"--describe", "--model=gpt2-124m", "--optimizer=adamw", "--batch-per-device=1"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("gpt2-124m: 124439808 parameters in 148 tensors"));
  CHECK_THAT(result.out, Catch::Contains("13 bucket(s) of gradients, the last of 176590848 bytes"));
  CHECK_THAT(result.out,
             Catch::Contains("parameters 474.8 MiB, gradients 474.8 MiB, optimizer 949.7 MiB, "
                             "activations "));
}

// mlp-258k and its momentum are 2 x 258,432 x 4 bytes, there twice while one replaces another: 3.94
// MiB; each of 5 steps has a row of 16 numbers at most.
TEST_CASE("checkpoints in memory are of a description, others are not", "[train]") {
  const std::vector<std::string> flags = {
      "--describe", "--batch-per-device=1", "--measured-steps=3", "--warmup-steps=2"};
  const auto described = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = flags;
    all.insert(all.end(), more.begin(), more.end());
    return run(all).out;
  };
  if (!train::is_in_memory("/dev/shm")) {
    WARN("not run: /dev/shm is not in memory");
    return;
  }

  CHECK_THAT(described({"--save-every=2", "--save-dir=/dev/shm/a/b"}),
             Catch::Contains("checkpoints in memory: at most 3.9 MiB\n"));
  CHECK_THAT(described({"--save-every=2", "--save-dir=/proc"}),
             !Catch::Contains("checkpoints in memory"));
  CHECK_THAT(described({"--save-dir=/dev/shm"}), !Catch::Contains("checkpoints in memory"));
}

TEST_CASE("devices that are no number are refused by name", "[train][slow]") {
  const std::string devices = GENERATE("abc", "12abc", "99999999999");
  const std::vector<std::string> given = {"--batch-global=64", "--devices=" + devices};
  for (std::vector<std::string> flags :
       {std::vector<std::string>{"--describe"}, {"--write-start", "/nowhere"}}) {
    flags.insert(flags.end(), given.begin(), given.end());
    const test::ProgramResult result = run(flags);

    CHECK(result.exit_code == 2);
    CHECK_THAT(
        result.err,
        Catch::Contains("devices is \"" + devices + "\", allowed: an integer in [1, 65536] ranks"));
  }
}

// plan asks for a description of each kind of cell.
TEST_CASE("a description needs no MPI, and a wrong one ends as a wrong run", "[train]") {
  const std::vector<std::string> broken = {"OMPI_MCA_pml=none"};  // MPI_Init fails
  const auto described = [&](const std::string& flag) {
    return test::run_program({SCALESTUDY_TEST_BIN "/scalestudy-train", "--describe", flag}, broken);
  };

  CHECK(described("--batch-per-device=1").exit_code == 0);
  const test::ProgramResult wrong = described("--model=nothing");
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::StartsWith("scalestudy: ") && Catch::Contains("nothing"));
}

TEST_CASE("a truncated depth is said where a run is described", "[train]") {
  const test::ProgramResult result =
      run({"--describe", "--model=llama-7b", "--model-layers=2", "--batch-per-device=1"});

  CHECK_THAT(result.out, Catch::Contains("llama-7b, 2 of 32 layers: "));
}

// 258,432 parameters of 4 bytes, in layers that two ranks can share without padding: half of them
// are sent as sums and half as parameters, and of AdamW's 8 bytes for each a rank keeps half.
TEST_CASE("what a rank keeps and sends under a strategy is described", "[train]") {
  const test::ProgramResult result = run({"--describe",
                                          "--devices=2",
                                          "--batch-per-device=1",
                                          "--optimizer=adamw",
                                          "--strategy=zero1"});

  CHECK_THAT(result.out, Catch::Contains("1033728 bytes to send, a rank and step"));
  CHECK_THAT(result.out, Catch::Contains("gradients 1009.5 KiB, optimizer 1009.5 KiB"));
}

// By hand, in fp32 with 4 bytes each of parameter, gradient and momentum: L hidden layers of 4096
// take 12 (4096 * 4097 L + 4096 * 2048 + 2048) bytes, those of 1 to 3 288, 480 and 672 MiB. On two
// ranks half of the momentum is saved by zero1, half of most gradients by zero2, of parameters by
// fsdp.
TEST_CASE("the largest model that fits is described for each strategy, as calculated", "[train]") {
  std::vector<std::string> flags = {
      "--describe", "--devices=2", "--model=mlp-4096", "--batch-per-device=1"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> all = flags;
    all.push_back(more);
    return run(all).out;
  };

  const std::string out = with("--device-memory-gb=0.71");

  CHECK_THAT(out,
             Catch::Contains("fits 677.1 MiB a rank, calculated: ddp model.layers 3 (58734592 "));
  CHECK_THAT(out, Catch::Contains("zero1 model.layers 3 ("));
  CHECK_THAT(out, Catch::Contains("zero2 model.layers 4 ("));
  CHECK_THAT(out, Catch::Contains("fsdp model.layers 5 ("));
  // The second of two stages has 3 of 6 hidden layers and the last layer: the memory of ddp's 3.
  CHECK_THAT(out, Catch::Contains("pipeline model.layers 6 ("));
  CHECK_THAT(with("--device-memory-gb=0.01"), Catch::Contains("calculated: ddp none"));
  CHECK_THAT(with("--seed=1"), !Catch::Contains("fits"));
  // Of gpt-tiny 64 blocks of 444,864 parameters are tried at most, beside 221,568 others.
  CHECK_THAT(
      run({"--describe", "--model=gpt-tiny", "--batch-global=32", "--device-memory-gb=16"}).out,
      Catch::Contains(": ddp model.layers at least 64 (28692864 parameters, ") &&
          Catch::Contains("; more than 64 layers are not tried\n"));
  // Half as many activations more on the second rank, which has to hold the model too.
  flags.back() = "--batch-per-device=4000";
  flags.emplace_back("--device-memory-gb=1.1");
  CHECK_THAT(with("--shares=equal"), Catch::Contains("calculated: ddp model.layers 2 ("));
  CHECK_THAT(with("--shares=1:3"), Catch::Contains("calculated: ddp model.layers 1 ("));
  // Emulated layers take no memory.
  flags.emplace_back("--declared-sample-ms=1");
  const std::string emulated = with("--compute=declared");
  CHECK_THAT(emulated, Catch::Contains("emulated: ") && !Catch::Contains("fits"));
}

// gpt-tiny of 4 blocks of width 256, as its ddp needs it at 128 samples; the estimates are those of
// --describe, which a training holds to the byte (train_facts_test.cc). On a GPU AdamW's two
// moments leave it: what a rank then pins are 4 numbers of 4 bytes of each parameter.
TEST_CASE("larger models fit with activations computed again, and with an optimizer offloaded",
          "[train]") {
  const auto fits = [](const std::string& backend) {
    return run({"--describe",
                "--model=gpt-tiny",
                "--optimizer=adamw",
                "--batch-per-device=2",
                "--backend=" + backend,
                "--device-memory-gb=0.2"})
        .out;
  };
  const auto layers_of = [](const std::string& out, const std::string& name) {
    const std::string words = " " + name + " model.layers ";
    const std::size_t at = out.find(words);
    return at == std::string::npos ? 0 : std::stoi(out.substr(at + words.size()));
  };
  const std::string cpu = fits("cpu");
  const std::string gpu = fits("cuda");

  CHECK(layers_of(cpu, "ddp") > 0);
  CHECK(layers_of(cpu, "ddp.checkpoint_every") > layers_of(cpu, "ddp"));
  CHECK_THAT(cpu, !Catch::Contains(".offload"));  // nothing is offloaded from CPU cores
  CHECK(layers_of(gpu, "ddp") == layers_of(cpu, "ddp"));
  CHECK(layers_of(gpu, "ddp.offload") > layers_of(gpu, "ddp"));
  CHECK(layers_of(gpu, "ddp.checkpoint_every.offload") > layers_of(gpu, "ddp.offload"));
  CHECK_THAT(gpu, Catch::Contains(" of the host's)"));
  // As many layers fit, and one more does not.
  const auto needs = [&](int layers) {
    const std::string out = run({"--describe",
                                 "--model=gpt-tiny",
                                 "--model-layers=" + std::to_string(layers),
                                 "--optimizer=adamw",
                                 "--batch-per-device=2"})
                                .out;
    return std::stod(out.substr(out.find("memory: ") + 8));  // MiB
  };
  constexpr double fits_mib = 0.2e9 / (1024.0 * 1024.0);
  CHECK(needs(layers_of(cpu, "ddp")) <= fits_mib);
  CHECK(needs(layers_of(cpu, "ddp") + 1) > fits_mib);
}

// Terabytes of a moment, a master copy and gradients, or of checkpoints.
TEST_CASE("ranks on GPUs that fill more than their host has are refused", "[train][slow]") {
  const auto refusal = [](std::vector<std::string> flags) {
    flags.insert(flags.begin(),
                 {SCALESTUDY_TEST_BIN "/scalestudy-train",
                  "--model=llama-7b",
                  "--model-width=32768",
                  "--model-heads=32",
                  "--backend=cuda",
                  "--batch-per-device=1"});
    const test::ProgramResult result = test::mpirun(1, flags);
    CHECK(result.exit_code == 79);
    return result.err;
  };

  const std::string pinned = refusal({"--offload=optimizer"});
  CHECK_THAT(pinned,
             Catch::Contains(" of the host's memory, of which they would pin 4.5 TiB; use fewer "
                             "ranks, or no offload; use fewer model.layers"));
  const std::string saved = refusal({"--save-every=1", "--save-dir=/dev/shm"});
  CHECK_THAT(saved, Catch::Contains(" of checkpoints in memory; use fewer model.layers"));
  CHECK_THAT(saved, !Catch::Contains("pin") && !Catch::Contains("offload"));
}

TEST_CASE("a run that needs more than the memory declared for a device is refused", "[train]") {
  const test::ProgramResult result =
      run({"--batch-per-device=1", "--model=mlp-6.9m", "--device-memory-gb=0.05"});

  CHECK(result.exit_code == 79);
  CHECK_THAT(result.err,
             Catch::Contains("; a device has 47.7 MiB (device_memory_gb); use a smaller"));
}

// Terabytes of activations.
TEST_CASE("a run that cannot fit ends as out of memory and says what it needs", "[train]") {
  const test::ProgramResult result = run({"--model=llama-7b", "--batch-per-device=64"});

  CHECK(result.exit_code == 79);
  CHECK_THAT(result.err, Catch::Contains("llama-7b at batch 64 needs"));
  CHECK_THAT(result.err, Catch::Contains("TiB a rank: parameters 25.1 GiB, gradients 25.1 GiB"));
}
