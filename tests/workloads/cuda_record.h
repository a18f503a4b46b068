// Runs scalestudy-train over the stand-in for GPUs (tests/cuda).
#pragma once

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "workloads/protocol/reader.h"

namespace scalestudy::test {

// Runs a trial that has to end well; returns its record.
inline protocol::Record record_of(int ranks,
                                  std::vector<std::string> flags,
                                  std::vector<std::string> environment = {}) {
  const TemporaryFolder folder;
  flags.insert(flags.begin(), SCALESTUDY_CUDA_HOST "/bin/scalestudy-train");
  environment.push_back("SCALESTUDY_OUTPUT=" + folder.file("record"));
  const ProgramResult result = mpirun(ranks, flags, environment);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return protocol::read_record(folder.file("record"));
}

}  // namespace scalestudy::test
