// The PyTorch installations that benches compare with.
#pragma once

#include <string>
#include <vector>

#include "tests/bench/training.h"

namespace scalestudy::test {

struct TorchPeer {
  std::string python;
  std::string version;  // "2.15.0+cpu"
};

// The one tests/bench/run made (or SCALESTUDY_BENCH_PYTHON names), then Debian's python3-torch;
// those that are there.
inline std::vector<TorchPeer> torch_peers() {
  std::vector<std::string> pythons = {"/usr/bin/python3"};
  if (const char* own = std::getenv("SCALESTUDY_BENCH_PYTHON")) {  // NOLINT(concurrency-mt-unsafe)
    pythons.insert(pythons.begin(), own);
  }
  std::vector<TorchPeer> peers;
  for (const std::string& python : pythons) {
    auto result = test::run_program({python, "-c", "import torch; print(torch.__version__)"}, {});
    if (result.exit_code == 0) {
      result.out.erase(result.out.find_last_not_of('\n') + 1);
      peers.push_back({python, result.out});
    }
  }
  if (peers.empty()) {
    std::puts("no PyTorch here: set SCALESTUDY_BENCH_PYTHON, or install python3-torch");
  }
  return peers;
}

// What a rank of a peer is run with, over mpirun_environment().
inline std::vector<std::string> torch_environment() {
  std::vector<std::string> environment = mpirun_environment();
  // gloo takes the interface of the host's name, which on some machines leads nowhere.
  environment.insert(environment.end(),
                     {"GLOO_SOCKET_IFNAME=lo",
                      "OPENBLAS_NUM_THREADS=1",
                      "PYTHONDONTWRITEBYTECODE=1",
                      "PYTHONWARNINGS=ignore"});
  return environment;
}

}  // namespace scalestudy::test
