// Step times against PyTorch's: the same model, batch, optimizer, threads and ranks, launched by
// turns. The peer is Debian's python3-torch (CPU, DDP over gloo), tests/bench/torch/peer.py.
#include <cstdlib>

#include <fmt/format.h>

#include "tests/bench/training.h"

namespace {

using scalestudy::bench::median;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;

constexpr int rounds = 7;
constexpr const char* warmup_steps = "4";
constexpr const char* measured_steps = "12";
// Debian's, for which python3-torch is packaged.
constexpr const char* python = "/usr/bin/python3";

struct Case {
  std::string model;
  int batch;  // samples of a step on each rank
  int ranks;
  double aim;  // of our step time over PyTorch's
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{"gpt-tiny", 8, 1, 0.9},
                                        {"mlp-4096", 256, 1, 0.8},
                                        {"mlp-4096", 256, 2, 0.55},
                                        {"resnet50-cifar", 8, 1, 0.9},
                                        {"lstm-332k", 64, 1, 0.9},
                                        {"gru-250k", 64, 1, 0.9}};
  return all;
}

double our_step_s(const TemporaryFolder& folder, const Case& one) {
  return scalestudy::bench::train(folder,
                                  one.ranks,
                                  {"--model=" + one.model,
                                   "--batch-per-device=" + std::to_string(one.batch),
                                   std::string("--warmup-steps=") + warmup_steps,
                                   std::string("--measured-steps=") + measured_steps})
      .step_s;
}

double torch_step_s(const TemporaryFolder& folder, const Case& one) {
  const std::string rendezvous = folder.file("rendezvous");
  std::filesystem::remove(rendezvous);
  std::vector<std::string> command = scalestudy::bench::mpirun_command(one.ranks);
  command.insert(command.end(),
                 {python,
                  SCALESTUDY_BENCH_DIR "/torch/peer.py",
                  "--model=" + one.model,
                  "--batch=" + std::to_string(one.batch),
                  std::string("--warmup=") + warmup_steps,
                  std::string("--steps=") + measured_steps,
                  "--rendezvous=" + rendezvous});
  std::vector<std::string> environment = scalestudy::bench::mpirun_environment();
  environment.insert(environment.end(), {"PYTHONDONTWRITEBYTECODE=1", "PYTHONWARNINGS=ignore"});
  const auto result = run_program(command, environment);
  scalestudy::bench::require_ok(result, "the PyTorch peer");
  return std::stod(result.out);
}

void compare(const TemporaryFolder& folder, const Case& one) {
  std::vector<double> ratios;
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int round = 0; round < rounds; ++round) {
    // Ours, theirs, theirs, ours: a drift within the round cancels.
    const double ours_before_s = our_step_s(folder, one);
    const double theirs_before_s = torch_step_s(folder, one);
    const double theirs_after_s = torch_step_s(folder, one);
    const double ours_after_s = our_step_s(folder, one);
    ours.insert(ours.end(), {ours_before_s, ours_after_s});
    theirs.insert(theirs.end(), {theirs_before_s, theirs_after_s});
    ratios.push_back((ours_before_s + ours_after_s) / (theirs_before_s + theirs_after_s));
  }
  const auto [lo, hi] = scalestudy::bench::median_range(ratios);
  fmt::print(
      "torch: {} at batch {} on {} rank(s): {:.2f} ms, PyTorch {:.2f} ms: x{:.3f} [{:.3f}, {:.3f}] "
      "(aim <= {})\n",
      one.model,
      one.batch,
      one.ranks,
      1e3 * median(ours),
      1e3 * median(theirs),
      median(ratios),
      lo,
      hi,
      one.aim);
  std::fflush(stdout);
}

}  // namespace

// With arguments, only the models named.
int main(int argc, char** argv) {
  if (run_program({python, "-c", "import torch"}, {}).exit_code != 0) {
    fmt::print("torch: {} has no PyTorch; apt-get install python3-torch\n", python);
    return 0;
  }
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  const TemporaryFolder folder;
  for (const Case& one : cases()) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), one.model) != wanted.end()) {
      compare(folder, one);
    }
  }
  fmt::print("torch: medians of {} paired ratios; in brackets their order-statistics interval\n",
             rounds);
  return 0;
}
