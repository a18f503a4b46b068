// Runs training_probe under mpirun, each number of ranks once.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/probe_output.h"
#include "tests/workloads/training_ranks.h"

namespace scalestudy::test {

using Flags = std::vector<std::string>;

inline Flags with(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

struct Model {
  std::string widths;
  std::string dropout;
};

// What each rank wrote of each of the trainings.
// SCALESTUDY_PROBE_PRECISION in `environment` names a precision that the program itself refuses on
// CPU cores without it.
inline std::vector<std::vector<Probe>> train_each(
    int ranks,
    const Model& model,
    const std::vector<Flags>& trainings,
    const std::vector<std::string>& environment = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    if (i > 0) {
      arguments.emplace_back("--then");
    }
    arguments.insert(arguments.end(),
                     {folder.file("probe" + std::to_string(i)), model.widths, model.dropout});
    arguments.insert(arguments.end(), trainings[i].begin(), trainings[i].end());
  }
  train_on(ranks,
           mpirun_command(ranks, {SCALESTUDY_TEST_BIN "/../tests/training_probe"}),
           environment,
           arguments);
  std::vector<std::vector<Probe>> probes;
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    probes.push_back(read_probes(folder.file("probe" + std::to_string(i)), ranks));
  }
  return probes;
}

inline std::vector<Probe> train(int ranks,
                                const Model& model,
                                const Flags& flags,
                                const std::vector<std::string>& environment = {}) {
  return train_each(ranks, model, {flags}, environment).front();
}

inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(!a.empty());
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += a[i] * a[i];
  }
  return std::sqrt(difference / size);
}

// Checks that stages of a pipeline end with the parameters and losses of one rank, in doubles, use
// the memory that was calculated, and allocate nothing in steps.
inline void check_stages(const Probe& one, const std::vector<Probe>& stages) {
  CHECK(relative_difference(one.parameters, stage_parameters(stages)) <= 1e-12);
  CHECK(relative_difference(one.losses, stages.back().losses) <= 1e-12);
  for (const Probe& probe : stages) {
    CHECK(probe.memory == probe.calculated);
    CHECK(probe.allocations == 0);
  }
}

}  // namespace scalestudy::test
