// A folder of logs and a store, for one study of their trials.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/import/runs/import_runs.h"
#include "harness/study/parse.h"
#include "tests/support/program.h"

namespace scalestudy::test {

inline const std::string kStudy =
    "version: 1\nstudy: logs\nworkload: command\ncommand: [train]\n"
    "extract: [{metric: step_time_s, unit: ms, regex: 'step \\d+: (\\S+) ms'}]\n"
    "axes: {devices: [1, 2], lr: [0.1, 0.02]}\nsteps: {warmup: 1, measured: rest}\n"
    "trials: {count: 3}\nanalysis: {baseline: {devices: 1}}\n";

// With the number of the step.
inline const std::string kNumbered =
    "version: 1\nstudy: logs\nworkload: command\ncommand: [train]\n"
    "extract: [{metric: step_time_s, unit: ms, regex: 'step (?<step>\\d+): (?<value>\\S+) ms'}]\n"
    "axes: {devices: [1, 2], lr: [0.1, 0.02]}\nsteps: {warmup: 1, measured: rest}\n";

// Three steps, the first of them warm-up.
inline std::string log_of(double step_ms) {
  return "step 1: 900 ms\nstep 2: " + std::to_string(step_ms) +
         " ms\nstep 3: " + std::to_string(step_ms) + " ms\n";
}

// A folder of logs and a store, for one study.
class Logs {
 public:
  explicit Logs(const std::string& text = kStudy)
      : study_(parse_stored_study(text, "logs.yaml")),
        matrix_(expand(study_)),
        store_(Store::open(folder_.path() / "results")) {}

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    write_file(path(name), text);
  }

  std::string path(const std::string& name) const { return folder_.file(name); }

  ReadRuns read(RunsRequest request) {
    request.from = folder_.path().string() + "/" + request.from;
    return read_runs(study_, matrix_, request, &store_);
  }

  // Returns what was read.
  ReadRuns import(const RunsRequest& request) {
    ReadRuns runs = read(request);
    store_runs(study_, matrix_, runs, /*keeps_logs=*/true, store_);
    return runs;
  }

  std::string problem_of(const RunsRequest& request) {
    try {
      read(request);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::vector<std::vector<Field>> query(const std::string& sql) const {
    return store_.query(sql).rows;
  }

  Study& study() { return study_; }
  Store& store() { return store_; }

 private:
  TemporaryFolder folder_;
  Study study_;
  Matrix matrix_;
  Store store_;
};

using Rows = std::vector<std::vector<Field>>;

inline const RunsRequest kByName{.from = "{devices}-{lr}-{run}.log"};

}  // namespace scalestudy::test
