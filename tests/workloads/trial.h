// Runs scalestudy-train under mpirun as the harness does, and reads its record.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "workloads/protocol/reader.h"

namespace scalestudy::test {

inline std::string train_program() {
  return SCALESTUDY_TEST_BIN "/scalestudy-train";
}

struct Trial {
  ProgramResult result;
  protocol::Record record;
};

// parameters   JSON.
// environment  more of it.
inline Trial run_trial(int ranks,
                       const std::string& parameters,
                       std::vector<std::string> environment = {}) {
  const TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  environment.insert(environment.end(),
                     {"SCALESTUDY_PARAMETERS=" + parameters, "SCALESTUDY_OUTPUT=" + output});
  Trial trial;
  trial.result = mpirun(ranks, {train_program()}, environment);
  trial.record = protocol::read_record(output);
  return trial;
}

// A trial that has to succeed with a sound record; `parameters` without their braces.
inline Trial run_sound(int ranks,
                       const std::string& parameters,
                       const std::vector<std::string>& environment = {}) {
  Trial trial = run_trial(ranks, "{" + parameters + "}", environment);
  INFO(parameters << "\n" << trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  REQUIRE(trial.record.problems.empty());
  return trial;
}

template <typename Event>
std::vector<Event> events_of(const protocol::Record& record) {
  std::vector<Event> found;
  for (const protocol::Event& event : record.events) {
    if (const Event* match = std::get_if<Event>(&event)) {
      found.push_back(*match);
    }
  }
  return found;
}

// Runs a trial that has to fail with this exit code; returns the message of its end.
inline std::string failure_of(const Trial& trial, int exit_code) {
  INFO(trial.result.err);
  CHECK(trial.result.exit_code == exit_code);
  const auto ends = events_of<protocol::End>(trial.record);
  REQUIRE(ends.size() == 1);
  CHECK_FALSE(ends[0].ok);
  return ends[0].message;
}

// The series of that name; null when there is none.
inline const protocol::Samples* find_series(const std::vector<protocol::Samples>& all,
                                            const std::string& metric,
                                            std::optional<int> rank = std::nullopt) {
  const auto match = std::find_if(all.begin(), all.end(), [&](const protocol::Samples& samples) {
    return samples.metric == metric && samples.rank == rank;
  });
  return match == all.end() ? nullptr : &*match;
}

inline const std::vector<double>& values_of(const std::vector<protocol::Samples>& all,
                                            const std::string& metric,
                                            std::optional<int> rank = std::nullopt) {
  const protocol::Samples* const series = find_series(all, metric, rank);
  INFO(metric);
  REQUIRE(series != nullptr);
  return series->values;
}

}  // namespace scalestudy::test
