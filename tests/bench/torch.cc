// Step times against PyTorch's: the same model, batch, optimizer, threads and ranks, launched by
// turns. Peers are the current PyTorch of the Python registry, and Debian's python3-torch where it
// is installed (CPU, DDP over gloo); tests/bench/torch/peer.py.
#include <algorithm>

#include <fmt/format.h>

#include "tests/bench/torch_peer.h"

namespace {

using scalestudy::test::median;
using scalestudy::test::run_program;
using scalestudy::test::TemporaryFolder;
using scalestudy::test::TorchPeer;

constexpr int kRounds = 21;
constexpr int kWarmupSteps = 3;

struct Case {
  std::string model;
  int batch;  // samples of a step on each rank
  int ranks;
  int steps;   // measured
  double aim;  // of our step time over the current PyTorch's, 0 for none
  std::string comm = "mpi";

  std::string name() const {
    const std::string several = ranks == 1 ? model : model + "@" + std::to_string(ranks);
    return comm == "mpi" ? several : several + "/" + comm;
  }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> kAll = {{"mlp-4096", 256, 1, 6, 0.8},
                                         {"mlp-4096", 256, 2, 6, 0.55},
                                         {"mlp-4096", 256, 2, 6, 0.6, "shm"},
                                         {"gpt-tiny", 8, 1, 20, 0.65},
                                         {"gpt-tiny", 8, 2, 20, 0},
                                         {"lstm-332k", 64, 1, 30, 0.7},
                                         {"gru-250k", 64, 1, 30, 0.59},
                                         {"resnet50-cifar", 8, 1, 6, 0.7}};
  return kAll;
}

double our_step_s(const TemporaryFolder& folder, const Case& one) {
  return scalestudy::test::train(folder,
                                 one.ranks,
                                 {"--model=" + one.model,
                                  "--batch-per-device=" + std::to_string(one.batch),
                                  "--comm=" + one.comm,
                                  "--warmup-steps=" + std::to_string(kWarmupSteps),
                                  "--measured-steps=" + std::to_string(one.steps)})
      .step_s;
}

double torch_step_s(const TemporaryFolder& folder, const Case& one, const TorchPeer& peer) {
  const std::string rendezvous = folder.file("rendezvous");
  std::filesystem::remove(rendezvous);
  std::vector<std::string> command = scalestudy::test::mpirun_command(one.ranks);
  command.insert(command.end(),
                 {peer.python,
                  SCALESTUDY_BENCH_DIR "/torch/peer.py",
                  "--model=" + one.model,
                  "--batch-per-device=" + std::to_string(one.batch),
                  "--warmup-steps=" + std::to_string(kWarmupSteps),
                  "--measured-steps=" + std::to_string(one.steps),
                  "--rendezvous=" + rendezvous});
  const auto result = run_program(command, scalestudy::test::torch_environment());
  scalestudy::test::require_ok(result, "the PyTorch peer");
  return std::stod(result.out);
}

// Each round launches everyone once, every other round the other way round: a drift cancels.
void compare(const TemporaryFolder& folder, const Case& one, const std::vector<TorchPeer>& peers) {
  std::vector<double> ours;
  std::vector<std::vector<double>> theirs(peers.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t turn = 0; turn <= peers.size(); ++turn) {
      const std::size_t who = round % 2 == 0 ? turn : peers.size() - turn;
      if (who == 0) {
        ours.push_back(our_step_s(folder, one));
      } else {
        theirs[who - 1].push_back(torch_step_s(folder, one, peers[who - 1]));
      }
    }
  }
  fmt::print("torch: {:<14} batch {:>3}, {} rank(s): {:>7.2f} ms",
             one.name(),
             one.batch,
             one.ranks,
             1e3 * median(ours));
  for (std::size_t peer = 0; peer < peers.size(); ++peer) {
    fmt::print("; {} of PyTorch {}'s {:.2f} ms",
               scalestudy::test::median_ratio(ours, theirs[peer]),
               peers[peer].version,
               1e3 * median(theirs[peer]));
  }
  fmt::print("{}\n", one.aim == 0 ? "" : fmt::format(" (aim <= {} of the first)", one.aim));
  std::fflush(stdout);
}

}  // namespace

// With arguments, only the cases named: a model, on some ranks as "mlp-4096@2", or by another way
// to sum as "mlp-4096@2/shm".
int main(int argc, char** argv) {
  const std::vector<Case>& all = cases();
  const std::vector<std::string> wanted(argv + 1, argv + argc);
  for (const std::string& name : wanted) {
    if (std::none_of(all.begin(), all.end(), [&](const Case& one) { return one.name() == name; })) {
      fmt::print(stderr, "torch: no case is named {}; see cases() in torch.cc\n", name);
      return 2;
    }
  }
  const std::vector<TorchPeer> peers = scalestudy::test::torch_peers();
  if (peers.empty()) {
    return 0;
  }
  const TemporaryFolder folder;
  for (const Case& one : all) {
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), one.name()) != wanted.end()) {
      compare(folder, one, peers);
    }
  }
  fmt::print(
      "torch: medians of {} paired ratios of step times; in brackets their order-statistics "
      "interval\n",
      kRounds);
  return 0;
}
