// The training launches that benches compare: by hand, and as the same study.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "tests/bench/stopwatch.h"
#include "tests/support/program.h"
#include "workloads/protocol/reader.h"

namespace scalestudy::bench {

inline void require_ok(const test::ProgramResult& result, const char* what) {
  if (result.exit_code != 0) {
    std::fprintf(stderr, "%s failed (%d):\n%s\n", what, result.exit_code, result.err.c_str());
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): single-threaded
  }
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

// One launch as a user types it; `timing` is train's parameter.
inline Launch by_hand(const test::TemporaryFolder& folder, const std::string& timing) {
  const std::string output = folder.file("by-hand.jsonl");
  std::filesystem::remove(output);
  Launch launch;
  launch.wall_s = seconds([&] {
    require_ok(test::run_program({"mpirun",
                                  "-n",
                                  "2",
                                  "--bind-to",
                                  "core",
                                  "--map-by",
                                  "slot:PE=1",
                                  SCALESTUDY_TEST_BIN "/scalestudy-train",
                                  "--model",
                                  "mlp-258k",
                                  "--batch-global",
                                  "256",
                                  "--warmup-steps",
                                  "10",
                                  "--measured-steps",
                                  "400",
                                  "--timing",
                                  timing},
                                 {"OMPI_ALLOW_RUN_AS_ROOT=1",
                                  "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                  "OMPI_MCA_pml=ob1",
                                  "OMPI_MCA_btl=self,vader",
                                  "OMP_NUM_THREADS=1",
                                  "SCALESTUDY_OUTPUT=" + output}),
               "mpirun");
  });
  for (const protocol::Event& event : protocol::read_record(output).events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == "step_time_s" && !samples->rank) {
      launch.step_s = median({samples->values.begin() + samples->warmup, samples->values.end()});
    }
  }
  return launch;
}

}  // namespace scalestudy::bench
