// A study run with real processes, on this machine and by its clock.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/host/system_machine.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/run_study.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

// - grace_s: what a trial that has to end gets between SIGTERM and SIGKILL.
inline RunSummary run_for_real(const std::string& text,
                               Store& store,
                               double grace_s,
                               SystemMachine&& machine = SystemMachine()) {
  const ParsedStudy parsed = parse_study(text, "real.yaml", {});
  INFO(format_problems(parsed.problems, text, "real.yaml"));
  REQUIRE(parsed.problems.empty());
  ProcessLauncher launcher(grace_s);
  const SystemClock clock;
  const std::atomic<bool> stop{false};
  return run_study(
      parsed.study,
      store,
      RunWorld{.launcher = launcher,
               .machine = machine,
               .clock = clock,
               .precision = [](const std::vector<TrialMean>&) { return Precision(); }},
      RunOptions(),
      [](const Progress&) {},
      stop);
}

}  // namespace scalestudy::test
