// What --write-start writes: the parameters and samples that a run with the same flags begins with.
#include <cstring>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "tests/workloads/probe_output.h"
#include "workloads/model/shape/zoo.h"
#include "workloads/train/input/records.h"
#include "workloads/train/input/samples.h"
#include "workloads/train/input/shuffle.h"
#include "workloads/train/input/tokens.h"

using namespace scalestudy;
using Catch::Contains;
using test::TemporaryFolder;

namespace {

test::ProgramResult write_start(const std::string& folder, std::vector<std::string> flags) {
  flags.insert(flags.begin(), {SCALESTUDY_TEST_BIN "/scalestudy-train", "--write-start", folder});
  return test::run_program(flags, test::mpirun_environment({}));
}

template <typename Value>
std::vector<Value> numbers_in(const std::string& path) {
  const std::string bytes = test::read_file(path);
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

// The parameters of a run on two ranks that learns nothing, without padding.
std::vector<float> parameters_of_run(const std::vector<std::string>& flags,
                                     const model::ModelSpec& spec) {
  const TemporaryFolder folder;
  std::vector<std::string> program = {
      SCALESTUDY_TEST_BIN "/../tests/training_probe", folder.file("probe"), spec.name, "0"};
  program.insert(program.end(), flags.begin(), flags.end());
  program.insert(program.end(), {"--learning-rate=0", "--measured-steps=1"});
  const test::ProgramResult result = test::mpirun(2, program);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const std::vector<double> flat = test::read_probes(folder.file("probe"), 2).at(1).parameters;
  std::vector<float> dense;
  std::size_t offset = 0;
  const auto shapes = model::tensor_shapes(spec);
  const auto padded = model::padded_shapes(spec);
  const auto taken = model::padded_elements(spec, sizeof(float));
  for (std::size_t tensor = 0; tensor < shapes.size(); ++tensor) {
    for (std::size_t i = 0; i < shapes[tensor].elements(); ++i) {
      const std::size_t row = i / shapes[tensor].columns;
      const std::size_t column = i % shapes[tensor].columns;
      dense.push_back(static_cast<float>(flat.at(offset + row * padded[tensor].columns + column)));
    }
    offset += taken[tensor];
  }
  return dense;
}

}  // namespace

// A vocabulary of 50 lies padded to 64 in a run's memory: as rows behind GPT's table, and in every
// row of LLaMA's output weights.
TEST_CASE("the parameters written are those that a run begins with", "[train]") {
  const std::string model = GENERATE("mlp-258k", "gpt-tiny", "llama-7b");
  CAPTURE(model);
  std::vector<std::string> flags = {"--model=" + model, "--batch-global=4", "--seed=7"};
  model::Overrides shape;
  if (model != "mlp-258k") {
    shape = {{"layers", 2}, {"width", 16}, {"heads", 2}, {"sequence", 6}, {"vocabulary", 50}};
    for (const auto& [name, value] : shape) {
      flags.push_back("--model-" + name + "=" + std::to_string(value));
    }
  }
  const model::ModelSpec spec = model::find_model(model, shape);
  const TemporaryFolder folder;

  const test::ProgramResult result = write_start(folder.file("start"), flags);

  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const std::string warning =
      "scalestudy: mlp-258k has dropout 0.2, which each program draws by itself, so that all "
      "losses differ; compare losses of a model without, such as mlp-4096\n";
  CHECK((result.err.find(warning) != std::string::npos) == (model == "mlp-258k"));
  CHECK((result.err.find("dropout") != std::string::npos) == (model == "mlp-258k"));
  const auto written = numbers_in<float>(folder.file("start/parameters.f32"));
  CHECK(written.size() == model::parameter_count(spec));
  CHECK(written == parameters_of_run(flags, spec));
  using Flags = std::vector<std::string>;
  for (const Flags& other : {Flags{"--devices=2", "--strategy=fsdp"},
                             Flags{"--devices=2", "--strategy=pipeline", "--accumulation-steps=2"},
                             Flags{"--backend=cuda", "--precision=bf16"}}) {
    CAPTURE(other);
    Flags all = flags;
    all.insert(all.end(), other.begin(), other.end());
    REQUIRE(write_start(folder.file("other"), all).exit_code == 0);
    CHECK(numbers_in<float>(folder.file("other/parameters.f32")) == written);
  }
}

// Sample i of batch b is number b * batch_global + i of the synthetic ones (dataset.h); 12 of 4 a
// step are 3 batches. Half of the labels are another class.
TEST_CASE("the samples written are those of all ranks in the order of steps", "[train]") {
  const TemporaryFolder folder;
  const std::vector<std::string> common = {
      "--devices=2", "--batch-per-device=2", "--train-samples=12", "--seed=7"};
  std::vector<std::string> values = common;
  values.insert(values.end(), {"--model=mlp-258k", "--label-noise=50"});
  std::vector<std::string> tokens = common;
  tokens.insert(tokens.end(), {"--model=gpt-tiny", "--model-layers=1"});

  REQUIRE(write_start(folder.file("values"), values).exit_code == 0);
  REQUIRE(write_start(folder.file("tokens"), tokens).exit_code == 0);
  CHECK(test::read_file(folder.file("values/batch_global")) == "4\n");

  std::vector<float> inputs(12 * 799);
  std::vector<std::int32_t> labels;
  std::vector<std::int32_t> sequences;
  std::vector<std::int32_t> successors;
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::uint32_t of_class =
        train::add_class_sample(std::span(inputs).subspan(i * 799, 799), 192, 7, i);
    labels.push_back(static_cast<std::int32_t>(train::noisy_label(of_class, 192, 0.5, 7, i)));
    std::vector<std::int32_t> sequence(129);
    train::fill_sequence(sequence, 1024, 7, i);
    sequences.insert(sequences.end(), sequence.begin(), sequence.end() - 1);
    successors.insert(successors.end(), sequence.begin() + 1, sequence.end());
  }
  CHECK(numbers_in<float>(folder.file("values/inputs.f32")) == inputs);
  CHECK(numbers_in<std::int32_t>(folder.file("values/labels.i32")) == labels);
  CHECK(numbers_in<std::int32_t>(folder.file("tokens/inputs.i32")) == sequences);
  CHECK(numbers_in<std::int32_t>(folder.file("tokens/labels.i32")) == successors);
}

// Of a file of 10 samples an epoch has 2 steps of 4, and the next one another order.
TEST_CASE("of data in a file a batch is written for each step, as it is read", "[train]") {
  const TemporaryFolder folder;

  const test::ProgramResult result = write_start(folder.file("start"),
                                                 {"--devices=2",
                                                  "--batch-global=4",
                                                  "--model=gpt-tiny",
                                                  "--model-layers=1",
                                                  "--data=file",
                                                  "--data-samples=10",
                                                  "--data-prefetch=2",
                                                  "--warmup-steps=1",
                                                  "--measured-steps=2",
                                                  "--seed=7"});

  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<std::int32_t> sequences;
  for (std::uint64_t step = 0; step < 3; ++step) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      std::vector<std::int32_t> sequence(129);
      const std::uint64_t sample = train::shuffled(step % 2 * 4 + i, 10, 7, step / 2);
      train::fill_sequence(sequence, 1024, 7, static_cast<std::uint32_t>(sample));
      sequences.insert(sequences.end(), sequence.begin(), sequence.end() - 1);
    }
  }
  CHECK(numbers_in<std::int32_t>(folder.file("start/inputs.i32")) == sequences);
}

TEST_CASE("with vary_seed each block begins with another seed", "[train]") {
  const TemporaryFolder folder;
  const auto bytes_of = [&](const std::string& name, const std::string& block, int seed) {
    const test::ProgramResult result =
        test::run_program({SCALESTUDY_TEST_BIN "/scalestudy-train",
                           "--write-start",
                           folder.file(name),
                           "--batch-global=2",
                           "--seed=" + std::to_string(seed),
                           "--vary-seed=true"},
                          test::mpirun_environment({"SCALESTUDY_BLOCK=" + block}));
    REQUIRE(result.exit_code == 0);
    return test::read_file(folder.file(name + "/parameters.f32")) +
           test::read_file(folder.file(name + "/inputs.f32"));
  };
  const std::string third = bytes_of("third", "2", 1);

  CHECK(third == bytes_of("same", "0", 3));
  CHECK(third != bytes_of("other", "0", 1));
}

TEST_CASE("what has no such start is refused, and a folder that cannot be written to is named",
          "[train]") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& where) {
    std::vector<std::string> all = {"--batch-global=2"};
    all.insert(all.end(), flags.begin(), flags.end());
    const test::ProgramResult result = write_start(where, all);
    return std::to_string(result.exit_code) + " " + result.err;
  };

  CHECK_THAT(refused({"--loss=mse"}, folder.file("a")), Contains("2 ") && Contains("loss mse"));
  CHECK_THAT(refused({"--compute=declared", "--declared-step-ms=1"}, folder.file("a")),
             Contains("compute declared"));
  CHECK_THAT(refused({}, "/proc/start"), Contains("1 ") && Contains("/proc/start/parameters.f32"));
  CHECK_THAT(test::mpirun(2,
                          {SCALESTUDY_TEST_BIN "/scalestudy-train",
                           "--write-start",
                           folder.file("a"),
                           "--devices=2",
                           "--batch-global=2"})
                 .err,
             Contains("--write-start is for one process"));
}
