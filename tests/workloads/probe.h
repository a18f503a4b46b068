// Runs training_probe under mpirun.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "tests/workloads/probe_output.h"

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

// What each rank wrote of each of the trainings, which one launch runs one after the other.
// SCALESTUDY_PROBE_PRECISION in `environment` names a precision that the program itself refuses on
// a CPU.
inline std::vector<std::vector<Probe>> train_each(
    int ranks,
    const Model& model,
    const std::vector<Flags>& trainings,
    const std::vector<std::string>& environment = {}) {
  const TemporaryFolder folder;
  std::vector<std::string> program = {SCALESTUDY_TEST_BIN "/../tests/training_probe"};
  for (std::size_t i = 0; i < trainings.size(); ++i) {
    if (i > 0) {
      program.emplace_back("--then");
    }
    program.insert(program.end(),
                   {folder.file("probe" + std::to_string(i)), model.widths, model.dropout});
    program.insert(program.end(), trainings[i].begin(), trainings[i].end());
  }
  const ProgramResult result = mpirun(ranks, program, environment);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
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
