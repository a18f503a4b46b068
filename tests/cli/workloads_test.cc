// Studies of the built-in workloads from the file to the report, with real programs under mpirun.
#include <filesystem>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using namespace scalestudy;
using test::ProgramResult;
using test::query_row;
using test::Workspace;

namespace {

constexpr const char* kCollective =
    "version: 1\n"
    "study: messages\n"
    "workload: collective\n"
    "parameters: {operation: all_gather, devices: 2, operations_per_step: 3}\n"
    "axes: {mode: [back_to_back, isolated], message_bytes: [8, 64KiB]}\n"
    "steps: {warmup: 1, measured: 4}\n"
    "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
    "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
    "analysis:\n"
    "  baseline: {mode: isolated}\n"
    "report: {template: collective}\n";

// 4 h (h + 66) + 10 h + 10 parameters: 1170 at h = 4, 2458 at 8.
constexpr const char* kSizes =
    "version: 1\n"
    "study: sizes\n"
    "workload: train\n"
    "parameters: {model: lstm-332k, model.sequence: 4, batch_global: 4}\n"
    "axes: {devices: [1, 2], model.width: [4, 8]}\n"
    "steps: {warmup: 1, measured: 4}\n"
    "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
    "controls: [noop]\n"
    "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
    "analysis:\n"
    "  baseline: {devices: 1}\n"
    "  thresholds: [{metric: speedup, along: parameter_count}]\n";

// Buckets of 0.05 MiB: four, so that there is something to overlap.
constexpr const char* kControls =
    "version: 1\n"
    "study: controls\n"
    "workload: train\n"
    "parameters: {model: mlp-258k, batch_global: 16, bucket_mb: 0.05, first_bucket_mb: 0.05, "
    "devices: 2}\n"
    "axes: {overlap: [none, poll, thread]}\n"
    "steps: {warmup: 1, measured: 10}\n"
    "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
    "controls: [noop, barrier, start_wait]\n"
    "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
    "analysis:\n"
    "  baseline: {overlap: none}\n";

// A model of sequences of 8 tokens.
constexpr const char* kTokens =
    "version: 1\n"
    "study: tokens\n"
    "workload: train\n"
    "parameters: {model: gpt-tiny, model.layers: 1, model.width: 8, model.heads: 2, "
    "model.sequence: 8, model.vocabulary: 16, batch_global: 4}\n"
    "axes: {devices: [1, 2]}\n"
    "steps: {warmup: 1, measured: 4}\n"
    "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 3}\n"
    "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
    "analysis:\n"
    "  targets: [{name: fast, metric: tokens_per_second, where: {devices: 1}, at_least: 0.1}]\n";

// The same batch on one and two devices, and eight times the batch at the same learning rate, with
// an eighth of the steps.
constexpr const char* kAccuracy =
    "version: 1\n"
    "study: neutral\n"
    "workload: train\n"
    "parameters: {model: lstm-332k, model.sequence: 4, model.width: 16, optimizer: adamw, "
    "learning_rate: 0.005, vary_seed: true, label_noise: 10%, train_samples: 2048, "
    "held_out_samples: 2048, epochs: 2, evaluate: epochs}\n"
    "zip: [{devices: 1, batch_global: 32}, {devices: 2, batch_global: 32}, "
    "{devices: 2, batch_global: 256}]\n"
    "steps: {warmup: 1, measured: rest}\n"
    "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 5}\n"
    "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
    "analysis:\n"
    "  baseline: {devices: 1, batch_global: 32}\n"
    "  margin: 2%\n"
    "  metrics: [{metric: accuracy, better: higher}]\n"
    "  time_to: [{metric: accuracy, at_least: 1%}, {metric: held_out_loss, at_most: 0.001}]\n";

struct Outcome {
  std::string plan;
  std::string report;  // report.md
};

// plan, run and report, each of which must succeed.
Outcome follow(const Workspace& workspace, const std::string& name) {
  const ProgramResult plan = workspace.run({"plan", workspace.study()});
  INFO(plan.err);
  REQUIRE(plan.exit_code == 0);
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const ProgramResult report = workspace.run({"report", name, "--full"});
  INFO(report.err);
  REQUIRE(report.exit_code == 0);
  return {plan.out + plan.err,
          test::read_file(workspace.results() + "/reports/" + name + "/report.md")};
}

bool has_file(const Workspace& workspace, const std::string& path) {
  return !test::read_file(workspace.results() + "/reports/" + path).empty();
}

// The only number that a query answers with.
std::string count(const Workspace& workspace, const std::string& sql) {
  return query_row(workspace, "SELECT count(*) AS n FROM " + sql);
}

}  // namespace

TEST_CASE("a study of a collective goes from its file to a report of bandwidths", "[cli]") {
  const Workspace workspace(kCollective);

  const Outcome outcome = follow(workspace, "messages");

  CHECK_THAT(outcome.plan, Contains("64 KiB, mode isolated"));
  CHECK(count(workspace, "trials WHERE state = 'ok'") == "8\n");
  // Each rank sends half of the message: the bus carries half of what is gathered.
  CHECK(
      count(workspace,
            "estimate AS bus JOIN estimate AS alg USING (cell_id, statistic, variant) WHERE "
            "bus.metric = 'busbw_bytes_per_s' AND alg.metric = 'algbw_bytes_per_s' AND "
            "bus.variant = 'all' AND alg.value > 0 AND abs(bus.value / alg.value - 0.5) < 1e-9") ==
      "4\n");
  CHECK_THAT(outcome.report, Contains("## Time and bandwidth"));
  CHECK_THAT(outcome.report, Contains("| 64 KiB | mode back_to_back |"));
  CHECK_THAT(outcome.report, Contains("| 8 B | mode isolated |"));
  CHECK_THAT(outcome.report,
             Contains("![") && !Contains("figures/speedup") && !Contains("Efficiency") &&
                 !Contains("MFU"));
  CHECK(has_file(workspace, "messages/figures/message.svg"));
  CHECK(has_file(workspace, "messages/figures/message_2.svg"));
  CHECK_FALSE(has_file(workspace, "messages/figures/speedup.svg"));
}

TEST_CASE("plan knows that a time adds 10,000 steps at most", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: tiny\nworkload: train\n"
      "parameters: {model: lstm-332k, model.sequence: 2, model.width: 4, batch_global: 1}\n"
      "axes: {devices: [1]}\nsteps: {warmup: 1, measured: 4, measured_time: 1h}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n");
  const ProgramResult run = workspace.run({"run", workspace.study()});
  INFO(run.err);
  REQUIRE(run.exit_code == 0);

  const ProgramResult plan = workspace.run({"plan", workspace.study(), "--format", "json"});

  // As long as the trials that were run: no hours.
  CHECK_THAT(plan.err, Contains("from earlier trials of 1 of 1") && !Contains("about 2 h"));
  CHECK_THAT(plan.out, Contains("\"cv\": 0"));
}

TEST_CASE("plan warns of a cell that is larger than the memory", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: large\nworkload: train\n"
      "parameters: {model: llama-13b, optimizer: adamw, batch_global: 1024}\naxes: {devices: [1, "
      "2]}\n");

  const ProgramResult plan = workspace.run({"plan", workspace.study()});

  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.err, Contains("warning: memory: at most") && Contains("will end as oom"));
}

TEST_CASE("a model of sequences has its tokens a second as column, figure and target",
          "[cli][mpi]") {
  const Workspace workspace(kTokens);
  const Outcome outcome = follow(workspace, "tokens");

  CHECK_THAT(outcome.report, Contains("| Tokens (tokens/s) |"));
  CHECK_THAT(outcome.report, Contains("(figures/tokens-per-second.svg)"));
  CHECK_THAT(outcome.report, Contains("wanted at least 0.1 tokens/s"));
  const ProgramResult ratio = workspace.run(
      {"query",
       "SELECT printf('%.9f', tokens.value / rate.value) FROM estimate AS tokens JOIN estimate AS "
       "rate ON rate.cell_id = tokens.cell_id AND rate.variant = tokens.variant AND rate.metric = "
       "'throughput' WHERE tokens.metric = 'tokens_per_second' GROUP BY 1",
       "--format",
       "csv"});
  CHECK_THAT(ratio.out, Contains("\n8.000000000\n"));
}

TEST_CASE("a study of a recurrent network's size reports a break-even in parameters",
          "[cli][slow]") {
  const Workspace workspace(kSizes);

  const Outcome outcome = follow(workspace, "sizes");

  CHECK_THAT(outcome.plan, Contains("2 devices, model.width=8, control noop"));
  CHECK_THAT(outcome.plan, Contains("memory: at most ") && Contains(" KiB, 2 ranks of "));
  CHECK(count(workspace, "trials WHERE state = 'ok'") == "12\n");
  CHECK(count(workspace,
              "estimate WHERE metric = 'parameter_count' AND variant = 'all' AND value IN (1170, "
              "2458)") == "6\n");
  CHECK_THAT(outcome.report, Contains("| 2458 | model.width=8 |"));
  CHECK_THAT(
      outcome.report,
      Contains("## Communication overhead") && Contains("## How much communication is hidden"));
  CHECK_THAT(outcome.report, Contains("| speedup | 1x | parameters of the model | 2 devices |"));
  CHECK_THAT(outcome.report,
             Contains("\nMFU (") && Contains(" is unknown, because the study declares no"));
  CHECK(has_file(workspace, "sizes/figures/speedup.svg"));
  CHECK(has_file(workspace, "sizes/figures/breakdown.svg"));
}

TEST_CASE("controls split what communication costs, and keep overlap apart from its algorithm",
          "[cli]") {
  const Workspace workspace(kControls);

  const Outcome outcome = follow(workspace, "controls");

  // Three cells, two controls of each, and one of poll; two trials each.
  CHECK(count(workspace, "trials WHERE state = 'ok'") == "20\n");
  CHECK(count(workspace, "comparison WHERE quantity = 'synchronization_overhead'") == "3\n");
  CHECK(count(workspace, "comparison WHERE quantity = 'transfer_overhead'") == "3\n");
  CHECK(count(workspace, "comparison WHERE quantity = 'overlap_gain'") == "1\n");
  // (1 - overhead) = (1 - synchronization) (1 - transfer), whatever the times were.
  CHECK(
      count(workspace,
            "comparison AS whole JOIN comparison AS moving USING (cell_id) JOIN cell ON cell.id = "
            "moving.baseline_cell_id JOIN comparison AS waiting ON waiting.cell_id = cell.id "
            "WHERE whole.quantity = 'communication_overhead' AND moving.quantity = "
            "'transfer_overhead' AND waiting.quantity = 'synchronization_overhead' AND abs((1 - "
            "waiting.value) * (1 - moving.value) - (1 - whole.value)) < 1e-9") == "3\n");
  CHECK_THAT(outcome.report,
             Contains("## What the overhead is made of") && Contains("## What overlap gains"));
  CHECK_THAT(outcome.report,
             Contains("each cell of several devices with overlap poll again by the same calls"));
  CHECK_THAT(outcome.report, !Contains("separates them"));
  const bool shares_cores =
      count(workspace, "telemetry WHERE name = 'communication_thread_cores' AND value = 0") !=
      "0\n";
  CHECK((outcome.report.find("ran the communication thread") != std::string::npos) == shares_cores);
}

// Five seeds, one a block, as units of the test.
TEST_CASE("accuracy on more ranks is called equivalent where it is, and nowhere else",
          "[cli][slow]") {
  test::skip_on_one_core();
  const Workspace workspace(kAccuracy);

  const Outcome outcome = follow(workspace, "neutral");

  const std::string of_accuracy = "comparisons WHERE quantity = 'accuracy' AND ";
  CHECK(count(workspace, "trials WHERE state = 'ok'") == "15\n");
  CHECK(count(workspace, "(SELECT DISTINCT value FROM telemetry WHERE name = 'seed')") == "5\n");
  CHECK(count(workspace,
              of_accuracy + "label LIKE '%batch_global=32%' AND verdict = 'equivalent'") == "1\n");
  CHECK(count(workspace, of_accuracy + "label LIKE '%batch_global=256%' AND verdict = 'worse'") ==
        "1\n");
  CHECK(count(workspace, "estimate WHERE metric = 'accuracy' AND variant = 'all' AND value > 1") ==
        "0\n");
  CHECK(count(workspace,
              "estimate WHERE metric = 'epoch_accuracy:2' AND variant = 'all' AND statistic = "
              "'mean'") == "3\n");
  CHECK(count(workspace, "estimate WHERE metric = 'epoch_accuracy'") == "0\n");
  CHECK_THAT(outcome.report, Contains("## Learning") && Contains("| Epoch | Accuracy |"));
  CHECK_THAT(outcome.report, Contains("### Accuracy, higher is better"));
  CHECK_THAT(outcome.report, !Contains("declare train_samples"));

  // 64 steps of the first epoch of 2048 samples in batches of 32; with 256 it is 8 steps.
  const std::string step_s =
      "SELECT trial, avg(value) FILTER (WHERE NOT is_warmup) AS mean, sum(value) FILTER (WHERE "
      "step "
      "< 64) AS first, (SELECT step_time_s FROM step_times WHERE step_times.trial = samples.trial) "
      "AS step_time_s FROM samples WHERE metric = 'step_time_s' AND rank IS NULL AND label LIKE "
      "'%devices=1%' GROUP BY trial";
  CHECK(
      count(workspace,
            "(SELECT first * step_time_s / mean AS time FROM (" + step_s +
                ") ORDER BY time LIMIT 1 OFFSET 2) AS by_hand JOIN metrics ON metrics.metric = "
                "'time_to:accuracy:0.01' AND metrics.label LIKE '%devices=1%' WHERE "
                "abs(metrics.value / by_hand.time - 1) < 1e-9 AND metrics.statistic = 'median'") ==
      "1\n");
  CHECK(count(workspace,
              "metrics WHERE metric = 'reached:held_out_loss:0.001' AND value = 0 AND n = 5") ==
        "3\n");
  CHECK_THAT(outcome.report, Contains("## Time to reach a value") && Contains("Reached = 5 of 5"));
  CHECK_THAT(outcome.report, Contains("Reached = 0 of 5") && Contains("not reached by half"));
  CHECK_THAT(outcome.report, Contains("![Accuracy on held-out samples after each epoch"));
  CHECK(has_file(workspace, "neutral/figures/learning-accuracy.svg"));
  CHECK(has_file(workspace, "neutral/figures/learning-loss.svg"));
}

TEST_CASE("a report is the same without the values of ranks that it does not rest on", "[cli]") {
  const Workspace workspace(kTokens);
  for (const char* trials : {"trials.count=1", "trials.count=2"}) {
    REQUIRE(
        workspace.run({"run", workspace.study(), "--set", trials, "--accept-changes"}).exit_code <=
        5);
  }
  const auto report = [&] {
    REQUIRE(workspace.run({"report", "tokens", "--full"}).exit_code == 0);
    return test::read_file(workspace.results() + "/reports/tokens/report.md") +
           test::read_file(workspace.results() + "/reports/tokens/data/results.csv");
  };
  const std::string before = report();
  const std::string ranks = "trial_metrics WHERE rank IS NOT NULL AND metric <> 'step_time_s' AND ";
  const std::string newest = count(workspace, ranks + "block = 1");
  const std::string oldest = count(workspace, ranks + "block = 0");
  std::filesystem::copy(
      workspace.results(), workspace.file("whole"), std::filesystem::copy_options::recursive);

  const ProgramResult pruned = workspace.run({"prune", "tokens", "--ranks", "--yes"});
  INFO(pruned.out + pruned.err);
  REQUIRE(pruned.exit_code == 0);

  CHECK(report() == before);
  CHECK(count(workspace, ranks + "block = 1") == newest);
  CHECK(count(workspace,
              ranks + "block = 0 AND rank IS NOT (SELECT slowest_rank FROM step_times WHERE "
                      "step_times.trial = trial_metrics.trial)") == "0\n");
  CHECK(count(workspace, ranks + "block = 0") != "0\n");
  CHECK(count(workspace, ranks + "block = 0") != oldest);

  const ProgramResult merged = workspace.run({"merge", workspace.file("whole")});
  INFO(merged.err);
  CHECK(merged.exit_code == 0);
  CHECK(count(workspace, ranks + "block = 0") == oldest);
}

TEST_CASE("16 bits on the wire of CPU cores are measured, and get no verdict", "[cli]") {
  test::skip_on_one_core();
  const Workspace workspace(
      "version: 1\nstudy: wire\nworkload: train\n"
      "parameters: {model: mlp-258k, batch_global: 16, devices: 2}\n"
      "axes: {comm_dtype: [fp32, bf16, fp16]}\n"
      "steps: {warmup: 1, measured: 4}\n"
      "validity: {calibration: none, foreign_load: 100%}\ntrials: {count: 2}\n"
      "limits: {timeout: 30s, silence: 30s, retries: 0}\n"
      "analysis:\n"
      "  baseline: {comm_dtype: fp32}\n"
      "  targets: [{name: fast, metric: step_time_s, where: {comm_dtype: bf16}, at_most: 1h}]\n");

  const Outcome outcome = follow(workspace, "wire");

  const std::string software = "'no performance claim (16 bits in software)'";
  CHECK(count(workspace,
              "speedups WHERE speedup > 0 AND verdict = " + software +
                  " AND label NOT LIKE '%comm_dtype=fp32%'") == "2\n");
  CHECK(count(workspace, "speedups WHERE verdict = " + software) == "2\n");
  CHECK(count(workspace, "targets WHERE verdict = 'undecided' AND label LIKE '%bf16%'") == "1\n");
  CHECK_THAT(outcome.report, Contains("sent 16-bit numbers that its cores convert in software"));
}
