// Black box: rates that a command prints are recomputed from the time of its steps.
#include <string>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using Catch::Contains;
using scalestudy::test::query_csv;
using scalestudy::test::report_of;
using scalestudy::test::Workspace;
using scalestudy::test::write_file;

namespace {

// Prints steps of 50 ms, each 0.1 % more or less, and what 8 devices make of 16 x 1024 tokens and a
// model of a million parameters: 6 FLOP a parameter and token, a peak of 1 TFLOP/s a device.
constexpr const char* kProgram = R"awk(
BEGIN {
  for (i = 0; i < 32; ++i) {
    t = 0.05 * (1 + 0.001 * sin(i * i));
    total = 16 * 1024 / t;
    flops = 6e6 * total;
    printf "step %d; time %.6f; ", i, t;
    printf "total %.0f; ", total * (prints == "one" ? 1 / 8 : prints == "1024" ? 1 / 1.024 : 1);
    printf "each %.1f; ", total / 8 * (prints == "all" ? 8 : prints == "wrong" ? 1.3 : 1);
    printf "flops %.4f; ", flops / 8 / 1e12 * (prints == "all" ? 8 : 1);
    printf "mfu %.2f; ", 100 * flops / 8e12 * (prints == "sparse" ? 0.5 : prints == "dense" ? 2 : 1);
    printf "iter %.6f; ", t * (prints == "wrong" ? 2 : 1);
    printf "images %.2f\n", 16 / t;
  }
}
)awk";

std::string study_of(const std::string& program, const std::string& values) {
  return "version: 1\nstudy: demo\nworkload: command\n"
         "command: [env, LC_ALL=C, awk, -v, \"prints={prints}\", -f, \"" +
         program +
         "\"]\n"
         "extract:\n"
         "  - {metric: step_time_s, unit: s, regex: 'time ([0-9.]+)'}\n"
         "  - {metric: tokens_per_s, unit: tokens/s, regex: 'total ([0-9.]+)'}\n"
         "  - {metric: tokens_per_device_s, unit: tokens/s, regex: 'each ([0-9.]+)'}\n"
         "  - {metric: tflops_per_gpu, unit: TFLOP/s, regex: 'flops ([0-9.]+)'}\n"
         "  - {metric: mfu, unit: \"%\", regex: 'mfu ([0-9.]+)'}\n"
         "  - {metric: iter_time_s, unit: s, regex: 'iter ([0-9.]+)'}\n"
         "  - {metric: images_per_s, unit: img/s, regex: 'images ([0-9.]+)'}\n"
         "steps: {warmup: 2, measured: 30}\n"
         "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n" +
         values;
}

constexpr const char* kVerdicts =
    "SELECT axes ->> 'prints' AS prints, metric, recomputed_verdict AS verdict FROM metrics "
    "WHERE recomputed_verdict IS NOT NULL AND recomputed_verdict <> 'follows' ORDER BY 1, 2";

TEST_CASE("each mistake in a rate that a command prints is called by its name", "[cli]") {
  const Workspace workspace("");
  write_file(workspace.file("print.awk"), kProgram);
  write_file(workspace.study(),
             study_of(workspace.file("print.awk"),
                      "parameters: {devices: 8, batch_global: 16, sequence_length: 1024, "
                      "parameters: 1000000, device_peak_flops: 1.0e+12}\n"
                      "axes: {prints: [right, one, all, \"1024\", sparse, dense, wrong]}\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string report = report_of(workspace);

  CHECK(query_csv(workspace, kVerdicts) ==
        "prints,metric,verdict\n"
        "1024,tokens_per_s,counts x1024\n"
        "all,tflops_per_gpu,\"total, not per device\"\n"
        "all,tokens_per_device_s,\"total, not per device\"\n"
        "dense,mfu,dense peak\n"
        "one,tokens_per_s,\"per device, not total\"\n"
        "sparse,mfu,sparse peak\n"
        "wrong,iter_time_s,does not follow\n"
        "wrong,tokens_per_device_s,does not follow\n");
  // Seven cells with six rates.
  CHECK(query_csv(workspace,
                  "SELECT count(*) AS n FROM metrics WHERE recomputed_verdict = 'follows'") ==
        "n\n34\n");
  CHECK_THAT(report, Contains("## Printed rates"));
  CHECK_THAT(report, Contains("per device, not total"));
  CHECK_THAT(report, Contains("The program prints tokens_per_device_s of 327,700 tokens/s at"));
  CHECK_THAT(report, Contains("It is the rate of all devices, not of one."));
}

TEST_CASE("a declared global batch is not multiplied by the accumulated passes", "[cli]") {
  const Workspace workspace("");
  write_file(workspace.file("print.awk"), kProgram);
  write_file(workspace.study(),
             study_of(workspace.file("print.awk"),
                      "parameters: {devices: 2, batch_global: 4, gradient_accumulation: 4, "
                      "sequence_length: 1024}\naxes: {prints: [right]}\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);

  CHECK(query_csv(workspace,
                  "SELECT recomputed_verdict AS verdict FROM metrics "
                  "WHERE metric = 'tokens_per_s' AND recomputed_verdict IS NOT NULL") ==
        "verdict\ndoes not follow\n");
}

TEST_CASE("a rate that lacks a declared number says which", "[cli]") {
  const Workspace workspace("");
  write_file(workspace.file("print.awk"), kProgram);
  write_file(workspace.study(),
             study_of(workspace.file("print.awk"),
                      "parameters: {devices: 8, batch_global: 16}\naxes: {prints: [right]}\n"));
  REQUIRE(workspace.run({"run", workspace.study()}).exit_code == 0);
  const std::string report = report_of(workspace);

  CHECK(
      query_csv(workspace,
                "SELECT metric, recomputed_verdict AS verdict, recomputed_from FROM metrics "
                "WHERE recomputed_verdict IS NOT NULL ORDER BY 1") ==
      "metric,verdict,recomputed_from\n"
      "images_per_s,follows,batch_global / step_time\n"
      "iter_time_s,follows,step_time\n"
      "mfu,cannot be checked,\"flop_per_step / (step_time * devices * peak_flop_rate): declare "
      "parameters, sequence_length, device_peak_flops\"\n"
      "tflops_per_gpu,cannot be checked,\"flop_per_step / step_time / devices: declare parameters, "
      "sequence_length\"\n"
      "tokens_per_device_s,cannot be checked,batch_per_device * sequence_length / step_time: "
      "declare sequence_length\n"
      "tokens_per_s,cannot be checked,batch_global * sequence_length / step_time: "
      "declare sequence_length\n");
  CHECK_THAT(report, !Contains("The program prints"));  // no warning: nothing is wrong
}

}  // namespace
