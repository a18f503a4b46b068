// Black box: a profile of `train`, which counts for nothing.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using Catch::Contains;
using scalestudy::test::ProgramResult;
using scalestudy::test::Workspace;

namespace {

std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> traces;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("trace.rank")) {
      traces.push_back(entry.path().string());
    }
  }
  return traces;
}

#ifdef SCALESTUDY_NVTX_RECORDER
// What tests/cli/nvtx_recorder.cc wrote: of one process.
std::string ranges_in(const std::string& folder) {
  std::string ranges;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("ranges.")) {
      ranges += scalestudy::test::read_file(entry.path());
    }
  }
  return ranges;
}
#endif

}  // namespace

TEST_CASE("a profile has every step of every rank, and no measured trial has one", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: train\n"
      "parameters: {model: mlp-258k, overlap: thread}\n"
      "axes: {devices: [2], batch_global: [32]}\n"
      "steps: {warmup: 2, measured: 3}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
      "{count: 1}\n"
      "analysis: {baseline: {devices: 2}}\n");
  const ProgramResult profile = workspace.run({"run", workspace.study(), "--profile"});
  INFO(profile.err);
  REQUIRE(profile.exit_code == 0);
  CHECK_THAT(profile.err, Contains("2 traces, for https://ui.perfetto.dev"));
  const std::vector<std::string> traces = traces_in(workspace.results() + "/check/demo/logs");
  REQUIRE(traces.size() == 2);
  std::set<int> ranks;
  for (const std::string& path : traces) {
    const auto trace = nlohmann::json::parse(scalestudy::test::read_file(path));
    std::map<std::string, int> names;
    double step_end_us = 0.0;
    for (const auto& event : trace.at("traceEvents")) {
      const std::string name = event.at("name");
      ++names[name.substr(0, name.find(' '))];
      ranks.insert(event.at("pid").get<int>());
      if (name.starts_with("step ")) {
        CHECK(event.at("ts").get<double>() >= step_end_us);
        step_end_us = event.at("ts").get<double>() + event.at("dur").get<double>();
      }
    }
    CHECK(names["step"] == 2 + 3);
    CHECK(names["forward"] == 5);
    CHECK(names["backward"] == 5);
    CHECK(names["wait"] >= 5);
    CHECK(names["collective"] % 10 == 0);  // a beginning and an end of each, in each step
    CHECK(names["collective"] >= 10);
  }
  CHECK(ranks == std::set<int>{0, 1});

  REQUIRE(workspace.run({"run", workspace.study()}, {"SCALESTUDY_TRACE=" + workspace.results()})
              .exit_code == 0);
  CHECK(traces_in(workspace.results() + "/logs").empty());
  CHECK(traces_in(workspace.results()).size() == 2);
}

TEST_CASE("a profile says once what trials say of their traces", "[cli]") {
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: command\n"
      "command: [sh, -c, 'echo \"trace: half of it\" >&2; echo chatter >&2; echo 1 s', sh, "
      "'{threads}']\n"
      "axes: {threads: [1, 2]}\n"
      "extract: [{metric: step_time_s, unit: s, regex: '(\\S+) s'}]\n"
      "steps: {warmup: 0, measured: rest}\nvalidity: {calibration: none, foreign_load: "
      "100%}\ntrials: {count: 1}\n");
  const ProgramResult profile = workspace.run({"run", workspace.study(), "--profile"});

  INFO(profile.err);
  REQUIRE(profile.exit_code == 0);
  const std::size_t first = profile.err.find("trace: half of it\n");
  REQUIRE(first != std::string::npos);
  CHECK(profile.err.find("trace: half of it", first + 1) == std::string::npos);
  CHECK_THAT(profile.err, !Contains("chatter"));
}

TEST_CASE("a profiler that reads NVTX sees the steps and phases of a profile alone", "[cli]") {
#ifndef SCALESTUDY_NVTX_RECORDER
  scalestudy::test::skip("built without NVTX's headers, which the CUDA Toolkit has");
#else
  const Workspace workspace(
      "version: 1\nstudy: demo\nworkload: train\n"
      "parameters: {model: mlp-258k, accumulation_steps: 2}\n"
      "axes: {devices: [1], batch_global: [32]}\n"
      "steps: {warmup: 1, measured: 1}\nvalidity: {calibration: none, foreign_load: 100%}\ntrials: "
      "{count: 1}\n");
  std::filesystem::create_directories(workspace.results());
  const std::vector<std::string> profiler = {"NVTX_INJECTION64_PATH=" SCALESTUDY_NVTX_RECORDER,
                                             "NVTX_RECORDER_FOLDER=" + workspace.results()};
  REQUIRE(workspace.run({"run", workspace.study()}, profiler).exit_code == 0);
  CHECK(ranges_in(workspace.results()).empty());

  const ProgramResult profile = workspace.run({"run", workspace.study(), "--profile"}, profiler);
  INFO(profile.err);
  REQUIRE(profile.exit_code == 0);
  const auto step = [](const std::string& index) {
    return "+step " + index + "\n+data " + index +
           "\n-\n+forward 0\n-\n+backward 0\n-\n+forward 1\n-\n+backward 1\n-\n+sync " + index +
           "\n-\n+update " + index + "\n-\n-\n";
  };
  CHECK(ranges_in(workspace.results()) == step("0") + step("1"));
#endif
}
