// How near ranks that sleep for declared times come to these by the machine's clock: tests hold the
// arithmetic to a stepped one (tests/workloads/stepped_clock.cc).
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/training.h"

namespace {

using namespace scalestudy;

constexpr int kLaunches = 6;

struct Case {
  const char* what;
  int ranks;
  std::vector<std::string> flags;
  const char* metric;
  std::optional<int> rank;
  double declared_ms;
};

// Two thousand parameters: what really travels takes next to nothing.
const std::vector<std::string> kSmall = {
    "--model=lstm-332k", "--model-width=8", "--model-sequence=4"};
const std::vector<std::string> kBuckets = {"--model=mlp-258k",
                                           "--payload=element",
                                           "--bucket-mb=0.04",
                                           "--first-bucket-mb=0.04",
                                           "--declared-hop-ms=5",
                                           "--declared-step-ms=90"};
const std::vector<std::string> kStages = {"--model=llama-7b",
                                          "--model-layers=8",
                                          "--model-width=32",
                                          "--model-heads=2",
                                          "--model-sequence=4",
                                          "--model-vocabulary=4",
                                          "--strategy=pipeline",
                                          "--batch-global=16",
                                          "--declared-sample-ms=30"};

std::vector<std::string> with(std::vector<std::string> flags,
                              const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// The declared times are worked out in tests/workloads/train/emulated_test.cc and
// tests/workloads/train/step/pipeline_test.cc.
std::vector<Case> cases() {
  const char* const step = "step_time_s";
  const std::vector<std::string> declared = {"--declared-sample-ms=4", "--declared-step-ms=8"};
  const std::vector<std::string> slow = {
      "--declared-step-ms=20", "--straggler-rank=3", "--straggler-ms=60"};
  return {
      {"step", 1, with(kSmall, declared), step, {}, 40.0},
      {"step", 4, with(kSmall, declared), step, {}, 40.0},
      {"step", 16, with(kSmall, declared), step, {}, 40.0},
      {"skew of a straggler", 8, with(kSmall, slow), "collective_skew_time_s", 0, 60.0},
      {"step with hops of a ring",
       4,
       with(kSmall, {"--declared-step-ms=20", "--declared-hop-ms=5"}),
       step,
       {},
       50.0},
      {"step without overlap", 2, with(kBuckets, {"--overlap=none"}), step, {}, 120.0},
      {"step with overlap thread", 2, with(kBuckets, {"--overlap=thread"}), step, {}, 100.0},
      {"step of 2 stages, 4 micro-batches",
       2,
       with(kStages, {"--accumulation-steps=4"}),
       step,
       {},
       300.0},
      {"step of 4 stages, 8 micro-batches",
       4,
       with(kStages, {"--accumulation-steps=8"}),
       step,
       {},
       165.0},
  };
}

// ms; the median of the launch's measured steps.
double launch_ms(const test::TemporaryFolder& folder, const Case& one) {
  const std::string output = folder.file("record");
  std::filesystem::remove(output);
  std::vector<std::string> command = {
      "mpirun", "-n", std::to_string(one.ranks), "--bind-to", "none", "--oversubscribe"};
  command.emplace_back(SCALESTUDY_TEST_BIN "/scalestudy-train");
  command.insert(command.end(), one.flags.begin(), one.flags.end());
  command.insert(command.end(), {"--compute=declared", "--warmup-steps=2", "--measured-steps=9"});
  if (one.flags.end() == std::find(one.flags.begin(), one.flags.end(), "--batch-global=16")) {
    command.emplace_back("--batch-per-device=8");
  }
  std::vector<std::string> environment = test::mpirun_environment();
  environment.insert(environment.end(),
                     {"SCALESTUDY_OUTPUT=" + output, "OMPI_MCA_mpi_yield_when_idle=1"});
  test::require_ok(test::run_program(command, environment), "mpirun");
  for (const protocol::Event& event : protocol::read_record(output).events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == one.metric && samples->rank == one.rank) {
      return 1e3 * test::median({samples->values.begin() + samples->warmup, samples->values.end()});
    }
  }
  return 0.0;
}

}  // namespace

int main() {
  const test::TemporaryFolder folder;
  for (const Case& one : cases()) {
    std::vector<double> ratios;
    for (int i = 0; i < kLaunches; ++i) {
      ratios.push_back(launch_ms(folder, one) / one.declared_ms);
    }
    const auto [lo, hi] = test::median_range(ratios);
    fmt::print("emulated: {} rank{}: {}: x{:.4f} [{:.4f}, {:.4f}] of the {:g} ms declared\n",
               one.ranks,
               one.ranks == 1 ? "" : "s",
               one.what,
               test::median(ratios),
               lo,
               hi,
               one.declared_ms);
    std::fflush(stdout);
  }
  fmt::print("emulated: medians of {} launches, in brackets all of them; aim: 1 to 1.05\n",
             kLaunches);
}
