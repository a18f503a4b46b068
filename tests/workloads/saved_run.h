// Runs of scalestudy-train that keep checkpoints in a folder, and the state that they end with.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/workloads/training_ranks.h"
#include "tests/workloads/trial.h"

namespace scalestudy::test {

inline std::string in_folder(const std::filesystem::path& folder, const std::string& more) {
  return R"({"save_dir": ")" + folder.string() + "\", " + more + "}";
}

// Content by name of the files of the checkpoint of that step, those of state alone: the rest is
// times. Empty without such a checkpoint.
inline std::map<std::string, std::string> state_of(const std::filesystem::path& folder, int step) {
  std::map<std::string, std::string> files;
  const std::filesystem::path of_step = folder / ("step_" + std::to_string(step));
  if (std::filesystem::exists(of_step)) {
    for (const auto& entry : std::filesystem::directory_iterator(of_step)) {
      if (entry.path().extension() == ".state") {
        files[entry.path().filename().string()] = read_file(entry.path());
      }
    }
  }
  return files;
}

inline std::vector<double> losses_of(const Trial& trial) {
  return values_of(events_of<protocol::Samples>(trial.record), "loss");
}

// Runs a trial that has to end well, on ranks that stay; the next trial is run by other processes.
inline Trial run_saved(int ranks, const std::filesystem::path& folder, const std::string& more) {
  static int runs = 0;
  const TemporaryFolder files;
  train_on(ranks,
           mpirun_command(ranks, {SCALESTUDY_TEST_BIN "/../tests/training_probe"}),
           {"SCALESTUDY_PROBE_SET=" + std::to_string(runs++ % 2)},
           {"--run", files.file("trial.jsonl"), in_folder(folder, more)});
  return {.result = {}, .record = protocol::read_record(files.file("trial.jsonl"))};
}

// Runs a trial that has to be refused; returns the message of its end.
inline std::string refusal(int ranks,
                           const std::filesystem::path& folder,
                           const std::string& more) {
  const Trial trial = run_trial(ranks, in_folder(folder, more));
  CHECK(trial.result.exit_code == 2);
  const auto ends = events_of<protocol::End>(trial.record);
  REQUIRE(ends.size() == 1);
  return ends[0].message;
}

}  // namespace scalestudy::test
