// scalestudy-train from outside.
#include <algorithm>
#include <csignal>
#include <optional>

#include "tests/support/catch.h"
#include "tests/workloads/trial.h"
#include "workloads/ops/cpu/cpu_library.h"
#include "workloads/protocol/exit_codes.h"

using namespace scalestudy;
using test::children_of;
using test::events_of;
using test::eventually;
using test::run_trial;
using test::Trial;
using test::values_of;

namespace {

const std::string kProgram = test::train_program();

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A zombie has ended: whoever inherited it may not have collected it yet.
bool is_running(pid_t process) {
  const std::string status = test::read_file("/proc/" + std::to_string(process) + "/status");
  return !status.empty() && !contains(status, "State:\tZ");
}

}  // namespace

TEST_CASE("a trial of two ranks writes a record without problems", "[train]") {
  const Trial trial = run_trial(2, R"({"devices": 2, "batch_global": 64, "warmup_steps": 2,
                                       "measured_steps": 4})");

  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  CHECK(trial.record.problems.empty());
  CHECK(trial.record.unknown.empty());
  CHECK(trial.result.out.empty());
  REQUIRE(!trial.record.events.empty());
  CHECK(std::holds_alternative<protocol::Start>(trial.record.events.front()));
  const auto start = events_of<protocol::Start>(trial.record);
  REQUIRE(start.size() == 1);
  CHECK(start[0].ranks == 2);
  CHECK(start[0].parameters.at("batch_per_device") == "32");
  CHECK(start[0].facts.at("parameter_count") == 258432.0);
  CHECK(start[0].facts.at("gradient_bytes") == 4.0 * 258432.0);
  CHECK(start[0].facts.at("bucket_count") == 1.0);
  CHECK(start[0].versions.contains("onednn"));
  std::vector<std::string> phases;
  for (const auto& phase : events_of<protocol::Phase>(trial.record)) {
    phases.push_back(phase.name);
  }
  CHECK(phases == std::vector<std::string>{"warmup", "measure", "teardown"});
  const auto end = events_of<protocol::End>(trial.record);
  REQUIRE(end.size() == 1);
  CHECK(end[0].ok);
}

// Losses are means over 2 x 64 predictions of activations that bf16 rounds to 8 bits. Parameters
// and activations take half the memory; the master parameters and AdamW's state do not.
TEST_CASE("a transformer trains in bf16 on cores that have it as it does in fp32", "[train]") {
  const auto train = [](const std::string& precision) {
    return run_trial(2,
                     R"({"model": "gpt-tiny", "batch_per_device": 2, "optimizer": "adamw",
                         "warmup_steps": 1, "measured_steps": 15, "precision": ")" +
                         precision + R"(", "comm_dtype": ")" + precision + R"("})",
                     {"DNNL_MAX_CPU_ISA=ALL"});
  };
  const Trial trial = train("bf16");
  INFO(trial.result.err);
  if (!ops::has_bf16_products()) {
    CHECK(trial.result.exit_code == protocol::kExitUnsupported);
    return;
  }
  REQUIRE(trial.result.exit_code == 0);
  CHECK(trial.record.problems.empty());
  const auto start = events_of<protocol::Start>(trial.record).at(0);
  CHECK(contains(start.versions.at("algorithms"), "matmul: brg:avx512_core_bf16"));
  CHECK(contains(start.versions.at("algorithms"), "attention: "));
  CHECK(start.facts.at("gradient_bytes") == 2.0 * start.facts.at("parameter_count"));
  CHECK_FALSE(start.facts.contains("software_type"));  // gradients are of that type already

  const Trial single = train("fp32");
  REQUIRE(single.result.exit_code == 0);
  const auto other = events_of<protocol::Start>(single.record).at(0);
  CHECK(start.facts.at("memory_parameters_bytes") ==
        0.5 * other.facts.at("memory_parameters_bytes"));
  CHECK(start.facts.at("memory_activations_bytes") <
        0.6 * other.facts.at("memory_activations_bytes"));
  const auto found = values_of(events_of<protocol::Samples>(trial.record), "loss", std::nullopt);
  const auto expected =
      values_of(events_of<protocol::Samples>(single.record), "loss", std::nullopt);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == Approx(expected[i]).epsilon(0.01));
  }
}

TEST_CASE("cores that do not multiply bf16 are told, and nothing is emulated", "[train]") {
  const Trial trial = run_trial(1,
                                R"({"batch_per_device": 8, "measured_steps": 2,
                                    "precision": "bf16"})",
                                {"DNNL_MAX_CPU_ISA=AVX512_CORE"});

  CHECK(trial.result.exit_code == protocol::kExitUnsupported);
  CHECK(contains(trial.result.err, "precision bf16 needs cores that multiply it"));
  CHECK(contains(trial.result.err, "use fp32"));
}

// What is in no phase is the rest by definition. On a machine that does other things some steps are
// interrupted between phases; the best one is not.
TEST_CASE("the phases that are timed explain a step", "[train]") {
  const Trial trial =
      run_trial(2, R"({"batch_per_device": 256, "warmup_steps": 1, "measured_steps": 20})");
  REQUIRE(trial.result.exit_code == 0);
  const auto all = events_of<protocol::Samples>(trial.record);

  for (const int rank : {0, 1}) {
    const std::vector<double>& steps = values_of(all, "step_time_s", rank);
    const std::vector<double>& other = values_of(all, "other_time_s", rank);
    double least = 1.0;
    for (std::size_t i = 1; i < steps.size(); ++i) {
      CHECK(other[i] > -1e-9);
      least = std::min(least, other[i] / steps[i]);
    }
    CHECK(least <= 0.02);
  }
}

TEST_CASE("phases of every step and rank add up to the step", "[train]") {
  const Trial trial = run_trial(2, R"({"batch_per_device": 16, "overlap": "poll", "bucket_mb": 0.1,
                       "first_bucket_mb": 0.1, "warmup_steps": 1, "measured_steps": 5})");
  REQUIRE(trial.result.exit_code == 0);
  const auto all = events_of<protocol::Samples>(trial.record);

  for (const auto rank : {std::optional<int>{}, std::optional<int>{0}, std::optional<int>{1}}) {
    std::vector<double> sum(6, 0.0);
    for (const auto* phase : {"data_time_s",
                              "forward_time_s",
                              "backward_time_s",
                              "exposed_communication_time_s",
                              "optimizer_time_s",
                              "other_time_s"}) {
      const std::vector<double>& values = values_of(all, phase, rank);
      REQUIRE(values.size() == 6);
      for (std::size_t i = 0; i < 6; ++i) {
        sum[i] += values[i];
      }
    }
    const std::vector<double>& steps = values_of(all, "step_time_s", rank);
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(sum[i] == Approx(steps[i]).epsilon(1e-9));
    }
  }
  const std::vector<double>& over = values_of(all, "step_time_s", std::nullopt);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(over[i] ==
          std::max(values_of(all, "step_time_s", 0)[i], values_of(all, "step_time_s", 1)[i]));
  }
}

TEST_CASE("replicas are checked, except where nothing is exchanged", "[train]") {
  const auto names = [](const Trial& trial) {
    std::vector<std::string> found;
    for (const auto& check : events_of<protocol::Check>(trial.record)) {
      found.push_back(check.name + (check.passed ? "" : " failed"));
    }
    return found;
  };
  const std::string steps = R"("batch_per_device": 16, "warmup_steps": 0, "measured_steps": 3})";

  const auto talking = names(run_trial(2, "{" + steps));
  const auto silent = names(run_trial(2, R"({"comm": "noop", )" + steps));
  const auto waiting = names(run_trial(2, R"({"payload": "element", )" + steps));

  CHECK(std::count(talking.begin(), talking.end(), "replicas_equal") == 1);
  CHECK(std::count(talking.begin(), talking.end(), "loss_finite") == 1);
  for (const auto& apart : {silent, waiting}) {
    CHECK(std::none_of(apart.begin(), apart.end(), [](const std::string& name) {
      return contains(name, "replicas_equal");
    }));
  }
}

TEST_CASE("a run by hand with flags prints a summary", "[train]") {
  const test::ProgramResult result = test::mpirun(
      1, {kProgram, "--batch-per-device", "16", "--warmup-steps=1", "--measured-steps=3"});

  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "This launch only, 3 measured steps"));
  CHECK(contains(result.out, "samples/s"));
  CHECK(contains(result.out, "exposed_communication_time_s"));
  CHECK(contains(result.out, "loss_finite: passed"));
}

TEST_CASE("help needs no MPI and exits 0", "[train]") {
  const test::ProgramResult result = test::run_program({kProgram, "--help"});

  CHECK(result.exit_code == 0);
  CHECK(contains(result.out, "--batch-per-device"));
}

TEST_CASE("bad parameters exit 2 and rank 0 alone says why", "[train]") {
  const Trial trial = run_trial(2, R"({"batch_global": 7})");

  CHECK(trial.result.exit_code == 2);
  CHECK(contains(trial.result.err, "batch_global is 7, which 2 ranks cannot share evenly"));
  CHECK_FALSE(contains(trial.result.err, "rank 1 on"));
  const auto end = events_of<protocol::End>(trial.record);
  REQUIRE(end.size() == 1);
  CHECK_FALSE(end[0].ok);
  CHECK(contains(end[0].message, "cannot share"));
}

TEST_CASE("devices must be the number of ranks", "[train]") {
  const Trial trial = run_trial(1, R"({"devices": 2, "batch_global": 8})");

  CHECK(trial.result.exit_code == 2);
  CHECK(contains(trial.result.err, "mpirun -n 2"));
}

TEST_CASE("parameters that are not JSON exit 2", "[train]") {
  CHECK(run_trial(1, "{batch").result.exit_code == 2);
}

TEST_CASE("an environment that says otherwise than the parameters is refused", "[train]") {
  const auto [parameters, variable] = GENERATE(table<std::string, std::string>({
      {R"("precision": "tf32")", "NVIDIA_TF32_OVERRIDE=0"},
      {R"("deterministic": true)", "CUBLAS_WORKSPACE_CONFIG=:4096:9"},
      {R"("deterministic": true)", "NCCL_ALGO=Tree"},
  }));
  const std::string start = R"(SCALESTUDY_PARAMETERS={"backend": "cuda", "batch_global": 8, )";

  const auto result =
      test::mpirun(1, {test::train_program()}, {start + parameters + "}", variable});

  CHECK(result.exit_code == 2);
  CHECK(contains(result.err, "leave one of the two out"));
}

// From the begin of its first step to the end of its last: two steps of 15 ms, queued.
TEST_CASE("the measured phase ends once the steps in a device's queue have ended", "[train]") {
  const test::TemporaryFolder folder;
  const auto result = test::mpirun(
      1,
      {SCALESTUDY_TEST_BIN "/../tests/window_probe"},
      {R"(SCALESTUDY_PARAMETERS={"batch_global": 1, "warmup_steps": 0, "measured_steps": 2})",
       "SCALESTUDY_OUTPUT=" + folder.file("trial.jsonl"),
       "PROBE_QUEUE=0.5"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto facts =
      events_of<protocol::End>(protocol::read_record(folder.file("trial.jsonl"))).at(0).facts;
  CHECK(facts.at("measured_until_s") - facts.at("measured_from_s") > 0.5);
}

TEST_CASE("two threads compute the same, whatever OpenMP's variables say of their number",
          "[train]") {
  const auto losses = [](const std::string& variable) {
    return values_of(events_of<protocol::Samples>(
                         test::run_sound(1,
                                         R"("model": "gpt-tiny", "model.layers": 1, "threads": 2,
                                            "batch_global": 2, "warmup_steps": 0,
                                            "measured_steps": 2)",
                                         {variable})
                             .record),
                     "loss");
  };
  const std::vector<double> usual = losses("OMP_NUM_THREADS=2");
  for (const char* variable :
       {"OMP_DYNAMIC=true", "OMP_MAX_ACTIVE_LEVELS=0", "OMP_NUM_THREADS=1"}) {
    INFO(variable);
    CHECK(losses(variable) == usual);
  }
  const Trial limited =
      run_trial(1, R"({"threads": 2, "batch_global": 2})", {"OMP_THREAD_LIMIT=1"});
  CHECK(test::failure_of(limited, protocol::kExitUsage) ==
        "threads is 2, but OMP_THREAD_LIMIT allows 1; leave one of the two out");
}

TEST_CASE("the cuda backend is reported as unsupported", "[train]") {
  const Trial trial = run_trial(1, R"({"backend": "cuda", "comm": "nccl", "batch_global": 8})");

  CHECK(trial.result.exit_code == 77);
  CHECK(contains(trial.result.err, "use backend cpu"));
}

// check_record() of workloads/parameters/combinations.cc goes by these numbers.
TEST_CASE("a record has 15 values of a step and 10 of each rank at most, in light timing 3 and 1",
          "[train]") {
  const auto values_of_a_step = [](const std::string& timing) {
    std::size_t count = 0;
    for (const protocol::Samples& samples : events_of<protocol::Samples>(
             test::run_sound(2,
                             R"("devices": 2, "batch_global": 2, "warmup_steps": 0,
                                "measured_steps": 3, "overlap": "thread",
                                "bucket_mb": 0.1, "first_bucket_mb": 0.1, "timing": ")" +
                                 timing + R"(", "device_peak_flops": 1e9)")
                 .record)) {
      count += samples.values.size() == 3 ? 1 : 0;
    }
    return count;
  };
  CHECK(values_of_a_step("full") == 15 + 2 * 10);
  CHECK(values_of_a_step("light") == 3 + 2);
}

TEST_CASE("a batch that fits in no memory exits 79", "[train]") {
  // AddressSanitizer stops the program at such a request unless told to refuse it as malloc does.
  const test::ProgramResult result =
      test::mpirun(1,
                   {kProgram, "--batch-global=1000000000"},
                   {"ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1"});

  CHECK(result.exit_code == 79);
  CHECK(contains(result.err, "; use a smaller batch or more accumulation_steps"));
}

TEST_CASE("a model that fits in no memory says what would be less", "[train]") {
  const auto advice = [](const std::string& parameters) {
    const std::string message =
        test::failure_of(run_trial(1, "{\"device_memory_gb\": 0.0001, " + parameters + "}"), 79);
    return message.substr(message.rfind("; use ") + 2);
  };

  CHECK(advice(R"("model": "lstm-332k", "batch_global": 1)") == "use a smaller model");
  CHECK(advice(R"("model": "lstm-332k", "batch_global": 2, "accumulation_steps": 2)") ==
        "use a smaller batch");
  CHECK(advice(R"("model": "gpt-tiny", "batch_global": 1)") == "use fewer model.layers");
  CHECK(advice(R"("model": "gpt-tiny", "batch_global": 4)") ==
        "use a smaller batch, more accumulation_steps or fewer model.layers");
  CHECK(advice(R"("model": "gpt-tiny", "model.layers": 2, "model.width": 32, "model.heads": 2,
                  "batch_global": 1)") == "use fewer model.layers");
  for (const char* model : {"gpt-tiny", "mlp-4096", "resnet50-cifar"}) {
    CAPTURE(model);
    CHECK(advice("\"model\": \"" + std::string(model) +
                 R"(", "model.layers": 1, "batch_global": 1)") == "use a smaller model");
  }
}

// One of two ranks cannot open what the other can: the whole run must end, long before its steps.
TEST_CASE("a failing rank takes the run down", "[train]") {
  const test::ProgramResult result =
      test::mpirun(2,
                   {kProgram, "--batch-global=8", "--measured-steps=500000"},
                   {"SCALESTUDY_OUTPUT=/nonexistent/trial.jsonl"});

  CHECK(result.exit_code == 1);
  CHECK(contains(result.err, "rank 0 on"));
}

TEST_CASE("no rank outlives a killed mpirun", "[train]") {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  const std::vector<std::string> argv = test::mpirun_command(
      2, {kProgram, "--batch-global=8", "--warmup-steps=0", "--measured-steps=500000"});
  const pid_t launcher =
      test::start_program(argv,
                          test::mpirun_environment({"SCALESTUDY_OUTPUT=" + output}),
                          "/dev/null",
                          folder.path() / "out",
                          folder.path() / "err");
  // The record begins once both ranks train.
  const bool has_begun = eventually([&] { return contains(test::read_file(output), "measure"); });
  const std::vector<pid_t> ranks = children_of(launcher);

  kill(launcher, SIGKILL);
  test::wait_for(launcher);

  CHECK(has_begun);
  CHECK(ranks.size() == 2);
  CHECK(eventually([&] {
    return std::none_of(ranks.begin(), ranks.end(), [](pid_t rank) { return is_running(rank); });
  }));
}
