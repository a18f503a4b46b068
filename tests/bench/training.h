// The training launches that benches compare: by hand, and as the same study.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "tests/support/program.h"
#include "workloads/protocol/reader.h"

namespace scalestudy::test {

inline void require_ok(const test::ProgramResult& result, const char* what) {
  if (result.exit_code != 0) {
    std::fprintf(stderr, "%s failed (%d):\n%s\n", what, result.exit_code, result.err.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): single-threaded
  }
}

// Of paired times: the median of their ratios, and its order-statistics interval, as text.
inline std::string median_ratio(const std::vector<double>& times_s,
                                const std::vector<double>& peer_s) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    ratios.push_back(times_s[i] / peer_s.at(i));
  }
  const auto [lo, hi] = median_range(ratios);
  return fmt::format("x{:.3f} [{:.3f}, {:.3f}]", median(ratios), lo, hi);
}

// A study of `trials` trials of the launch that by_hand makes.
inline std::string study_text(int trials) {
  return "version: 1\nstudy: bench\ntitle: Bench\nworkload: train\n"
         "parameters: {model: mlp-258k, devices: 2}\naxes: {batch_global: [256]}\n"
         "steps: {warmup: 10, measured: 400}\ntrials: {count: " +
         std::to_string(trials) + "}\n";
}

struct Launch {
  double wall_s = 0.0;
  double step_s = 0.0;  // median step time
};

// mpirun's arguments before a program with one core a rank.
inline std::vector<std::string> mpirun_command(int ranks) {
  return {"mpirun", "-n", std::to_string(ranks), "--bind-to", "core", "--map-by", "slot:PE=1"};
}

inline std::vector<std::string> mpirun_environment() {
  return {"OMPI_ALLOW_RUN_AS_ROOT=1",
          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
          "OMPI_MCA_pml=ob1",
          "OMPI_MCA_btl=self,vader",
          "OMP_NUM_THREADS=1"};
}

// One launch of scalestudy-train with these flags.
inline Launch train(const test::TemporaryFolder& folder,
                    int ranks,
                    const std::vector<std::string>& flags) {
  const std::string output = folder.file("by-hand.jsonl");
  std::filesystem::remove(output);
  std::vector<std::string> command = mpirun_command(ranks);
  command.emplace_back(SCALESTUDY_TEST_BIN "/scalestudy-train");
  command.insert(command.end(), flags.begin(), flags.end());
  std::vector<std::string> environment = mpirun_environment();
  environment.push_back("SCALESTUDY_OUTPUT=" + output);
  Launch launch;
  launch.wall_s = seconds([&] { require_ok(test::run_program(command, environment), "mpirun"); });
  for (const protocol::Event& event : protocol::read_record(output).events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == "step_time_s" && !samples->rank) {
      launch.step_s = median({samples->values.begin() + samples->warmup, samples->values.end()});
    }
  }
  return launch;
}

// One launch as a user types it; `timing` is train's parameter.
inline Launch by_hand(const test::TemporaryFolder& folder, const std::string& timing) {
  return train(folder,
               2,
               {"--model=mlp-258k",
                "--batch-global=256",
                "--warmup-steps=10",
                "--measured-steps=400",
                "--timing=" + timing});
}

}  // namespace scalestudy::test
